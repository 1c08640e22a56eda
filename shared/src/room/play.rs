//! The players' actions during a game: moves, acts of the opening, resignation, draw offers and
//! takebacks.
//!
//! Bots reply to offers at once and always the same: no to a draw, yes to a takeback.

use crate::{
    clock::SideTime,
    opening::{Act, Change},
    protocol::{Event, MemberId, Reason, Refusal},
    room::Game,
    rules::{Outcome, Point},
    seat::Seat,
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

    /// The running game, if this member is on turn and means this ply.
    pub(super) fn check_turn(&self, member: &MemberId, ply: usize) -> Result<&Game, Refusal> {
        let (seat, game) = self.playing(member)?;
        let due = game.position.ply();
        if ply != due {
            return Err(Refusal::stale_ply(ply, due));
        }
        if game.to_act() != Some(seat) {
            return Err(Refusal::new(Reason::NotYourTurn));
        }
        Ok(game)
    }

    /// Plays a move for the seat to act, and ends the game if the move does.
    pub(super) fn put_stone(
        &mut self,
        point: Point,
        assisted: bool,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let game = self.running()?;
        opening_over(game)?;
        game.position.legality(point)?;
        let time = self.time_after_move(moment);
        self.log_stone(point, assisted, time, moment);
        Ok(())
    }

    /// Puts a legal stone for the seat to act. `time` is what that seat then has left.
    pub(super) fn log_stone(
        &mut self,
        point: Point,
        assisted: bool,
        time: Option<SideTime>,
        moment: &mut Moment<'_>,
    ) {
        let ply = self.state.running().map_or(0, |game| game.position.ply());
        self.log(Event::Played { ply, point, assisted, time }, moment);
        if let Some(outcome) = self.state.game.as_ref().and_then(Game::outcome) {
            self.end_game(outcome, moment);
        }
    }

    pub(super) fn choose(
        &mut self,
        member: &MemberId,
        ply: usize,
        act: &Act,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        self.check_turn(member, ply)?;
        self.make_act(act, moment)
    }

    /// Makes an act of the opening for the seat to act.
    pub(super) fn make_act(&mut self, act: &Act, moment: &mut Moment<'_>) -> Result<(), Refusal> {
        let game = self.running()?;
        let Some(by) = game.opening.to_act() else {
            return Err(Refusal::new(Reason::NotNow));
        };
        let (mut opening, mut position) = (game.opening.clone(), game.position.clone());
        let mut changes = opening.apply(&mut position, act)?;
        let last = changes.pop().expect("an act changes something");
        // After a selection the same seat puts the next stone: one move, for the clock.
        let time = match act {
            Act::Select(_) => None,
            Act::Put { .. } | Act::Take(_) | Act::Offer(_) => self.time_after_move(moment),
        };
        for change in changes {
            self.log_change(by, change, None, moment);
        }
        self.log_change(by, last, time, moment);
        self.log_ask(moment);
        Ok(())
    }

    fn log_change(
        &mut self,
        by: Seat,
        change: Change,
        time: Option<SideTime>,
        moment: &mut Moment<'_>,
    ) {
        let ply = self.state.game.as_ref().map_or(0, |game| game.position.ply());
        let event = match change {
            Change::Put(point) => Event::Played { ply, point, assisted: false, time },
            Change::Stay => Event::Stayed { by, time },
            Change::Swap => Event::Swapped { by, time },
            Change::Declare(count) => Event::Declared { by, count, time },
            Change::Offer(points) => Event::Offered { by, points, time },
        };
        self.log(event, moment);
    }

    /// Notes what the opening asks next, or that it is over; nothing in a free game.
    pub(super) fn log_ask(&mut self, moment: &mut Moment<'_>) {
        let Some(game) = self.state.running() else { return };
        if !game.opening.kind().is_free() {
            let event = game.ask().map_or(Event::OpeningOver {}, |ask| Event::Asked { ask });
            self.log(event, moment);
        }
    }

    pub(super) fn resign(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let (seat, _) = self.playing(member)?;
        let outcome = Outcome::Resignation { winner: seat.other() };
        self.end_game(outcome, moment);
        Ok(())
    }

    /// Offers a draw. If the opponent has already offered one, the game is drawn.
    pub(super) fn offer_draw(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let (seat, game) = self.playing(member)?;
        opening_over(game)?;
        match game.draw_offer {
            Some(by) if by == seat => Err(Refusal::new(Reason::AlreadyAsked)),
            Some(_) => self.accept_draw(member, moment),
            None => {
                self.log(Event::DrawOffered { by: seat }, moment);
                let opponent = seat.other();
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
        self.end_game(Outcome::Agreement, moment);
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
        opening_over(game)?;
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
        if self.bot_in(seat.other()).is_some() {
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
        if let Some(ply) = last_ply_of(by.other(), self.running()?) {
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

    /// The seat of a player to whom the opponent has made this offer.
    fn offered_to(
        &self,
        member: &MemberId,
        offer: impl Fn(&Game) -> Option<Seat>,
    ) -> Result<Seat, Refusal> {
        let (seat, game) = self.playing(member)?;
        if offer(game) == Some(seat.other()) {
            Ok(seat)
        } else {
            Err(Refusal::new(Reason::NoOffer))
        }
    }
}

/// Refuses what is not possible during an opening.
pub(super) fn opening_over(game: &Game) -> Result<(), Refusal> {
    if game.opening.is_over() { Ok(()) } else { Err(Refusal::new(Reason::OpeningRunning)) }
}

/// The ply of this seat's last move after the opening; a move after it is the opponent's reply.
fn last_ply_of(seat: Seat, game: &Game) -> Option<usize> {
    let back = if game.to_act() == Some(seat) { 2 } else { 1 };
    game.position.ply().checked_sub(back).filter(|&ply| ply >= game.opening.stones())
}
