//! What a room has to learn before it takes an input, and how it learns that: see `waiting.rs`.

use std::sync::Arc;

use fivefold_shared::{
    protocol::{Reason, Refusal, RoomCode, RoomRequest},
    room::Input,
};

use super::{
    actor::{Actor, RoomContext},
    route::Route,
    waiting::{Learned, Need},
};
use crate::{
    moderation::dealings::of_two,
    process::read_pool::ReadError,
    rooms::{
        daily_places::{may_take_place, own_positions},
        rated_positions::is_free,
    },
};

impl Actor {
    /// Takes an input of a session, or has it wait.
    pub(super) fn receive(&mut self, input: Input, route: &Route) {
        if self.waiting.is_empty() && self.need(&input).is_none() {
            self.act(input, route, Learned::Nothing);
        } else {
            self.waiting.inputs.push_back((input, route.clone()));
        }
    }

    /// Begins to look up what the first input needs.
    pub(super) fn look_up(&mut self) {
        while self.waiting.search.is_none() {
            let Some((input, _)) = self.waiting.inputs.front() else { return };
            match self.need(input) {
                // The storage has to know the last game.
                Some(Need::Game { dealings: Some(_), .. }) if !self.gate.is_settled() => return,
                Some(need) => {
                    let (context, code) = (Arc::clone(&self.context), self.code().clone());
                    self.waiting.search = Some(Box::pin(async move {
                        let found = search(&context, code, &need).await;
                        (need, found)
                    }));
                }
                None => self.take_waiting(Learned::Nothing),
            }
        }
    }

    /// The first input has what it needs, unless it needs something else by now.
    pub(super) fn learn(&mut self, need: &Need, found: Learned) {
        let first = self.waiting.inputs.front();
        if first.is_some_and(|(input, _)| self.need(input).as_ref() == Some(need)) {
            self.take_waiting(found);
        }
    }

    fn take_waiting(&mut self, found: Learned) {
        if let Some((input, route)) = self.waiting.inputs.pop_front() {
            self.act(input, &route, found);
        }
    }

    /// What the room has to learn before it takes an input.
    fn need(&self, input: &Input) -> Option<Need> {
        let Input::Command { session, request, .. } = input else { return None };
        let moves = self.asked_position(request);
        let sits = matches!(request, RoomRequest::Sit { .. } | RoomRequest::SitAsEngine { .. });
        let may_need = moves.is_some() || sits || *request == RoomRequest::Rematch;
        if !may_need || self.is_answered(input) {
            return None;
        }
        if let Some(moves) = moves {
            let member = self.room.member(*session)?.clone();
            return (!is_free(&moves)).then_some(Need::Help { moves, member });
        }
        let next_rated = self.next_rated(*session, sits);
        let dealings = next_rated.and_then(|_| self.room.rated_players().cloned());
        let place = self.needs_place(*session);
        (dealings.is_some() || place.is_some()).then_some(Need::Game { place, dealings })
    }
}

async fn search(context: &RoomContext, code: RoomCode, need: &Need) -> Learned {
    match need {
        Need::Help { moves, member } => {
            let own = match own_positions(&context.read_pool, member.clone()).await {
                Ok(own) => own,
                Err(refusal) => return Learned::Refused(refusal),
            };
            if !context.rated.needs_search(moves, &own) {
                return Learned::Nothing;
            }
            let (rated, moves) = (Arc::clone(&context.rated), moves.clone());
            match context.blocking.call(move || rated.may_help(&moves, &own)).await {
                Some(Ok(())) => Learned::Nothing,
                Some(Err(refusal)) => Learned::Refused(refusal),
                None => Learned::Refused(Refusal::new(Reason::Broken)),
            }
        }
        Need::Game { place, dealings } => {
            if let Some(member) = place
                && let Err(refusal) =
                    may_take_place(&context.read_pool, member.clone(), Some(code)).await
            {
                return Learned::Refused(refusal);
            }
            let Some(players) = dealings else { return Learned::Nothing };
            let (read_pool, now) = (Arc::clone(&context.read_pool), context.clock.now());
            let shortest = context.limits.room.rematch_after;
            match of_two(read_pool, players.clone(), now, shortest).await {
                Ok(dealings) => Learned::Dealings(dealings),
                // Nobody knows how the game would count.
                Err(error) => Learned::Refused(ReadError::from(error).into()),
            }
        }
    }
}
