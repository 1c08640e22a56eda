//! Seats players, and starts games.
//!
//! The first game starts as soon as both seats are taken. Each later one swaps the colours and
//! starts when both players want it: they ask for a rematch, sit down in a seat that became vacant
//! after a game, or are bots.
//!
//! A guest who is away before their first act has no claim to the seat, except in a daily game: whoever
//! sits down instead gets a new game, with the same colours.

use crate::{
    bot_spec::BotSpec,
    protocol::{Event, MemberId, Player, Reason, Refusal},
    rules::{Outcome, Rules},
    seat::Seat,
};

use super::{Member, Moment, Room, rated_or_casual::Terms};

/// Checks that a bot plays by these rules.
pub(super) fn offered(bot: BotSpec, rules: Rules) -> Result<(), Refusal> {
    bot.offered(rules).map_err(|error| Refusal::bot_not_offered(&error))
}

impl Room {
    pub(super) fn sit(
        &mut self,
        member: Member,
        engine: bool,
        seat: Option<Seat>,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        if self.state.seats.of_member(&member.id).is_some() {
            return Err(Refusal::new(Reason::AlreadySeated));
        }
        let open = self.state.open_seat(self.absent());
        let seat = match seat {
            Some(seat) if open == Some(seat) => seat,
            Some(seat) => self.vacant(seat)?,
            None => open.ok_or_else(|| Refusal::new(Reason::NoOpenSeat))?,
        };
        // Programs play for bots, whatever they say.
        let Member { id: member, name, bot, .. } = member;
        let player = Player::Member { member, name, engine: engine || bot };
        match self.state.running() {
            Some(game) => {
                let next = game.number + 1;
                self.end_game(Outcome::Aborted { by: Some(seat) }, moment);
                self.vacate(seat, moment);
                self.log(Event::Sat { seat, player }, moment);
                self.start(next, moment);
            }
            None => self.take_seat(seat, player, moment),
        }
        Ok(())
    }

    pub(super) fn stand(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let seat = self.seat_of(member)?;
        self.between_games()?;
        self.vacate(seat, moment);
        Ok(())
    }

    pub(super) fn seat_bot(
        &mut self,
        member: &MemberId,
        seat: Seat,
        bot: BotSpec,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        self.may_manage_bots(member)?;
        let seat = self.vacant(seat)?;
        offered(bot, self.state.rules)?;
        self.take_seat(seat, Player::Bot { bot }, moment);
        Ok(())
    }

    pub(super) fn remove_bot(
        &mut self,
        member: &MemberId,
        seat: Seat,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        self.may_manage_bots(member)?;
        if self.bot_in(seat).is_none() {
            return Err(Refusal::new(Reason::NoBot));
        }
        self.between_games()?;
        self.vacate(seat, moment);
        Ok(())
    }

    pub(super) fn rematch(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let seat = self.seat_of(member)?;
        self.between_games()?;
        match &self.state.game {
            None => Err(Refusal::new(Reason::NoGame)),
            Some(game) if [game.rematch_ask, game.rematch_ended].contains(&Some(seat)) => {
                Err(Refusal::new(Reason::AlreadyAsked))
            }
            Some(_) => {
                self.want_another(seat, moment);
                Ok(())
            }
        }
    }

    /// Ends the request for a rematch: the opponent declines it, or the asker withdraws it.
    pub(super) fn decline_rematch(
        &mut self,
        member: &MemberId,
        moment: &mut Moment<'_>,
    ) -> Result<(), Refusal> {
        let seat = self.seat_of(member)?;
        self.between_games()?;
        if self.state.game.as_ref().is_none_or(|game| game.rematch_ask.is_none()) {
            return Err(Refusal::new(Reason::NoOffer));
        }
        self.log(Event::RematchDeclined { by: seat }, moment);
        Ok(())
    }

    /// Seats a player in a vacant seat, and starts a game if nothing is missing.
    pub(super) fn take_seat(&mut self, seat: Seat, player: Player, moment: &mut Moment<'_>) {
        self.log(Event::Sat { seat, player }, moment);
        self.news.touch();
        if self.state.game.is_some() {
            self.want_another(seat, moment);
        } else if self.state.seats.vacant().is_none() {
            self.start(1, moment);
        }
    }

    /// Frees a seat between games.
    pub(super) fn vacate(&mut self, seat: Seat, moment: &mut Moment<'_>) {
        self.log(Event::Stood { seat }, moment);
        self.news.touch();
    }

    /// Notes that the player in this seat wants another game; it starts if the opponent does, too.
    fn want_another(&mut self, seat: Seat, moment: &mut Moment<'_>) {
        let Some(game) = &self.state.game else { return };
        let (number, asked) = (game.number, game.rematch_ask);
        let other = seat.other();
        let other_wants = self.bot_in(other).is_some() || asked == Some(other);
        if other_wants && self.state.seats.vacant().is_none() {
            self.start(number + 1, moment);
        } else if asked != Some(seat) {
            self.log(Event::RematchAsked { by: seat }, moment);
        }
    }

    fn start(&mut self, game: u32, moment: &mut Moment<'_>) {
        let (id, black) = (self.seeds.game_id(game), self.state.next_black());
        let Terms { rated, casual, part } = self.next_terms(game);
        self.log(Event::Started { game, black, id, rated, casual, part }, moment);
        self.log_ask(moment);
    }

    fn vacant(&self, seat: Seat) -> Result<Seat, Refusal> {
        match self.state.seats.get(seat) {
            Some(_) => Err(Reason::SeatTaken.into()),
            None => Ok(seat),
        }
    }

    fn between_games(&self) -> Result<(), Refusal> {
        match self.state.running() {
            Some(_) => Err(Refusal::new(Reason::GameRunning)),
            None => Ok(()),
        }
    }

    fn may_manage_bots(&self, member: &MemberId) -> Result<(), Refusal> {
        if self.state.host == *member || self.state.seats.of_member(member).is_some() {
            return Ok(());
        }
        Err(Refusal::new(Reason::NotAllowed))
    }
}
