//! Engine analyses for members: the engine searches a position of the game and sends updates until
//! it is stopped. The same members may ask as for bot assistance (`room/assist.rs`); each session
//! has one analysis at a time.

use crate::{
    analysis::is_supported,
    protocol::{AnalysisEnd, LineCount, Message, Reason, Refusal},
};

use super::{
    AnalysisUpdate, Effect, Moment, Room, SessionId, Ticket, assist::Asker, jobs::MemberAnalysis,
};
use crate::room::limits::ASSIST_JOBS_MAX;

impl Room {
    pub(super) fn analyse(
        &mut self,
        Asker { session, cause }: Asker,
        ply: Option<usize>,
        lines: LineCount,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        if !is_supported(self.state.rules.variant()) {
            return Err(Refusal::new(Reason::BotNotOffered));
        }
        let position = self.position_for(&cause.member, ply)?;
        let game = self.state.game.as_ref().map_or(0, |game| game.number);
        let others = self.analyses.iter().filter(|analysis| analysis.session != session).count();
        if others >= ASSIST_JOBS_MAX {
            return Err(Refusal::new(Reason::Busy));
        }
        self.stop_analysis(session, moment);
        let ticket = self.new_ticket();
        let moves = position.moves().to_vec();
        self.analyses.push(MemberAnalysis { ticket, session, of: cause.command, game, moves });
        moment.effects.push(Effect::Analyse { ticket, session, position, lines: lines.into() });
        Ok(())
    }

    pub(super) fn stop_analysis(&mut self, session: SessionId, moment: &mut Moment<'_>) {
        self.end_analyses(|analysis| analysis.session == session, AnalysisEnd::Stopped, moment);
    }

    /// Sends an update. Ignores updates for an analysis that has ended.
    pub(super) fn analysed(
        &mut self,
        ticket: Ticket,
        found: AnalysisUpdate,
        moment: &mut Moment<'_>,
    ) {
        let Some(index) = self.analyses.iter().position(|analysis| analysis.ticket == ticket)
        else {
            return;
        };
        let analysis = &self.analyses[index];
        let (room, of, session) = (self.code.clone(), analysis.of.clone(), analysis.session);
        let why = match found {
            AnalysisUpdate::Report(report) => {
                let message = Message::Analysis {
                    room,
                    of,
                    ply: analysis.moves.len(),
                    depth: report.depth,
                    nodes: report.nodes,
                    nodes_per_second: report.nodes_per_second,
                    lines: report.lines,
                };
                moment.effects.push(Effect::Send { session, message });
                return;
            }
            AnalysisUpdate::Finished => AnalysisEnd::Finished,
            AnalysisUpdate::Busy => AnalysisEnd::Busy,
            AnalysisUpdate::TooMany => AnalysisEnd::TooMany,
        };
        self.analyses.remove(index);
        let message = Message::AnalysisOver { room, of, why };
        moment.effects.push(Effect::Send { session, message });
    }

    /// Ends the analyses of positions that no longer exist: another game began, or moves were taken
    /// back.
    pub(super) fn end_moot_analyses(&mut self, moment: &mut Moment<'_>) {
        if self.analyses.is_empty() {
            return;
        }
        let game = self.state.game.as_ref();
        let moves = game.map_or(&[][..], |game| game.position.moves()).to_vec();
        let number = game.map(|game| game.number);
        let is_moot = |analysis: &MemberAnalysis| {
            number != Some(analysis.game) || !moves.starts_with(&analysis.moves)
        };
        self.end_analyses(is_moot, AnalysisEnd::Moot, moment);
    }

    /// Ends the analyses of a session that has left, without a message.
    pub(super) fn forget_analyses(&mut self, session: SessionId, moment: &mut Moment<'_>) {
        let left = self.analyses.extract_if(.., |analysis| analysis.session == session);
        moment.effects.extend(left.map(|analysis| Effect::CancelThinking(analysis.ticket)));
    }

    /// Ends all analyses.
    pub(super) fn end_all_analyses(&mut self, moment: &mut Moment<'_>) {
        self.end_analyses(|_| true, AnalysisEnd::Stopped, moment);
    }

    fn end_analyses(
        &mut self,
        which: impl Fn(&MemberAnalysis) -> bool,
        why: AnalysisEnd,
        moment: &mut Moment<'_>,
    ) {
        for analysis in self.analyses.extract_if(.., |analysis| which(analysis)) {
            moment.effects.push(Effect::CancelThinking(analysis.ticket));
            let message = Message::AnalysisOver { room: self.code.clone(), of: analysis.of, why };
            moment.effects.push(Effect::Send { session: analysis.session, message });
        }
    }
}
