//! A model of a storage, for tests: in memory, and as simple as it can be.

mod accounts;
mod collections;
mod collections_reader;
mod daily_reader;
mod daily_seats;
mod dealings;
mod dealings_reader;
mod email_reader;
mod examination;
mod examination_reader;
mod friends;
mod friends_reader;
mod hook;
mod moderation;
mod moderation_reader;
mod notes;
mod notes_reader;
mod pushes;
mod pushes_reader;
mod puzzle_reader;
mod puzzles;
mod ratings;
mod registry;
mod times_off;
mod times_off_reader;

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use fivefold_shared::{
    note::Note,
    protocol::{ChallengesFrom, GameId, MemberId, Name, RoomCode, Visibility},
    rating_pool::RatingPool,
    record::{FinishedGame, GameList, GameSummary, ListedGame, Record},
    room::{Cause, Entry},
    seat::{BySeat, Seat},
};

pub use self::hook::{Call, Hook};
use self::{
    accounts::{Accounts, Members},
    collections::Collections,
    daily_seats::DailyPlaces,
    dealings::Traces,
    examination::Examinations,
    friends::Friends,
    moderation::Moderation,
    notes::Notes,
    pushes::Pushes,
    puzzles::StoredPuzzles,
    ratings::StoredRatings,
    times_off::TimesOff,
};
use super::{
    Account, AccountChange, AccountChanged, AccountKeys, AccountSession, AccountStep, ApiToken,
    Append, Appended, Claimed, CollectionChange, CollectionChanged, Conflict, DiskSpace, Epoch,
    GameQuery, IdentityHash, KeyHash, KeyStep, KnownMember, Leaderboard, LeaderboardQuery,
    MemberRatings, ModerationChange, ModerationChanged, NowPlaying, OldName, Passkey, Playing,
    PushChange, PushChanged, PuzzleAttempt, PuzzleCounted, RatingChange, SanctionKind, Sleep,
    Standing, Storage, StorageError, StorageReader, Undone, accounts::DELETED_NAME,
    deleted_players,
};
use crate::{limits::STANDING_GAMES_MAX, node_id::NodeId, registry::NodeReport};

/// The open rooms, the finished games and the members, in memory. A clone is another handle of the same
/// process. When nodes have joined it as their [`Registry`](crate::Registry), they share it as a cluster, and rooms
/// belong to nodes and not to processes.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    /// Held for one call.
    tables: Arc<Mutex<Tables>>,
    /// Which process owns the rooms that are created or claimed by this handle.
    process: u64,
    hook: Option<Arc<dyn Hook>>,
}

#[derive(Debug, Default)]
struct Tables {
    /// The last process that has opened the storage.
    process: u64,
    /// All nodes that have joined.
    nodes: BTreeMap<NodeId, Node>,
    rooms: HashMap<RoomCode, OpenRoom>,
    /// The open room that each command made.
    made: HashMap<Cause, RoomCode>,
    /// Who plays in a room of paired players, and where.
    playing: HashMap<MemberId, (RoomCode, Seat)>,
    /// Codes claimed before their room was stored: the room can no longer be created.
    void: HashSet<RoomCode>,
    /// Oldest first.
    games: Vec<FinishedGame>,
    members: HashMap<MemberId, KnownMember>,
    /// From whom members take challenges, if not from everybody.
    challenges_from: HashMap<MemberId, ChallengesFrom>,
    /// Members whose identity was replaced.
    renewed: HashSet<MemberId>,
    accounts: Accounts,
    moderation: Moderation,
    examinations: Examinations,
    friends: Friends,
    notes: Notes,
    times_off: TimesOff,
    collections: Collections,
    pushes: Pushes,
    traces: Traces,
    ratings: StoredRatings,
    puzzles: StoredPuzzles,
}

#[derive(Debug, Default)]
struct Node {
    heartbeat: u64,
    report: NodeReport,
    is_dead: bool,
}

#[derive(Debug)]
struct OpenRoom {
    /// The owner's process.
    process: u64,
    /// The owner's node.
    node: NodeId,
    epoch: Epoch,
    log: Vec<Entry>,
    /// The players of a running game, in a room of paired players.
    players: Option<Box<BySeat<MemberId>>>,
    /// In a room that sleeps.
    sleep: Option<Box<Sleep>>,
    daily: DailyPlaces,
}

impl Memory {
    /// Opens the same storage as the next process would: it owns no rooms.
    pub fn reopen(&self) -> Self {
        let mut tables = self.tables();
        tables.process += 1;
        Self { process: tables.process, ..self.clone() }
    }

    /// The same storage with a hook.
    pub fn hooked(&self, hook: impl Hook) -> Self {
        Self { hook: Some(Arc::new(hook)), ..self.clone() }
    }

    /// The hook, and the storage without it.
    fn unhooked(&self) -> Option<(Arc<dyn Hook>, Self)> {
        Some((Arc::clone(self.hook.as_ref()?), Self { hook: None, ..self.clone() }))
    }

    /// The tables for a call, if the hook allows it.
    fn tables_for(&self, call: Call) -> Result<MutexGuard<'_, Tables>, StorageError> {
        self.hook.as_ref().map_or(Ok(()), |hook| hook.before(call))?;
        Ok(self.tables())
    }

    fn tables(&self) -> MutexGuard<'_, Tables> {
        // Nothing here panics between two changes that belong together.
        self.tables.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Storage for Memory {
    fn unattended(&mut self, due: u64, rooms_max: usize) -> Result<Vec<RoomCode>, StorageError> {
        if let Some((hook, mut kept)) = self.unhooked() {
            return hook.unattended(&mut kept, due, rooms_max);
        }
        let tables = self.tables();
        let is_unattended = |room: &OpenRoom| match &room.sleep {
            Some(sleep) => sleep.due.is_some_and(|at| at <= due) || room.daily.has_news(),
            None => tables.is_orphan(room, self.process),
        };
        let rooms = tables.rooms.iter().filter(|(_, room)| is_unattended(room));
        Ok(rooms.map(|(code, _)| code.clone()).take(rooms_max).collect())
    }

    fn claim(&mut self, rooms: &[RoomCode], node: NodeId) -> Result<Vec<Claimed>, StorageError> {
        if let Some((hook, mut kept)) = self.unhooked() {
            return hook.claim(&mut kept, rooms, node);
        }
        let mut tables = self.tables();
        Ok(rooms.iter().map(|room| tables.claim(room, node, self.process)).collect())
    }

    fn append(&mut self, batch: &[Append]) -> Result<Vec<Appended>, StorageError> {
        if let Some((hook, mut kept)) = self.unhooked() {
            return hook.append(&mut kept, batch);
        }
        let mut tables = self.tables();
        Ok(batch.iter().map(|append| tables.append(append, self.process)).collect())
    }

    fn undo_ratings(&mut self, game: &GameId, at: u64) -> Result<Undone, StorageError> {
        Ok(self.tables_for(Call::Change)?.ratings.undo(game, at))
    }

    fn count_puzzle(&mut self, attempt: &PuzzleAttempt) -> Result<PuzzleCounted, StorageError> {
        Ok(self.tables_for(Call::Change)?.puzzles.count(attempt))
    }

    fn update_members(&mut self, members: &[KnownMember]) -> Result<(), StorageError> {
        let mut tables = self.tables_for(Call::Members)?;
        for member in members {
            if let Some(known) = tables.members.get_mut(&member.id)
                && known.hash == member.hash
            {
                known.name = member.name.clone();
                known.seen_at = member.seen_at;
            }
        }
        Ok(())
    }

    fn replace_identity(
        &mut self,
        member: &MemberId,
        old: IdentityHash,
        new: IdentityHash,
    ) -> Result<bool, StorageError> {
        let mut tables = self.tables_for(Call::Change)?;
        if let Some(other) = tables.members.values().find(|other| other.hash == new) {
            return Ok(other.id == *member);
        }
        let Some(known) = tables.members.get_mut(member).filter(|known| known.hash == old) else {
            return Ok(false);
        };
        known.hash = new;
        tables.renewed.insert(member.clone());
        Ok(true)
    }

    fn change_account(&mut self, change: &AccountChange) -> Result<AccountChanged, StorageError> {
        let mut tables = self.tables_for(Call::Change)?;
        if let AccountStep::SetChallenges(from) = change.step {
            return Ok(tables.set_challenges(&change.member, from));
        }
        if let AccountStep::Friend(step) = &change.step {
            return Ok(tables.change_friends(&change.member, change.at, step));
        }
        if let AccountStep::Note { room, text } = &change.step {
            let new = Note { room: room.clone(), text: text.clone(), at: change.at };
            return Ok(tables.write_note(&change.member, new));
        }
        if let AccountStep::ConditionalMoves(step) = &change.step {
            return Ok(tables.change_moves(&change.member, step));
        }
        if let AccountStep::TimeOff(step) = change.step {
            return Ok(tables.change_time_off(&change.member, change.at, step));
        }
        let Tables { accounts, members, renewed, moderation, examinations, traces, .. } =
            &mut *tables;
        let changed = accounts.change(&mut Members { members, renewed, traces }, change);
        if matches!(change.step, AccountStep::DeleteGuest { .. }) && changed == AccountChanged::Done
        {
            moderation.forget(std::slice::from_ref(&change.member), change.at);
            examinations.forget(|member| *member == change.member);
        }
        let ends = matches!(change.step, AccountStep::DeleteGuest { .. } | AccountStep::Delete);
        if ends && changed == AccountChanged::Done {
            tables.mark_leaver(&change.member);
            tables.friends.end_challenges_of(&change.member);
        }
        if let AccountStep::Key(KeyStep::AddAlias { .. }) = change.step {
            tables.share_time_off(&change.member, change.at);
        }
        // A guest who belongs to an account now may be blocked.
        tables.end_blocked_friends();
        tables.end_subscriptions();
        Ok(changed)
    }

    fn moderate(&mut self, change: &ModerationChange) -> Result<ModerationChanged, StorageError> {
        let mut tables = self.tables_for(Call::Change)?;
        let changed = match change {
            ModerationChange::Mark(marks) => tables.examinations.mark(marks.clone()),
            ModerationChange::ClaimExamination(claim) => tables.examinations.claim(claim.clone()),
            ModerationChange::Examined { game, facts } => {
                tables.examinations.examined(game, facts.as_deref().cloned())
            }
            ModerationChange::Report(report) => {
                let Tables { moderation, accounts, .. } = &mut *tables;
                moderation.report((**report).clone(), |member| accounts.is_there(member))
            }
            ModerationChange::CloseReports { which, state, at, by } => {
                let Tables { moderation, accounts, .. } = &mut *tables;
                let has_account = |member: &MemberId| accounts.is_there(member);
                moderation.close_reports(which, (*state, *at, by), has_account)
            }
            ModerationChange::Block(..)
            | ModerationChange::Unblock { .. }
            | ModerationChange::Sanction(_)
            | ModerationChange::Undo { .. }
            | ModerationChange::Seen { .. }
            | ModerationChange::Appeal { .. }
            | ModerationChange::Answer { .. }
            | ModerationChange::Operator { .. }
            | ModerationChange::FirstOperator { .. } => tables.moderation.change(change),
        };
        if let ModerationChange::Sanction(sanction) = change
            && sanction.kind == SanctionKind::Close
            && changed == ModerationChanged::Done
        {
            tables.accounts.end_all(&sanction.member);
            tables.mark_leaver(&sanction.member);
            tables.end_subscriptions();
        }
        tables.end_blocked_friends();
        Ok(changed)
    }

    fn change_pushes(&mut self, change: &PushChange) -> Result<PushChanged, StorageError> {
        Ok(self.tables_for(Call::Change)?.change_pushes(change))
    }

    fn change_collection(
        &mut self,
        change: &CollectionChange,
    ) -> Result<CollectionChanged, StorageError> {
        Ok(self.tables_for(Call::Change)?.change_collection(change))
    }

    fn prune_moderation(&mut self, now: u64, rows_max: usize) -> Result<usize, StorageError> {
        let mut tables = self.tables_for(Call::Change)?;
        let Tables { moderation, examinations, members, accounts, .. } = &mut *tables;
        let is_account = |member: &MemberId| accounts.has_row(member);
        let pruned = moderation.prune(members, is_account, now, rows_max);
        Ok(pruned + examinations.prune(now, rows_max - pruned))
    }

    fn prune_accounts(&mut self, now: u64, rows_max: usize) -> Result<usize, StorageError> {
        let mut tables = self.tables_for(Call::Change)?;
        let faded = tables.prune_pushes(now, rows_max);
        let Tables {
            accounts,
            members,
            renewed,
            moderation,
            examinations,
            friends,
            notes,
            times_off,
            collections,
            pushes,
            traces,
            ..
        } = &mut *tables;
        let faded = faded + traces.prune(now, rows_max - faded);
        let faded = faded + friends.prune(now, rows_max - faded);
        let all = &mut Members { members, renewed, traces };
        let (pruned, gone) = accounts.prune(all, now, rows_max - faded);
        traces.forget(|member| gone.contains(member));
        moderation.forget(&gone, now);
        examinations.forget(|member| gone.contains(member));
        friends.forget(&gone);
        notes.forget(&gone);
        times_off.forget(&gone);
        collections.forget(&gone);
        pushes.forget(&gone);
        tables.end_subscriptions();
        let pruned = faded + pruned;
        Ok(pruned)
    }

    fn prune_collections(&mut self, rows_max: usize) -> Result<usize, StorageError> {
        Ok(self.tables_for(Call::Change)?.collections.prune(rows_max))
    }

    fn prune_members(&mut self, before: u64, members_max: usize) -> Result<usize, StorageError> {
        let mut tables = self.tables_for(Call::Change)?;
        let Tables { members, games, renewed, challenges_from, .. } = &mut *tables;
        let mut pruned = 0;
        members.retain(|id, member| {
            let is_idle = pruned < members_max
                && member.seen_at < before
                && !renewed.contains(id)
                && !games.iter().any(|game| game.record.summary.has_player(id));
            pruned += usize::from(is_idle);
            !is_idle
        });
        challenges_from.retain(|id, _| members.contains_key(id));
        Ok(pruned)
    }

    fn read(&mut self, room: &RoomCode) -> Result<Vec<Entry>, StorageError> {
        let tables = self.tables_for(Call::Log)?;
        Ok(tables.rooms.get(room).map(|room| room.log.clone()).unwrap_or_default())
    }

    fn reader(&self) -> Result<Box<dyn StorageReader>, StorageError> {
        Ok(Box::new(self.clone()))
    }
}

impl Tables {
    fn standing(&self, member: &MemberId) -> Standing {
        let own = self.games.iter().filter(|game| game.record.summary.has_player(member));
        let games = own.take(STANDING_GAMES_MAX).count();
        Standing { account_since: self.accounts.since(member), games }
    }

    fn sleeping(&self) -> impl Iterator<Item = &Sleep> {
        self.rooms.values().filter_map(|room| room.sleep.as_deref())
    }

    fn is_living(&self, node: NodeId) -> bool {
        self.nodes.get(&node).is_some_and(|node| !node.is_dead)
    }

    fn is_orphan(&self, room: &OpenRoom, process: u64) -> bool {
        if self.nodes.is_empty() { room.process != process } else { !self.is_living(room.node) }
    }

    fn claim(&mut self, code: &RoomCode, node: NodeId, process: u64) -> Claimed {
        let Some(room) = self.rooms.get(code) else {
            self.void.insert(code.clone());
            return Claimed::Closed;
        };
        let may_claim = self.nodes.is_empty()
            || self.is_living(node)
                && (room.sleep.is_some() || room.node == node || !self.is_living(room.node));
        let owner = room.node;
        match self.rooms.get_mut(code) {
            Some(room) if may_claim => {
                let empty_since = room.sleep.take().and_then(|sleep| sleep.empty_since);
                (room.process, room.node) = (process, node);
                room.epoch = Epoch(room.epoch.0 + 1);
                let news = room.daily.for_next_owner();
                Claimed::Mine { epoch: room.epoch, log: room.log.clone(), empty_since, news }
            }
            Some(_) | None => Claimed::Elsewhere(owner),
        }
    }

    fn append(&mut self, append: &Append, process: u64) -> Appended {
        let first = append.entries.first().filter(|entry| entry.event.seq == 1);
        let begins = first.is_some();
        let cause = first.and_then(|entry| entry.cause.clone());
        let may_play = match self.playing_elsewhere(append) {
            Some(playing) => Err(Conflict::Playing(playing)),
            None => Ok(()),
        };
        match self.rooms.get_mut(&append.room) {
            Some(room) if room.epoch == append.epoch && !begins => {
                if let Some(sleep) = &append.sleeps {
                    room.epoch = Epoch(room.epoch.0 + 1);
                    room.sleep = Some(sleep.clone());
                    self.note_daily(append);
                    return Ok(Vec::new());
                }
                let last = room.log.last().map_or(0, |entry| entry.event.seq);
                if append.entries.first().is_some_and(|entry| entry.event.seq != last + 1) {
                    return Err(Conflict::Seq { last });
                }
                may_play?;
                room.log.extend_from_slice(&append.entries);
            }
            None if begins
                && !self.void.contains(&append.room)
                && (self.nodes.is_empty()
                    || cause.as_ref().is_none_or(|cause| !self.made.contains_key(cause))) =>
            {
                may_play?;
                let (node, epoch, log) = (append.node, append.epoch, append.entries.clone());
                let daily = DailyPlaces::default();
                let room =
                    OpenRoom { process, node, epoch, log, players: None, sleep: None, daily };
                self.rooms.insert(append.room.clone(), room);
                self.made.extend(cause.map(|cause| (cause, append.room.clone())));
            }
            Some(_) | None => return Err(Conflict::Owner),
        }
        for member in &append.members {
            self.save_member(member);
        }
        self.note_players(append);
        self.note_daily(append);
        if append.closes
            && let Some(room) = self.rooms.remove(&append.room)
            && let Some(cause) = room.log.first().and_then(|entry| entry.cause.as_ref())
        {
            self.made.remove(cause);
        }
        self.games.extend(append.games.iter().cloned());
        Ok(self.ratings.count(&append.games))
    }

    /// The game in another room of one who is to play. It matters where nodes share the storage.
    fn playing_elsewhere(&self, append: &Append) -> Option<Playing> {
        let NowPlaying::These(players) = append.now_playing() else { return None };
        if self.nodes.is_empty() {
            return None;
        }
        Seat::BOTH.into_iter().find_map(|seat| {
            self.playing(&players[seat]).filter(|playing| playing.room != append.room)
        })
    }

    fn playing(&self, member: &MemberId) -> Option<Playing> {
        let (room, seat) = self.playing.get(member)?.clone();
        Some(Playing { member: member.clone(), room, seat })
    }

    /// Notes who plays in a room after an append that is stored.
    fn note_players(&mut self, append: &Append) {
        let now = match append.now_playing() {
            NowPlaying::Unchanged => return,
            NowPlaying::Nobody => None,
            NowPlaying::These(players) => Some(players.clone()),
        };
        let Some(room) = self.rooms.get_mut(&append.room) else { return };
        if let Some(players) = std::mem::replace(&mut room.players, now.clone()) {
            for player in [players.first, players.second] {
                if self.playing.get(&player).is_some_and(|(room, _)| *room == append.room) {
                    self.playing.remove(&player);
                }
            }
        }
        if let Some(players) = now {
            let BySeat { first, second } = *players;
            for (player, seat) in [(first, Seat::First), (second, Seat::Second)] {
                self.playing.insert(player, (append.room.clone(), seat));
            }
        }
    }

    /// The member whose identity was replaced by this one. Only such members have a hash that does
    /// not match their id.
    fn renewed_with(&self, hash: IdentityHash) -> Option<&KnownMember> {
        let mut renewed = self.renewed.iter().filter_map(|id| self.members.get(id));
        renewed.find(|known| known.hash == hash)
    }

    /// Replaces the names of players who have deleted their account.
    fn hide_deleted(&self, game: &mut GameSummary) {
        let is_deleted = |member: &MemberId| {
            self.members.get(member).is_some_and(|known| known.name.as_str() == DELETED_NAME)
        };
        let mut deleted = deleted_players::players([&*game].into_iter());
        deleted.retain(is_deleted);
        deleted_players::hide(game, &deleted);
    }

    fn set_challenges(&mut self, member: &MemberId, from: ChallengesFrom) -> AccountChanged {
        if !self.members.contains_key(member) {
            return AccountChanged::Gone;
        }
        self.challenges_from.insert(member.clone(), from);
        AccountChanged::Done
    }

    fn save_member(&mut self, member: &KnownMember) {
        if let Some(known) = self.members.get_mut(&member.id) {
            known.seen_at = member.seen_at;
            if known.hash == member.hash {
                known.name = member.name.clone();
            }
        } else if self.renewed_with(member.hash).is_none() {
            self.members.insert(member.id.clone(), member.clone());
        }
    }
}

impl StorageReader for Memory {
    fn member(
        &mut self,
        id: &MemberId,
        hash: IdentityHash,
    ) -> Result<Option<KnownMember>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let by_id = tables.members.get(id);
        if by_id.is_some_and(|known| known.hash == hash) || tables.renewed.is_empty() {
            return Ok(by_id.cloned());
        }
        Ok(tables.renewed_with(hash).or(by_id).cloned())
    }

    fn account_named(&mut self, key: &str) -> Result<Option<Account>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        Ok(tables.accounts.named(&tables.members, key))
    }

    fn account_once_named(&mut self, key: &str) -> Result<Option<Account>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        Ok(tables.accounts.once_named(&tables.members, key))
    }

    fn challenges_from(&mut self, member: &MemberId) -> Result<ChallengesFrom, StorageError> {
        Ok(self.tables_for(Call::Browse)?.challenges_from.get(member).copied().unwrap_or_default())
    }

    fn old_names(&mut self, member: &MemberId) -> Result<Vec<OldName>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.accounts.old_names(member))
    }

    fn aliases(&mut self, member: &MemberId) -> Result<Vec<MemberId>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.accounts.aliases(member))
    }

    fn guests_around(
        &mut self,
        members: &[MemberId],
    ) -> Result<Vec<(MemberId, MemberId)>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.accounts.guests_around(members))
    }

    fn account_of_session(
        &mut self,
        session: KeyHash,
    ) -> Result<Option<(Account, AccountSession)>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        Ok(tables.accounts.of_session(&tables.members, session))
    }

    fn account_of_passkey(
        &mut self,
        id: &[u8],
    ) -> Result<Option<(Account, Passkey)>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        Ok(tables.accounts.of_passkey(&tables.members, id))
    }

    fn account_of_token(
        &mut self,
        token: KeyHash,
    ) -> Result<Option<(Account, ApiToken)>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        Ok(tables.accounts.of_token(&tables.members, token))
    }

    fn account_keys(&mut self, member: &MemberId) -> Result<AccountKeys, StorageError> {
        Ok(self.tables_for(Call::Browse)?.accounts.keys(member))
    }

    fn current_names(
        &mut self,
        members: &[MemberId],
    ) -> Result<Vec<(MemberId, Name)>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let known = members.iter().filter_map(|member| tables.members.get(member));
        let named = known.filter(|known| {
            known.name.as_str() == DELETED_NAME || tables.accounts.has_row(&known.id)
        });
        Ok(named.map(|known| (known.id.clone(), known.name.clone())).collect())
    }

    fn deleted_since(&mut self, at: u64) -> Result<Vec<MemberId>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.accounts.deleted_since(at))
    }

    fn bots_of(&mut self, owner: &MemberId) -> Result<Vec<Account>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        Ok(tables.accounts.bots_of(&tables.members, owner))
    }

    fn sleeping_room(&mut self, room: &RoomCode) -> Result<Option<String>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let sleep = tables.rooms.get(room).and_then(|room| room.sleep.as_ref());
        Ok(sleep.map(|sleep| sleep.listing.clone()))
    }

    fn sleeping_rooms_of(
        &mut self,
        member: &MemberId,
        rooms_max: usize,
    ) -> Result<Vec<String>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let asleep =
            tables.rooms.iter().filter_map(|(code, room)| Some((code, room.sleep.as_ref()?)));
        let mut own: Vec<_> = asleep.filter(|(_, sleep)| sleep.members.contains(member)).collect();
        own.sort_by_key(|(code, _)| !tables.has_daily(code, member));
        Ok(own.into_iter().take(rooms_max).map(|(_, sleep)| sleep.listing.clone()).collect())
    }

    fn public_sleeping_rooms(
        &mut self,
        rooms_max: usize,
    ) -> Result<(Vec<String>, usize), StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let mut public: Vec<_> =
            tables.sleeping().filter(|room| room.public_rank.is_some()).collect();
        public.sort_by_key(|room| room.public_rank);
        let listings = public.iter().take(rooms_max).map(|room| room.listing.clone()).collect();
        Ok((listings, public.len()))
    }

    fn game(&mut self, id: &GameId) -> Result<Option<Record>, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let found = tables.games.iter().find(|game| game.id == *id);
        Ok(found.map(|game| {
            let mut record = game.record.clone();
            tables.hide_deleted(&mut record.summary);
            record
        }))
    }

    fn games(&mut self, query: &GameQuery) -> Result<GameList, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let own = query.member.as_ref().map(|member| tables.accounts.with_aliases(member));
        let is_asked_for = |(number, game): &(u64, &FinishedGame)| {
            let summary = &game.record.summary;
            (query.unlisted || summary.visibility == Visibility::Public)
                && query.before.is_none_or(|before| *number < before)
                && own
                    .as_ref()
                    .is_none_or(|own| own.iter().any(|member| summary.has_player(member)))
                && query.opponent.as_ref().is_none_or(|other| summary.has_player(other))
        };
        let numbered = (1..).zip(&tables.games).filter(is_asked_for);
        let mut newest: Vec<_> = numbered.collect();
        newest.reverse();
        let next = (newest.len() > query.max).then(|| query.max.checked_sub(1)).flatten();
        let list = |(_, game): &(u64, &FinishedGame)| {
            let mut summary = game.record.summary.clone();
            tables.hide_deleted(&mut summary);
            ListedGame { id: game.id.clone(), summary }
        };
        Ok(GameList {
            games: newest.iter().take(query.max).map(list).collect(),
            next: next.map(|last| newest[last].0),
        })
    }

    fn ratings_of(&mut self, members: &[MemberId]) -> Result<MemberRatings, StorageError> {
        Ok(self.tables_for(Call::Browse)?.ratings.of_members(members))
    }

    fn rating_history(
        &mut self,
        member: &MemberId,
        pool: RatingPool,
    ) -> Result<Vec<RatingChange>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.ratings.history(member, pool))
    }

    fn leaderboard(&mut self, query: &LeaderboardQuery) -> Result<Leaderboard, StorageError> {
        let tables = self.tables_for(Call::Browse)?;
        let name_of = |member: &MemberId| tables.accounts.name(&tables.members, member);
        Ok(tables.ratings.leaderboard(query, name_of))
    }

    fn game_ratings(&mut self, game: &GameId) -> Result<Vec<RatingChange>, StorageError> {
        Ok(self.tables_for(Call::Browse)?.ratings.of_game(game))
    }

    fn disk_space(&mut self) -> Result<Option<DiskSpace>, StorageError> {
        Ok(None)
    }
}
