//! Analyses for members: the engine looks at a position of the game, and tells what it finds until it
//! is stopped. Who may ask is who may be helped (`room/help.rs`); each session has one at a time.

use fivefold_shared::{
    engine::Engine,
    protocol::{AnalysisEnd, CommandId, LineCount, Message, Reason, Refusal},
    rules::Point,
};

use super::{Effect, Found, Moment, Room, SessionId, Ticket, help::Asker};
use crate::limits::HELP_JOBS_MAX;

/// An analysis that is under way.
#[derive(Clone, Debug)]
pub(super) struct Study {
    ticket: Ticket,
    session: SessionId,
    /// The command that asked for it.
    of: CommandId,
    game: u32,
    /// The moves to the position that is looked at.
    moves: Vec<Point>,
}

impl Room {
    pub(super) fn analyse(
        &mut self,
        Asker { session, cause }: Asker,
        ply: Option<usize>,
        lines: LineCount,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        if !Engine::knows(self.state.rules.variant()) {
            let text = "The engine does not play where more than six in a row win.";
            return Err(Refusal::new(Reason::BotNotOffered, text));
        }
        let position = self.position_for(&cause.member, ply)?;
        let game = self.state.game.as_ref().map_or(0, |game| game.number);
        let others = self.studies.iter().filter(|study| study.session != session).count();
        if others >= HELP_JOBS_MAX {
            let text = "Too many have the engine look at this game. Try again in a moment.";
            return Err(Refusal::new(Reason::Busy, text));
        }
        self.stop_analysis(session, moment);
        let ticket = self.new_ticket();
        let moves = position.moves().to_vec();
        self.studies.push(Study { ticket, session, of: cause.command, game, moves });
        moment.effects.push(Effect::Analyse { ticket, session, position, lines: lines.into() });
        Ok(())
    }

    pub(super) fn stop_analysis(&mut self, session: SessionId, moment: &mut Moment<'_>) {
        self.end_studies(|study| study.session == session, AnalysisEnd::Stopped, moment);
    }

    /// Tells what was found. What nobody waits for any more is ignored.
    pub(super) fn analysed(&mut self, ticket: Ticket, found: Found, moment: &mut Moment<'_>) {
        let Some(index) = self.studies.iter().position(|study| study.ticket == ticket) else {
            return;
        };
        let study = &self.studies[index];
        let (room, of, session) = (self.code.clone(), study.of.clone(), study.session);
        let why = match found {
            Found::Report(report) => {
                let message = Message::Analysis {
                    room,
                    of,
                    ply: study.moves.len(),
                    depth: report.depth,
                    nodes: report.nodes,
                    nodes_per_second: report.nodes_per_second,
                    lines: report.lines,
                };
                moment.effects.push(Effect::Send { session, message });
                return;
            }
            Found::Finished => AnalysisEnd::Finished,
            Found::Busy => AnalysisEnd::Busy,
            Found::TooMany => AnalysisEnd::TooMany,
        };
        self.studies.remove(index);
        let message = Message::AnalysisOver { room, of, why };
        moment.effects.push(Effect::Send { session, message });
    }

    /// Ends the analyses of positions that are no more: another game began, or moves were taken
    /// back.
    pub(super) fn end_moot_studies(&mut self, moment: &mut Moment<'_>) {
        if self.studies.is_empty() {
            return;
        }
        let game = self.state.game.as_ref();
        let moves = game.map_or(&[][..], |game| game.position.moves()).to_vec();
        let number = game.map(|game| game.number);
        let is_moot =
            |study: &Study| number != Some(study.game) || !moves.starts_with(&study.moves);
        self.end_studies(is_moot, AnalysisEnd::Moot, moment);
    }

    /// Ends those of a session that has left, without a word.
    pub(super) fn forget_studies(&mut self, session: SessionId, moment: &mut Moment<'_>) {
        let left = self.studies.extract_if(.., |study| study.session == session);
        moment.effects.extend(left.map(|study| Effect::CancelThinking(study.ticket)));
    }

    /// Ends all of them.
    pub(super) fn end_all_studies(&mut self, moment: &mut Moment<'_>) {
        self.end_studies(|_| true, AnalysisEnd::Stopped, moment);
    }

    fn end_studies(
        &mut self,
        which: impl Fn(&Study) -> bool,
        why: AnalysisEnd,
        moment: &mut Moment<'_>,
    ) {
        for study in self.studies.extract_if(.., |study| which(study)) {
            moment.effects.push(Effect::CancelThinking(study.ticket));
            let message = Message::AnalysisOver { room: self.code.clone(), of: study.of, why };
            moment.effects.push(Effect::Send { session: study.session, message });
        }
    }
}
