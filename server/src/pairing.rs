//! Pairs people who seek a game: a plain value, without sockets, clock or randomness of its own. It
//! takes the time and an input, and returns effects.
//!
//! A seek is news: it lives here and nowhere else. It belongs to a session and to the command that
//! began it, and waits in a queue with all seeks for the same games. A pair is made in one step, which
//! takes all seeks of both players out of their queues; they come back only if no room can be made.
//!
//! In a cluster the nodes of the sessions repeat their seeks, so that nothing is lost with this value:
//! `repeats.rs`. It does not know how rooms are made, and who is in a running game: that is for the one
//! who applies.

mod challenges;
mod declines;
mod games;
mod history;
mod input;
mod matching;
mod not_allowed;
pub mod pools;
mod repeats;
mod standing;
pub(crate) mod task;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, HashMap, VecDeque};

use fivefold_shared::{
    clock::millis,
    protocol::{
        CommandId, GameSettings, MemberId, OpenSeek, Reason, Refusal, RefusalValues, RoomCode,
        SeekEnd, SeekId, Wanted,
    },
    room::{SessionId, Terms},
    seat::{BySeat, Seat},
};
use fivefold_storage::NodeId;

use self::{
    declines::Declines,
    games::{PairedGames, Waited},
    history::Histories,
    matching::{Candidate, GOOD_SCORE, Queues, score},
    standing::{Aim, FoundGame, Pair, Seek, SeekNumber, Side, Standing},
};
pub use self::{
    input::{
        Answer, Challenger, Effect, Input, NewPair, PairNumber, Rating, SeekAim, Seeker,
        StandingSeek,
    },
    matching::rating_window,
};
use crate::{
    limits::{
        CHALLENGE_STANDS, LOBBY_SEEKS_MAX, POOL_WAITS_KEPT, POOL_WAITS_OF, SEEK_KEPT, SEEKS_MAX,
        SEEKS_PER_MEMBER_MAX,
    },
    moderation::dealings::OwnDealings,
    pairing::pools::Pools,
};

/// Everybody who seeks a game, and what pairing remembers of the players.
#[derive(Debug)]
pub struct Pairing {
    pools: Pools,
    /// The node that pairs. Seeks of sessions at other nodes end if those do not repeat them.
    node: NodeId,
    /// All seeks and challenges, the oldest first.
    seeks: BTreeMap<SeekNumber, Seek>,
    by_id: HashMap<SeekId, SeekNumber>,
    by_command: HashMap<(MemberId, CommandId), SeekNumber>,
    members: HashMap<MemberId, Standing>,
    queues: Queues,
    /// The pairs whose rooms are being made.
    pairs: BTreeMap<PairNumber, Pair>,
    seeks_begun: u64,
    pairs_begun: u64,
    games: PairedGames,
    histories: Histories,
    /// The challenges to each member, as they began.
    challenged: HashMap<MemberId, Vec<SeekNumber>>,
    declines: Declines,
    /// How long each pool's last players waited, and when they were paired.
    pool_waits: Vec<VecDeque<(u64, u64)>>,
}

impl Pairing {
    /// Nobody seeks yet.
    pub fn new(pools: Pools) -> Self {
        Self::at(NodeId::ALONE, pools)
    }

    /// The same for this node of a cluster.
    pub(crate) fn at(node: NodeId, pools: Pools) -> Self {
        let pool_waits = pools.as_slice().iter().map(|_| VecDeque::new()).collect();
        Self {
            pools,
            node,
            seeks: BTreeMap::new(),
            by_id: HashMap::new(),
            by_command: HashMap::new(),
            members: HashMap::new(),
            queues: Queues::default(),
            pairs: BTreeMap::new(),
            seeks_begun: 0,
            pairs_begun: 0,
            games: PairedGames::default(),
            histories: Histories::default(),
            challenged: HashMap::new(),
            declines: Declines::default(),
            pool_waits,
        }
    }

    /// Takes an input at a time, in milliseconds since the Unix epoch.
    pub fn apply(&mut self, now: u64, input: Input) -> Vec<Effect> {
        let mut effects = Vec::new();
        match input {
            Input::Seek { by, id, wanted } => {
                self.begin(now, by, id, SeekAim::Anybody(wanted), &mut effects);
            }
            Input::Challenge { by, id, to, settings } => {
                self.begin(now, by, id, SeekAim::Member { to, settings }, &mut effects);
            }
            Input::Stands(seek) => self.stand(now, seek, &mut effects),
            Input::Accept { by, seek } => self.accept(now, by, &seek, &mut effects),
            Input::Decline { member, is_bot, session, command, seek } => {
                let answer = self.decline(now, &member, is_bot, &seek, &mut effects);
                effects.push(Effect::Answer { session, command, answer });
            }
            Input::Cancel { member, session, command, seek } => {
                let answer = self.cancel(&member, session, &seek, &mut effects);
                effects.push(Effect::Answer { session, command, answer });
            }
            Input::Gone { member, session } => self.note_gone(now, &member, session),
            Input::NodeGone(node) => self.note_node_gone(now, node),
            Input::Playing { member, room, seat } => {
                let found = FoundGame { room: &room, seat, rated: None };
                self.end_seeks(&member, found, None, &mut effects);
            }
            Input::Made { pair, room } => self.made(now, pair, &room, &mut effects),
            Input::NotMade { pair, refusal } => self.not_made(pair, &refusal, &mut effects),
            Input::NotAllowed { pair, refusals } => {
                self.not_allowed(pair, refusals, &mut effects);
            }
            Input::NotFree { pair, playing } => self.not_free(pair, &playing, &mut effects),
            Input::GameOver { room, aborted_by } => self.game_over(now, &room, aborted_by.as_ref()),
            Input::Tick => self.tick(now, &mut effects),
        }
        effects
    }

    /// Whether a room is being made for this member.
    pub fn is_being_paired(&self, member: &MemberId) -> bool {
        self.members.get(member).is_some_and(|standing| standing.pair.is_some())
    }

    /// Whether this command has begun a seek that stands.
    pub fn knows(&self, member: &MemberId, command: &CommandId) -> bool {
        self.by_command.contains_key(&(member.clone(), command.clone()))
    }

    /// Whether this seek or challenge stands.
    pub(crate) fn has(&self, seek: &SeekId) -> bool {
        self.by_id.contains_key(seek)
    }

    /// How many seeks and challenges stand.
    pub fn count(&self) -> usize {
        self.seeks.len()
    }

    /// The pools.
    pub const fn pools(&self) -> &Pools {
        &self.pools
    }

    /// How many people wait in each pool.
    pub fn waiting(&self) -> Vec<usize> {
        let mut waiting = vec![0; self.pools.as_slice().len()];
        for seek in self.seeks.values().filter(|seek| self.is_open(seek)) {
            if let Aim::Pool(pool) = seek.aim {
                waiting[pool] += 1;
            }
        }
        waiting
    }

    /// How long the pool's players of the last hour waited: the median, in milliseconds.
    pub fn median_wait(&self, now: u64, pool: usize) -> Option<u64> {
        let since = now.saturating_sub(millis(POOL_WAITS_OF));
        let recent = self.pool_waits[pool].iter().filter(|(at, _)| *at >= since);
        let mut waits: Vec<u64> = recent.map(|(_, wait)| *wait).collect();
        waits.sort_unstable();
        waits.get(waits.len() / 2).copied()
    }

    /// The oldest of the seeks that anybody may accept.
    pub fn open_seeks(&self) -> Vec<OpenSeek> {
        let is_listed = |seek: &&Seek| matches!(seek.aim, Aim::Anybody) && self.is_open(seek);
        self.seeks.values().filter(is_listed).take(LOBBY_SEEKS_MAX).map(Seek::to_open).collect()
    }

    /// What somebody seeks, with the game.
    fn aim(&self, aim: SeekAim) -> Result<(Aim, GameSettings), Refusal> {
        match aim {
            SeekAim::Anybody(Wanted::Pool(name)) => {
                let pools = self.pools.as_slice();
                let pool = pools.iter().position(|pool| pool.name == name);
                pool.map(|pool| (Aim::Pool(pool), pools[pool].settings))
                    .ok_or_else(|| Refusal::new(Reason::NoSuchPool))
            }
            SeekAim::Anybody(Wanted::Settings(settings)) => Ok((Aim::Anybody, settings)),
            SeekAim::Member { to, settings } => Ok((Aim::Member(to), settings)),
        }
    }

    /// Begins a seek or a challenge, or goes on with the one that the same command has begun.
    fn begin(&mut self, now: u64, by: Seeker, id: SeekId, aim: SeekAim, effects: &mut Vec<Effect>) {
        let key = (by.member.clone(), by.command.clone());
        let number = match self.by_command.get(&key) {
            Some(&number) => {
                self.move_to(now, number, &by, now);
                number
            }
            None => match self.admitted(now, &by, aim) {
                Ok((aim, settings)) => {
                    if let Aim::Member(to) = &aim {
                        let has_place = self.make_place(&by, to, effects);
                        assert!(has_place, "the challenge was admitted");
                    }
                    self.add(now, by, id, aim, settings)
                }
                Err(refusal) => {
                    effects.push(Effect::refused(&by, refusal));
                    return;
                }
            },
        };
        let seek = &self.seeks[&number];
        let answer = Answer::Seeking { seek: seek.id.clone(), waited_ms: seek.waited_ms(now) };
        let (session, command) = (seek.by.session, seek.by.command.clone());
        effects.push(Effect::Answer { session, command, answer });
        self.announce(now, number, effects);
        self.queue(number);
        self.pair_at_once(now, number, effects);
    }

    /// What somebody seeks, with the game, if they may.
    fn admitted(
        &self,
        now: u64,
        by: &Seeker,
        aim: SeekAim,
    ) -> Result<(Aim, GameSettings), Refusal> {
        let (aim, settings) = self.aim(aim)?;
        let is_offered = settings.opening.offered(settings.rules);
        is_offered.map_err(|error| Refusal::opening_not_offered(&error))?;
        if settings.rated {
            settings.rating_pool()?;
            // Guests play in all pools; their games are casual.
            if !matches!(aim, Aim::Pool(_)) {
                by.may_be_rated()?;
            }
        }
        if let Aim::Member(to) = &aim {
            self.may_challenge(now, by, to)?;
        }
        self.may_play(now, &by.member)?;
        let own = self.members.get(&by.member).map_or(0, |standing| standing.seeks.len());
        if own >= SEEKS_PER_MEMBER_MAX {
            return Err(Refusal::new(Reason::TooManySeeks));
        }
        if self.seeks.len() >= SEEKS_MAX {
            return Err(Refusal::new(Reason::ServerFull));
        }
        Ok((aim, settings))
    }

    /// Whether a member is paired at all: not for a while, after they left several games before those
    /// began.
    fn may_play(&self, now: u64, member: &MemberId) -> Result<(), Refusal> {
        let paused_until = self.histories.paused_until(member);
        if paused_until <= now {
            return Ok(());
        }
        let wait_ms = Some(paused_until - now);
        let values = RefusalValues { wait_ms, ..RefusalValues::default() };
        Err(Refusal::with(Reason::TooManyAborts, values))
    }

    fn add(
        &mut self,
        now: u64,
        by: Seeker,
        id: SeekId,
        aim: Aim,
        settings: GameSettings,
    ) -> SeekNumber {
        self.seeks_begun += 1;
        let number = SeekNumber(self.seeks_begun);
        let key = (by.member.clone(), by.command.clone());
        let waited_before_ms = self.games.take_wait(&key);
        self.members.entry(by.member.clone()).or_default().seeks.push(number);
        self.by_id.insert(id.clone(), number);
        self.by_command.insert(key, number);
        if let Aim::Member(to) = &aim {
            self.note_challenge(number, to);
        }
        let seek = Seek {
            id,
            by,
            aim,
            settings,
            since: now,
            asked_at: now,
            repeated_at: now,
            waited_before_ms,
            gone_at: None,
        };
        self.seeks.insert(number, seek);
        number
    }

    /// The member has repeated the command of a seek, maybe over another session.
    fn move_to(&mut self, now: u64, number: SeekNumber, by: &Seeker, asked_at: u64) {
        let session = by.session;
        let Some(seek) = self.seeks.get_mut(&number) else { return };
        seek.by.session = session;
        seek.by.blocked.clone_from(&by.blocked);
        seek.asked_at = seek.asked_at.max(asked_at);
        seek.repeated_at = now;
        seek.gone_at = None;
        let pair = self.members.get(&seek.by.member).and_then(|standing| standing.pair);
        if let Some(pair) = pair.and_then(|pair| self.pairs.get_mut(&pair)) {
            for seat in Seat::BOTH {
                let side = &mut pair.sides[seat];
                if side.own == Some(number) {
                    side.by.session = session;
                }
            }
        }
    }

    /// Whether the seek can be paired or accepted now.
    fn is_open(&self, seek: &Seek) -> bool {
        seek.gone_at.is_none() && !self.is_being_paired(&seek.by.member)
    }

    /// Whether the seek waits in a queue. A challenge does not.
    fn is_queued(&self, seek: &Seek) -> bool {
        match seek.aim {
            Aim::Pool(_) | Aim::Anybody => self.is_open(seek),
            Aim::Member(_) => false,
        }
    }

    /// Puts a seek into its queue, or takes it out, as its state wants.
    fn queue(&mut self, number: SeekNumber) {
        let Some(seek) = self.seeks.get(&number) else { return };
        let place = (seek.by.rating.value, number);
        if self.is_queued(seek) {
            self.queues.insert(seek.settings, place);
        } else {
            self.queues.remove(&seek.settings, place);
        }
    }

    /// Removes a seek that is over.
    fn remove(&mut self, number: SeekNumber) -> Option<Seek> {
        let seek = self.seeks.remove(&number)?;
        self.queues.remove(&seek.settings, (seek.by.rating.value, number));
        if let Aim::Member(to) = &seek.aim {
            self.forget_challenge(number, to);
        }
        self.by_id.remove(&seek.id);
        self.by_command.remove(&(seek.by.member.clone(), seek.by.command.clone()));
        if let Some(standing) = self.members.get_mut(&seek.by.member) {
            standing.seeks.retain(|own| *own != number);
        }
        self.forget_idle(&seek.by.member);
        Some(seek)
    }

    fn forget_idle(&mut self, member: &MemberId) {
        if self.members.get(member).is_some_and(Standing::is_idle) {
            self.members.remove(member);
        }
    }

    fn candidate(&self, number: SeekNumber) -> Candidate<'_> {
        let seek = &self.seeks[&number];
        Candidate { number, seek, history: self.histories.get(&seek.by.member) }
    }

    /// Pairs a seek that has just begun, or come back, with the best of those around it, if they fit
    /// well.
    fn pair_at_once(&mut self, now: u64, number: SeekNumber, effects: &mut Vec<Effect>) {
        let Some(seek) = self.seeks.get(&number).filter(|seek| self.is_queued(seek)) else {
            return;
        };
        let place = (seek.by.rating.value, number);
        let own = self.candidate(number);
        let around = self.queues.around(&seek.settings, place);
        let scored = around.into_iter().filter_map(|(_, other)| {
            score(now, &own, &self.candidate(other)).map(|score| (score, other))
        });
        if let Some((score, other)) = scored.min()
            && score <= GOOD_SCORE
        {
            self.pair(now, other, number, effects);
        }
    }

    /// Pairs all who can be paired, those who fit best first.
    fn round(&mut self, now: u64, effects: &mut Vec<Effect>) {
        let mut pairs = Vec::new();
        for queue in self.queues.with_company() {
            let waiting: Vec<_> = queue.map(|(_, number)| self.candidate(number)).collect();
            matching::pairs(now, &waiting, &mut pairs);
        }
        for (one, other) in pairs {
            let waits = |number| self.seeks.get(&number).is_some_and(|seek| self.is_open(seek));
            if waits(one) && waits(other) {
                self.pair(now, one, other, effects);
            }
        }
    }

    fn pair(&mut self, now: u64, one: SeekNumber, other: SeekNumber, effects: &mut Vec<Effect>) {
        let settings = self.seeks[&one].settings;
        let sides = [one, other].map(|number| self.seeks[&number].to_side(now, number));
        self.begin_pair(sides, settings, effects);
    }

    /// Takes all seeks of both out of their queues, and has a room made.
    fn begin_pair(
        &mut self,
        [one, other]: [Side; 2],
        settings: GameSettings,
        effects: &mut Vec<Effect>,
    ) {
        let number = PairNumber(self.pairs_begun);
        let is_even = self.pairs_begun.is_multiple_of(2);
        self.pairs_begun += 1;
        for member in [&one.by.member, &other.by.member] {
            let standing = self.members.entry(member.clone()).or_default();
            assert!(standing.pair.is_none(), "a member is in one pair at a time");
            standing.pair = Some(number);
            for seek in standing.seeks.clone() {
                self.queue(seek);
            }
        }
        let one_first = self.histories.is_first(&one.by.member, &other.by.member, is_even);
        let (first, second) = if one_first { (one, other) } else { (other, one) };
        let players = BySeat { first: first.by.clone(), second: second.by.clone() };
        let Terms { rated, casual, part } = terms(&settings, &players);
        let settings = if rated { settings } else { settings.casual() };
        let waited_ms = BySeat { first: first.waited_ms, second: second.waited_ms };
        self.pairs
            .insert(number, Pair { sides: BySeat { first, second }, is_rated: settings.rated });
        let pair = NewPair { number, settings, players, waited_ms, casual, part };
        effects.push(Effect::Make(Box::new(pair)));
    }

    fn accept(&mut self, now: u64, by: Seeker, seek: &SeekId, effects: &mut Vec<Effect>) {
        if let Some(pair) = self.members.get(&by.member).and_then(|standing| standing.pair) {
            // The same command again is answered when the room is made.
            let pair = self.pairs.get_mut(&pair).expect("a member's pair is being made");
            for seat in Seat::BOTH {
                let side = &mut pair.sides[seat];
                let is_accepting = side.own.is_none() && side.by.member == by.member;
                if is_accepting && side.by.command == by.command {
                    side.by.session = by.session;
                    return;
                }
            }
            effects.push(Effect::refused(&by, Refusal::new(Reason::Busy)));
            return;
        }
        match self.may_accept(now, &by, seek) {
            Ok(number) => {
                let wanted = &self.seeks[&number];
                let (seek, waited_ms, own, pool) = (wanted.id.clone(), 0, None, None);
                let side = Side { by, seek, waited_ms, own, pool };
                let sides = [wanted.to_side(now, number), side];
                self.begin_pair(sides, wanted.settings, effects);
            }
            Err(refusal) => effects.push(Effect::refused(&by, refusal)),
        }
    }

    fn may_accept(&self, now: u64, by: &Seeker, seek: &SeekId) -> Result<SeekNumber, Refusal> {
        let over = || Refusal::new(Reason::NoSuchSeek);
        let number = *self.by_id.get(seek).ok_or_else(over)?;
        let seek = &self.seeks[&number];
        if seek.by.member == by.member {
            return Err(Refusal::new(Reason::OwnSeek));
        }
        let is_theirs = match &seek.aim {
            Aim::Anybody => true,
            Aim::Member(to) => *to == by.member,
            Aim::Pool(_) => false,
        };
        if !is_theirs || !self.is_open(seek) || seek.by.is_apart_from(by) {
            return Err(over());
        }
        if seek.settings.time.is_daily()
            && let Some(most) = by.daily_most
        {
            return Err(Refusal::at_most(Reason::TooManyDailyGames, most));
        }
        if seek.settings.rated {
            by.may_be_rated()?;
            if by.is_related_to(&seek.by) {
                return Err(Refusal::new(Reason::OwnBot));
            }
        }
        self.may_play(now, &by.member).map(|()| number)
    }

    fn cancel(
        &mut self,
        member: &MemberId,
        session: SessionId,
        seek: &SeekId,
        effects: &mut Vec<Effect>,
    ) -> Answer {
        let Some(&number) = self.by_id.get(seek) else { return Answer::Done };
        if self.seeks[&number].by.member != *member {
            return Answer::Refused(Refusal::new(Reason::NoSuchSeek));
        }
        self.end(number, SeekEnd::Cancelled, Some(session), effects);
        Answer::Done
    }

    /// Ends a seek without a game. The session `except` knows it already.
    fn end(
        &mut self,
        number: SeekNumber,
        why: SeekEnd,
        except: Option<SessionId>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(Seek { id, by, aim, .. }) = self.remove(number) else { return };
        if except != Some(by.session) {
            effects.push(Effect::Over { session: by.session, seek: id.clone(), why });
        }
        if let Aim::Member(to) = aim {
            effects.push(Effect::ChallengeOver { to, seek: id, why, except: None });
        }
    }

    fn note_gone(&mut self, now: u64, member: &MemberId, session: SessionId) {
        let Some(standing) = self.members.get(member) else { return };
        for number in standing.seeks.clone() {
            if let Some(seek) = self.seeks.get_mut(&number)
                && seek.by.session == session
                && seek.gone_at.is_none()
            {
                seek.gone_at = Some(now);
                self.queue(number);
            }
        }
    }

    /// Ends all seeks of a member who plays in this room. The session `paired` knows the game.
    fn end_seeks(
        &mut self,
        member: &MemberId,
        FoundGame { room, seat, rated }: FoundGame<'_>,
        paired: Option<&Side>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(standing) = self.members.get(member) else { return };
        let mut informed: Vec<SessionId> = paired.iter().map(|side| side.by.session).collect();
        for number in standing.seeks.clone() {
            if paired.is_some_and(|side| side.own == Some(number)) {
                self.remove(number);
                continue;
            }
            let session = self.seeks[&number].by.session;
            self.end(number, SeekEnd::Cancelled, None, effects);
            if !informed.contains(&session) {
                informed.push(session);
                let room = room.clone();
                effects.push(Effect::Paired { session, seek: None, room, seat, rated });
            }
        }
    }

    /// A pair's room is stored.
    fn made(&mut self, now: u64, number: PairNumber, room: &RoomCode, effects: &mut Vec<Effect>) {
        let Some(Pair { sides, is_rated }) = self.pairs.remove(&number) else { return };
        let rated = Some(is_rated);
        for seat in Seat::BOTH {
            let side = &sides[seat];
            let (session, command) = (side.by.session, side.by.command.clone());
            if side.own.is_none() {
                effects.push(Effect::Answer { session, command, answer: Answer::Done });
            }
            let seek = Some(side.seek.clone());
            effects.push(Effect::Paired { session, seek, room: room.clone(), seat, rated });
            if let Some(pool) = side.pool {
                let waits = &mut self.pool_waits[pool];
                if waits.len() >= POOL_WAITS_KEPT {
                    waits.pop_front();
                }
                waits.push_back((now, side.waited_ms));
            }
            // Other sessions of the challenged person.
            let other = &sides[seat.other()];
            if let Some(Aim::Member(to)) =
                side.own.and_then(|own| self.seeks.get(&own)).map(|seek| &seek.aim)
            {
                self.declines.forget(to, &side.by);
                let (to, seek) = (to.clone(), side.seek.clone());
                let (why, except) = (SeekEnd::Cancelled, Some(other.by.session));
                effects.push(Effect::ChallengeOver { to, seek, why, except });
            }
            self.end_seeks(&side.by.member, FoundGame { room, seat, rated }, Some(side), effects);
            if let Some(standing) = self.members.get_mut(&side.by.member) {
                standing.pair = None;
            }
            self.forget_idle(&side.by.member);
        }
        self.histories.note_pair(now, &sides.first.by.member, &sides.second.by.member);
        self.games.begin(now, room.clone(), sides);
    }

    /// No room can be made for a pair: both go on with their seeks.
    fn not_made(&mut self, number: PairNumber, refusal: &Refusal, effects: &mut Vec<Effect>) {
        let Some(Pair { sides, .. }) = self.pairs.remove(&number) else { return };
        for seat in Seat::BOTH {
            let Side { by, own, .. } = &sides[seat];
            if own.is_none() {
                effects.push(Effect::refused(by, refusal.clone()));
            }
            self.release(&by.member);
        }
    }

    /// The players of a pair who are in another game get that one, and the other goes on.
    fn not_free(
        &mut self,
        number: PairNumber,
        playing: &BySeat<Option<(RoomCode, Seat)>>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(Pair { sides, .. }) = self.pairs.remove(&number) else { return };
        for seat in Seat::BOTH {
            let side = &sides[seat];
            let (session, command) = (side.by.session, side.by.command.clone());
            self.release(&side.by.member);
            let accepts = side.own.is_none();
            match &playing[seat] {
                Some((room, seat)) => {
                    if accepts {
                        effects.push(Effect::Answer { session, command, answer: Answer::Done });
                        let (seek, room, seat, rated) = (None, room.clone(), *seat, None);
                        effects.push(Effect::Paired { session, seek, room, seat, rated });
                    }
                    let informed = accepts.then_some(side);
                    let found = FoundGame { room, seat: *seat, rated: None };
                    self.end_seeks(&side.by.member, found, informed, effects);
                }
                None if accepts => {
                    effects.push(Effect::refused(&side.by, Refusal::new(Reason::NoSuchSeek)));
                }
                None => {}
            }
        }
    }

    /// The member is in no pair any more, and goes on with their seeks.
    fn release(&mut self, member: &MemberId) {
        if let Some(standing) = self.members.get_mut(member) {
            standing.pair = None;
            for number in standing.seeks.clone() {
                self.queue(number);
            }
        }
        self.forget_idle(member);
    }

    fn game_over(&mut self, now: u64, room: &RoomCode, aborted_by: Option<&MemberId>) {
        let Some(BySeat { first, second }) = self.games.end(room) else {
            if let Some(member) = aborted_by {
                self.histories.note_end(now, member, true);
            }
            return;
        };
        if aborted_by.is_some() {
            self.histories.forget_seats(&first.member, &second.member);
        }
        for player in [first, second] {
            let is_mark = aborted_by == Some(&player.member);
            self.histories.note_end(now, &player.member, is_mark);
            if aborted_by.is_some() && !is_mark {
                self.give_back(now, player);
            }
        }
    }

    /// The seek of a player whose opponent left goes on with the time that it has waited.
    fn give_back(&mut self, now: u64, player: Waited) {
        let key = (player.member.clone(), player.command.clone());
        // They may have repeated it before the node of the room reports the end.
        let standing = self.by_command.get(&key).and_then(|number| self.seeks.get_mut(number));
        if let Some(seek) = standing {
            seek.waited_before_ms += player.waited_ms;
        } else {
            self.games.keep_wait(now, player);
        }
    }

    fn tick(&mut self, now: u64, effects: &mut Vec<Effect>) {
        let over = self.seeks.iter().filter_map(|(number, seek)| {
            if self.is_being_paired(&seek.by.member) {
                return None;
            }
            if seek.gone_at.is_some_and(|gone_at| now >= gone_at + millis(SEEK_KEPT)) {
                return Some((*number, SeekEnd::Gone));
            }
            match seek.aim {
                Aim::Member(_) if now >= seek.since + millis(CHALLENGE_STANDS) => {
                    Some((*number, SeekEnd::Expired))
                }
                Aim::Member(_) | Aim::Pool(_) | Aim::Anybody => None,
            }
        });
        for (number, why) in over.collect::<Vec<_>>() {
            self.end(number, why, None, effects);
        }
        self.drop_unrepeated(now, effects);
        self.histories.forget_old(now);
        self.games.forget_old(now);
        self.round(now, effects);
    }
}

/// How a game of these two counts that was to be played so.
fn terms(settings: &GameSettings, players: &BySeat<Seeker>) -> Terms {
    let BySeat { first, second } = players;
    if !settings.rated || [first, second].iter().any(|by| by.may_be_rated().is_err()) {
        return Terms::CASUAL;
    }
    let [one, other] = [first, second].map(|by| (&by.member, &by.dealings));
    Terms::of(OwnDealings::between(one, other))
}
