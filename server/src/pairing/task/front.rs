//! The front: the sessions of this node that seek, what they have asked, and the seeks of theirs that
//! stand. It passes their commands to the leader of the pairing and sends them what the leader says,
//! each answer once.
//!
//! When the leader changes, or messages were lost, it repeats what stands and what is not answered.
//! Which seeks fit each other, only the leader knows.

use std::{collections::BTreeMap, net::IpAddr, sync::Arc};

use fivefold_shared::{
    clock::millis,
    protocol::{CommandId, MemberId, Message, Reason, Refusal, RoomCode, SeekId},
    room::SessionId,
    seat::{BySeat, Seat},
};
use fivefold_storage::{NodeId, Playing};

use super::{
    commands::{Challenged, PairingCommand, PairingRequest},
    messages::{LobbyView, Mail, RunningGames, ToFront, ToLeader},
    own_seeks::{Asked, OwnSeek, Seeking},
    watchers::Watchers,
};
use crate::{
    limits::{
        ANSWERED_WITHIN, PAIR_MADE_WITHIN, SEEK_REPEAT_INTERVAL, SEEKS_IN_MESSAGE_MAX,
        UNANSWERED_COMMANDS_MAX,
    },
    metrics::Metrics,
    online::{
        logins::{Login, Logins},
        outbox::encode,
    },
    pairing::{Answer, NewPair, SeekAim, Seeker},
    process::ids,
};

/// The sessions of one node that the pairing deals with.
#[derive(Debug)]
pub(super) struct Front {
    me: NodeId,
    /// The node that leads the pairing, if one is known.
    leader: Option<NodeId>,
    sessions: BTreeMap<SessionId, Seeking>,
    watchers: Watchers,
    /// What the leader knows of this node.
    here: (RunningGames, bool),
    /// When the seeks are to be repeated next.
    repeats_at: u64,
    /// Whether there was a leader before.
    had_leader: bool,
    doubts: u64,
    /// Until then somebody here may play without this front's knowledge.
    in_doubt_until: u64,
    logins: Arc<Logins>,
    metrics: Arc<Metrics>,
    mail: Vec<Mail>,
}

/// The game of a session's member: the content of [`Message::Paired`].
struct FoundGame {
    seek: Option<SeekId>,
    room: RoomCode,
    seat: Seat,
    rated: Option<bool>,
}

impl Front {
    pub(super) fn new(me: NodeId, logins: Arc<Logins>, metrics: Arc<Metrics>) -> Self {
        Self {
            me,
            leader: None,
            sessions: BTreeMap::new(),
            watchers: Watchers::default(),
            here: (Vec::new(), false),
            repeats_at: 0,
            had_leader: false,
            doubts: 0,
            in_doubt_until: 0,
            logins,
            metrics,
            mail: Vec::new(),
        }
    }

    /// What there is to deliver.
    pub(super) fn take_mail(&mut self) -> Vec<Mail> {
        std::mem::take(&mut self.mail)
    }

    pub(super) const fn leader(&self) -> Option<NodeId> {
        self.leader
    }

    /// Takes a command of a session. `playing` is the running game of its member, `admit` takes a new
    /// seek from their allowances, and `games` counts the running games here.
    pub(super) fn take_command(
        &mut self,
        now: u64,
        command: PairingCommand,
        playing: Option<Playing>,
        admit: impl FnOnce(&Seeker, &SeekAim) -> Result<(), Refusal>,
        games: impl FnOnce() -> RunningGames,
    ) {
        let PairingCommand {
            id,
            kind,
            member,
            session,
            address,
            outbox,
            request,
            account,
            owner,
            rating,
            dealings,
            daily_most,
            ..
        } = command;
        let new = || Seeking::new(member.clone(), address, outbox.clone());
        let seeking = self.sessions.entry(session).or_insert_with(new);
        seeking.member = member;
        let is_full = !seeking.has_asked(&id) && seeking.count_asked() >= UNANSWERED_COMMANDS_MAX;
        seeking.ask(id.clone(), kind, now);
        if is_full {
            return self.answer(session, id, Answer::Refused(Refusal::new(Reason::Busy)));
        }
        if request.makes_game() {
            seeking.paired = None;
            if let Some(playing) = playing {
                return self.note_plays(session, &id, &playing);
            }
        }
        let (member, command) = (seeking.member.id.clone(), id.clone());
        let seeker = seeking.seeker(session, id.clone());
        // Programs play for bots, whatever they say.
        let is_bot = owner.is_some();
        let by = |engine| {
            let engine = engine || is_bot;
            Seeker { engine, account, owner, rating, dealings, daily_most, ..seeker }
        };
        let message = match request {
            PairingRequest::Seek { wanted, engine } => {
                self.seek(now, by(engine), SeekAim::Anybody(wanted), admit)
            }
            PairingRequest::Challenge { to, settings, engine } => to.and_then(|to| {
                let Challenged { member: to, is_friend } = to;
                let by = Seeker { friend: is_friend, ..by(engine) };
                self.seek(now, by, SeekAim::Member { to, settings }, admit)
            }),
            PairingRequest::Accept { seek, engine } => {
                Ok(ToLeader::Accept { by: by(engine), seek })
            }
            PairingRequest::Decline(seek) => {
                Ok(ToLeader::Decline { member, is_bot, session, command, seek })
            }
            PairingRequest::Cancel(seek) => Ok(ToLeader::Cancel { member, session, command, seek }),
            PairingRequest::Watch => {
                self.report(games(), true);
                Ok(self.watch(member, session, &id))
            }
            PairingRequest::Unwatch => {
                self.watchers.remove(session);
                return self.answer(session, id, Answer::Done);
            }
        };
        match message {
            Ok(message) => {
                if let Some(seeking) = self.sessions.get_mut(&session) {
                    seeking.set_message(&id, message.clone());
                }
                self.tell(message);
            }
            Err(refusal) => self.answer(session, id, Answer::Refused(refusal)),
        }
    }

    /// Begins a seek, or goes on with the one that the same command has begun.
    fn seek(
        &mut self,
        now: u64,
        by: Seeker,
        aim: SeekAim,
        admit: impl FnOnce(&Seeker, &SeekAim) -> Result<(), Refusal>,
    ) -> Result<ToLeader, Refusal> {
        let Some(seeking) = self.sessions.get_mut(&by.session) else {
            return Err(Refusal::new(Reason::Busy));
        };
        let id = match seeking.seek_of(&by.command) {
            Some(own) => {
                own.asked_at = now;
                own.id.clone()
            }
            None => {
                admit(&by, &aim)?;
                let id = ids::seek_id();
                seeking.seeks.push(OwnSeek::new(now, by.clone(), id.clone(), aim.clone()));
                id
            }
        };
        Ok(ToLeader::Seek { by, id, aim })
    }

    /// The first who watches gets the lobby from the leader, and the others from here.
    fn watch(&mut self, member: MemberId, session: SessionId, id: &CommandId) -> ToLeader {
        let view = self.watchers.view();
        let wants_lobby = view.is_none();
        if let Some(view) = view {
            self.begin_watch(session, id.clone(), view);
        }
        ToLeader::Watch { member, session, wants_lobby }
    }

    fn begin_watch(&mut self, session: SessionId, id: CommandId, view: LobbyView) {
        let Some(seeking) = self.sessions.get(&session) else { return };
        self.watchers.add(session, seeking.outbox.clone());
        let LobbyView { pools, seeks } = self.watchers.seen_by(session, view);
        self.reply(session, &Message::Lobby { id, pools, seeks });
    }

    /// Answers a member who plays in a paired room already.
    fn note_plays(&mut self, session: SessionId, id: &CommandId, playing: &Playing) {
        let Playing { member, room, seat } = playing.clone();
        self.answer(session, id.clone(), Answer::Done);
        if let Some(seeking) = self.sessions.get_mut(&session) {
            seeking.seeks.retain(|own| own.by.command != *id);
            seeking.paired = Some(room.clone());
        }
        let (seek, rated) = (None, None);
        self.send(session, &Message::Paired { seek, room: room.clone(), seat, rated });
        self.tell(ToLeader::Playing { member, room, seat });
    }

    /// Takes in the storage's word that a member plays, whose news may have been lost.
    pub(super) fn note_playing(&mut self, playing: &Playing) {
        let Playing { member, room, seat } = playing.clone();
        let own = self.sessions.iter().filter(|(_, seeking)| seeking.member.id == member);
        let own: Vec<_> =
            own.map(|(session, seeking)| (*session, seeking.asked_for_game())).collect();
        for (session, asked) in own {
            for id in asked {
                if let Some(seeking) = self.sessions.get_mut(&session) {
                    seeking.seeks.retain(|own| own.by.command != id);
                }
                self.answer(session, id, Answer::Done);
                let (seek, room, rated) = (None, room.clone(), None);
                self.send_paired(session, FoundGame { seek, room, seat, rated });
            }
        }
        // The leader ends the seeks, and sends the game to their sessions.
        self.tell(ToLeader::Playing { member, room, seat });
    }

    /// Takes in the storage's word on these members, who were [in doubt](Self::doubtful), after so many
    /// doubts.
    pub(super) fn note_asked(&mut self, doubts: u64, asked: Vec<(MemberId, Option<Playing>)>) {
        for (member, playing) in asked {
            if let Some(playing) = playing {
                self.note_playing(&playing);
            }
            // What was lost after that may have been the news of a game.
            if doubts == self.doubts {
                let own = self.sessions.values_mut();
                let own = own.filter(|seeking| seeking.member.id == member);
                for message in own.flat_map(Seeking::release).collect::<Vec<_>>() {
                    self.tell(message);
                }
            }
        }
    }

    /// The end of a game in a room of this node.
    pub(super) fn note_game_over(&mut self, room: RoomCode, aborted_by: Option<MemberId>) {
        self.tell(ToLeader::GameOver { room, aborted_by });
    }
}

impl Front {
    /// Takes a message of a leader: of the one of now, or of one before.
    pub(super) fn take(&mut self, now: u64, from: NodeId, message: ToFront) -> Option<NewPair> {
        match message {
            ToFront::Answer { session, command, answer } => {
                self.take_answer(now, from, session, command, answer);
            }
            ToFront::Paired { session, seek, room, seat, rated } => {
                self.take_paired(from, session, FoundGame { seek, room, seat, rated });
            }
            ToFront::Refused { session, seek, refusal } => {
                let command = self.sessions.get(&session).and_then(|own| own.command_of(&seek));
                if let Some(id) = command {
                    self.send(session, &Message::Refused { id: Some(id.clone()), refusal });
                }
            }
            ToFront::Over { session, seek, why } => {
                let seeking = self.sessions.get_mut(&session);
                if seeking.is_some_and(|seeking| seeking.end(&seek)) {
                    self.send(session, &Message::SeekOver { seek, why });
                }
            }
            ToFront::Moved { session, command } => self.take_moved(session, &command),
            ToFront::Challenged { to, only, challenge, for_ms } => {
                let by = challenge.member.clone();
                let message = Message::Challenged { challenge, for_ms };
                match only {
                    Some(session) => {
                        let seeking = self.sessions.get(&session);
                        if seeking.is_some_and(|seeking| seeking.outbox.meets(&by)) {
                            self.send(session, &message);
                        }
                    }
                    None => self.send_all(&to, &message, Some(&by), None),
                }
            }
            ToFront::ChallengeOver { to, seek, why, except } => {
                self.send_all(&to, &Message::SeekOver { seek, why }, None, except);
            }
            ToFront::Make(pair) => return Some(*pair),
            ToFront::Lobby(view) => self.take_lobby(from, &view),
            // It is for the leader.
            ToFront::Declined { .. } => {}
        }
        None
    }

    fn take_answer(
        &mut self,
        now: u64,
        from: NodeId,
        session: SessionId,
        command: CommandId,
        answer: Answer,
    ) {
        let Some(seeking) = self.sessions.get_mut(&session) else { return };
        match &answer {
            // Another leader may say something else.
            Answer::Refused(_) if self.leader != Some(from) => return,
            Answer::Seeking { seek, waited_ms } => {
                if let Some(own) = seeking.seek_of(&command) {
                    own.confirm(now, seek, *waited_ms);
                }
            }
            Answer::Done | Answer::Refused(_) => {
                seeking.seeks.retain(|own| own.by.command != command);
                if let Some(ToLeader::Cancel { seek, .. }) = seeking.message(&command) {
                    let seek = seek.clone();
                    seeking.end(&seek);
                }
            }
        }
        if seeking.has_asked(&command) {
            self.answer(session, command, answer);
        }
    }

    fn take_paired(&mut self, from: NodeId, session: SessionId, found: FoundGame) {
        let Some(seeking) = self.sessions.get_mut(&session) else { return };
        if let Some(seek) = &found.seek {
            seeking.end(seek);
        }
        let member = seeking.member.id.clone();
        let (room, seat) = (found.room.clone(), found.seat);
        self.send_paired(session, found);
        if self.leader != Some(from) {
            // The leader of now may have the seek from this front.
            self.tell(ToLeader::Playing { member, room, seat });
        }
    }

    /// Another session of the member has the seek, as far as the clocks of nodes agree. The member may wait
    /// here all the same, so this session comes back and asks again.
    fn take_moved(&mut self, session: SessionId, command: &CommandId) {
        let Some(seeking) = self.sessions.get_mut(&session) else { return };
        if seeking.has_asked(command) || seeking.seek_of(command).is_none() {
            return;
        }
        seeking.seeks.retain(|own| own.by.command != *command);
        self.metrics.cluster.sockets_restarted.inc();
        seeking.outbox.restart();
    }

    fn take_lobby(&mut self, from: NodeId, view: &LobbyView) {
        if self.leader != Some(from) {
            return;
        }
        self.watchers.update(view.clone());
        let asked = |(session, seeking): (&SessionId, &Seeking)| {
            let ids = seeking.asked_to_watch();
            ids.into_iter().map(|id| (*session, id)).collect::<Vec<_>>()
        };
        let waiting: Vec<_> = self.sessions.iter().flat_map(asked).collect();
        for (session, id) in waiting {
            self.begin_watch(session, id, view.clone());
        }
    }

    /// Takes in who leads now.
    pub(super) fn set_leader(&mut self, now: u64, leader: Option<NodeId>) {
        if self.leader != leader {
            self.leader = leader;
            if self.had_leader {
                self.doubt(now);
            }
            self.had_leader |= leader.is_some();
            self.repeat_all(now);
        }
    }

    /// Messages to or from this node were lost.
    pub(super) fn note_lost(&mut self, now: u64, node: NodeId) {
        if self.leader == Some(node) {
            self.doubt(now);
            self.repeat_all(now);
        }
    }

    /// The leader's news may be lost, and a room may still be made for somebody here.
    fn doubt(&mut self, now: u64) {
        self.doubts += 1;
        self.in_doubt_until = now + millis(PAIR_MADE_WITHIN);
    }

    /// How often there was a doubt.
    pub(super) const fn doubts(&self) -> u64 {
        self.doubts
    }

    /// The members who seek, while they may play without this front's knowledge, or wait for the
    /// storage's word.
    pub(super) fn doubtful(&self, now: u64) -> Vec<MemberId> {
        let holds = |seeking: &Seeking| seeking.holds();
        if now >= self.in_doubt_until && !self.sessions.values().any(holds) {
            return Vec::new();
        }
        let seeking = self.sessions.values().filter(|seeking| seeking.wants_game());
        let mut members: Vec<_> = seeking.map(|seeking| seeking.member.id.clone()).collect();
        members.sort_unstable();
        members.dedup();
        members
    }

    /// Call it each second: notices sessions that have ended, and repeats the seeks of the others.
    /// `games` counts the running games here.
    pub(super) fn round(&mut self, now: u64, games: impl FnOnce(bool) -> RunningGames) {
        let is_gone = |(_, seeking): &(&SessionId, &Seeking)| seeking.outbox.is_closed();
        let gone: Vec<_> = self.sessions.iter().filter(is_gone).map(|(id, _)| *id).collect();
        for session in gone {
            self.note_gone(session);
        }
        self.watchers.forget_closed();
        self.watchers.note_blocked();
        let mut has_blocked = false;
        for seeking in self.sessions.values_mut() {
            has_blocked |= seeking.note_blocked();
        }
        if has_blocked {
            self.repeat(now);
        }
        let watches = !self.watchers.are_none();
        self.report(games(watches), watches);
        if self.leader != Some(self.me) {
            self.end_late(now);
        }
        // Also to the leader here: a command of an earlier session that comes late takes the seek there.
        if now >= self.repeats_at {
            self.repeat(now);
        }
        let count = self.sessions.values().map(|seeking| seeking.seeks.len()).sum();
        self.metrics.pairing.note_seeks(count);
    }

    /// Ends sessions with a command that no leader has answered in time. They come back and repeat it.
    fn end_late(&self, now: u64) {
        for seeking in self.sessions.values() {
            let is_late = |since| now >= since + millis(ANSWERED_WITHIN);
            if seeking.waits_since().is_some_and(is_late) && !seeking.outbox.is_restarted() {
                self.metrics.cluster.sockets_restarted.inc();
                seeking.outbox.restart();
            }
        }
    }

    /// Ends the sessions that seek, so that they go on at another node: this one is about to stop.
    pub(super) fn send_away(&self) {
        for seeking in self.sessions.values().filter(|seeking| seeking.wants_game()) {
            seeking.outbox.restart();
        }
    }

    fn note_gone(&mut self, session: SessionId) {
        let Some(Seeking { member, .. }) = self.sessions.remove(&session) else { return };
        self.watchers.remove(session);
        self.tell(ToLeader::Gone { member: member.id, session });
    }

    /// The players of a pair whose sessions should be here, and have ended.
    pub(super) fn gone_players(&mut self, players: &BySeat<Seeker>) -> Vec<(MemberId, SessionId)> {
        let is_here = |session| NodeId::of_session(session).is_none_or(|node| node == self.me);
        let is_gone = |session| {
            let seeking = self.sessions.get(&session);
            is_here(session) && seeking.is_none_or(|seeking| seeking.outbox.is_closed())
        };
        let players = Seat::BOTH.map(|seat| &players[seat]);
        let gone = players.into_iter().filter(|player| is_gone(player.session));
        let gone: Vec<_> = gone.map(|player| (player.member.clone(), player.session)).collect();
        for (_, session) in &gone {
            self.note_gone(*session);
        }
        gone
    }

    /// Whether one of the players of a pair has blocked the other, as far as it is known here. The leader
    /// may not know it yet.
    pub(super) fn are_apart(&self, players: &BySeat<Seeker>) -> bool {
        let is_apart = |seat: Seat| {
            let seeking = self.sessions.get(&players[seat].session);
            let other = &players[seat.other()].member;
            seeking.is_some_and(|seeking| !seeking.outbox.meets(other))
        };
        Seat::BOTH.into_iter().any(is_apart)
    }

    /// The address of a session.
    pub(super) fn address(&self, session: SessionId) -> Option<IpAddr> {
        self.sessions.get(&session).map(|seeking| seeking.address)
    }
}

impl Front {
    /// Sends the leader everything that it has to know. In doubt, commands that may have led to a game
    /// wait for the storage's word: otherwise they might be refused.
    fn repeat_all(&mut self, now: u64) {
        self.repeat(now);
        let holds = now < self.in_doubt_until;
        let asked = self.sessions.values_mut().flat_map(|seeking| seeking.repeat(holds));
        for message in asked.collect::<Vec<_>>() {
            self.tell(message);
        }
    }

    /// Repeats the seeks that stand.
    fn repeat(&mut self, now: u64) {
        self.repeats_at = now + millis(SEEK_REPEAT_INTERVAL);
        self.tell_here();
        let standing = self.sessions.values().flat_map(|seeking| seeking.standing(now));
        let standing: Vec<_> = standing.collect();
        for seeks in standing.chunks(SEEKS_IN_MESSAGE_MAX) {
            self.tell(ToLeader::Standing(seeks.to_vec()));
        }
    }

    /// Tells the leader about this node, if that has changed.
    fn report(&mut self, games: RunningGames, watches: bool) {
        let here = (games, watches);
        if self.here != here {
            self.here = here;
            self.tell_here();
        }
    }

    fn tell_here(&mut self) {
        let (games, watches) = self.here.clone();
        self.tell(ToLeader::Here { games, watches });
    }

    fn tell(&mut self, message: ToLeader) {
        // Without a leader everything waits for the next one.
        if let Some(leader) = self.leader {
            self.mail.push(Mail::ToLeader(leader, message));
        }
    }

    fn answer(&mut self, session: SessionId, id: CommandId, answer: Answer) {
        let message = match answer {
            Answer::Seeking { seek, waited_ms } => Message::Seeking { id, seek, waited_ms },
            Answer::Done => Message::Done { id, seq: None },
            Answer::Refused(refusal) => Message::Refused { id: Some(id), refusal },
        };
        self.reply(session, &message);
    }

    /// Sends the reply to a command.
    fn reply(&mut self, session: SessionId, message: &Message) {
        let asked = message.answers().and_then(|id| self.sessions.get_mut(&session)?.take(id));
        if let Some(Asked { kind, .. }) = asked {
            self.metrics.answered(kind, message);
        }
        self.send(session, message);
    }

    /// Sends a session the game of its member, once.
    fn send_paired(
        &mut self,
        session: SessionId,
        FoundGame { seek, room, seat, rated }: FoundGame,
    ) {
        let Some(seeking) = self.sessions.get_mut(&session) else { return };
        if seeking.paired.as_ref() != Some(&room) {
            seeking.paired = Some(room.clone());
            self.send(session, &Message::Paired { seek, room, seat, rated });
        }
    }

    /// Sends a message to a session, unless it has ended. Its member comes back and asks again.
    fn send(&self, session: SessionId, message: &Message) {
        if let Some(seeking) = self.sessions.get(&session) {
            seeking.outbox.post(encode(message));
        }
    }

    /// Sends a message to all sessions of a member, unless it comes by somebody who is blocked.
    fn send_all(
        &self,
        member: &MemberId,
        message: &Message,
        by: Option<&MemberId>,
        except: Option<SessionId>,
    ) {
        let text = encode(message);
        for Login { session, outbox, .. } in self.logins.of(member) {
            if Some(session) != except && by.is_none_or(|by| outbox.meets(by)) {
                outbox.post(text.clone());
            }
        }
    }
}
