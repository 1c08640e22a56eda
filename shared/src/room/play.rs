//! What players do during a game: moves, resignation, draw offers and takebacks.
//!
//! Bots answer offers at once and always the same: no to a draw, yes to a takeback.

use crate::{
    protocol::{Event, MemberId, Reason, Refusal, RefusalValues},
    room::Game,
    rules::{Outcome, Point, Stone},
};

use super::{Moment, Room};

impl Room {
    pub(super) fn play(
        &mut self,
        member: &MemberId,
        ply: usize,
        point: Point,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        self.check_turn(member, ply)?;
        self.put_stone(point, false, moment)
    }

    /// The game in which it is this member's turn, and the one he means.
    pub(super) fn check_turn(&self, member: &MemberId, ply: usize) -> Result<&Game, Refusal> {
        let (seat, game) = self.playing(member)?;
        let due = game.position.ply();
        if ply != due {
            let values =
                RefusalValues { ply: Some(ply), due: Some(due), ..RefusalValues::default() };
            return Err(Refusal::with(Reason::StalePly, values));
        }
        if seat != game.position.turn() {
            return Err(Refusal::new(Reason::NotYourTurn));
        }
        Ok(game)
    }

    /// Makes the move of whoever is on turn, and ends the game if it does.
    pub(super) fn put_stone(
        &mut self,
        point: Point,
        assisted: bool,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let position = &self.running()?.position;
        position.legality(point)?;
        let ply = position.ply();
        let time = self.time_after_move(moment);
        self.log(Event::Played { ply, point, assisted, time }, moment);
        let game = self.state.game.as_ref();
        if let Some(outcome) = game.and_then(|game| game.position.outcome()).cloned() {
            self.log(Event::Ended { outcome }, moment);
        }
        Ok(())
    }

    pub(super) fn resign(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let (seat, _) = self.playing(member)?;
        let outcome = Outcome::Resignation { winner: seat.opponent() };
        self.log(Event::Ended { outcome }, moment);
        Ok(())
    }

    /// Offers a draw. When the opponent has offered one already, both want it.
    pub(super) fn offer_draw(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let (seat, game) = self.playing(member)?;
        match game.draw_offer {
            Some(by) if by == seat => Err(Refusal::new(Reason::AlreadyAsked)),
            Some(_) => self.accept_draw(member, moment),
            None => {
                self.log(Event::DrawOffered { by: seat }, moment);
                let opponent = seat.opponent();
                if self.bot_in(opponent).is_some() {
                    self.log(Event::DrawDeclined { by: opponent }, moment);
                }
                Ok(())
            }
        }
    }

    pub(super) fn accept_draw(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        self.offered_to(member, |game| game.draw_offer)?;
        self.log(Event::Ended { outcome: Outcome::Agreement }, moment);
        Ok(())
    }

    pub(super) fn decline_draw(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let by = self.offered_to(member, |game| game.draw_offer)?;
        self.log(Event::DrawDeclined { by }, moment);
        Ok(())
    }

    pub(super) fn ask_takeback(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let (seat, game) = self.playing(member)?;
        match game.takeback_ask {
            Some(by) if by == seat => {
                return Err(Refusal::new(Reason::AlreadyAsked));
            }
            Some(_) => {
                return Err(Refusal::new(Reason::AnswerFirst));
            }
            None => {}
        }
        let ply = last_ply_of(seat, game).ok_or_else(|| Refusal::new(Reason::NothingToTakeBack))?;
        self.log(Event::TakebackAsked { by: seat }, moment);
        if self.bot_in(seat.opponent()).is_some() {
            self.log(Event::TakenBack { ply }, moment);
        }
        Ok(())
    }

    pub(super) fn grant_takeback(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let by = self.offered_to(member, |game| game.takeback_ask)?;
        // A request lapses with the next move, so the move it means is still there.
        if let Some(ply) = last_ply_of(by.opponent(), self.running()?) {
            self.log(Event::TakenBack { ply }, moment);
        }
        Ok(())
    }

    pub(super) fn refuse_takeback(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let by = self.offered_to(member, |game| game.takeback_ask)?;
        self.log(Event::TakebackRefused { by }, moment);
        Ok(())
    }

    fn running(&self) -> Result<&Game, Refusal> {
        self.state.running().ok_or_else(|| Refusal::new(Reason::NoGame))
    }

    /// A player's seat, and the game he is playing.
    pub(super) fn playing(&self, member: &MemberId) -> Result<(Stone, &Game), Refusal> {
        Ok((self.seat_of(member)?, self.running()?))
    }

    /// The seat of a player to whom the opponent has made this offer.
    fn offered_to(
        &self,
        member: &MemberId,
        offer: impl Fn(&Game) -> Option<Stone>,
    ) -> Result<Stone, Refusal> {
        let (seat, game) = self.playing(member)?;
        if offer(game) == Some(seat.opponent()) {
            Ok(seat)
        } else {
            Err(Refusal::new(Reason::NoOffer))
        }
    }
}

/// The ply of this colour's last move; what follows it is the opponent's answer.
fn last_ply_of(stone: Stone, game: &Game) -> Option<usize> {
    let back = if game.position.turn() == stone { 2 } else { 1 };
    game.position.ply().checked_sub(back)
}
