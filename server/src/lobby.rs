//! The lobby: which rooms there are, making new ones, and the list of the public ones. Where
//! nobody plays in public and somebody asks for the list, two bots begin a game.
//!
//! What goes on in a room is unknown here.

mod makers;

use std::{
    collections::HashSet,
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use dashmap::DashMap;
use fivefold_shared::{
    bot_spec::{BotKind, BotSpec},
    clock::TimeControl,
    protocol::{
        Colour, CommandId, Create, MemberId, OwnRoom, Phase, ROOMS_MAX, Reason, Refusal, RoomCode,
        RoomSummary, SeatRequest, Visibility,
    },
    record::Recorder,
    room::{Cause, Effects, Entry, Founding, Input, Member, Room, Spare, Standing},
    rules::{Rules, Size, Variant},
};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use self::makers::{Maker, Makers};
use crate::{
    directory::{Directory, Listed},
    ids,
    limits::{
        DEMO_ROOMS_MAX, LISTING_AGE_MAX, LISTING_REST, MAILBOX_INPUTS_MAX, OWN_ROOMS_SEEN_MAX,
        ROOMS_NAMED_MAX,
    },
    outbox::Outbox,
    room_actor::{self, Envelope, Opened, RoomContext},
    storage::{Claim, Epoch},
    thinking::Owner,
};

/// Who plays when nobody else does: two that are cheap, and lose to each other.
const DEMO_BOTS: [BotSpec; 2] = [
    BotSpec { kind: BotKind::Pattern, level: None },
    BotSpec { kind: BotKind::Attack, level: None },
];

/// All rooms.
#[derive(Debug)]
pub(crate) struct Lobby {
    rooms: DashMap<RoomCode, RoomHandle>,
    /// Rooms that are open in the storage and cannot be read. Held only to look up.
    set_aside: Mutex<HashSet<RoomCode>>,
    directory: Arc<Directory>,
    /// Who has made which. Held only to look up and to make a room, which waits for nothing;
    /// taken before any lock inside `rooms`.
    makers: Mutex<Makers>,
    /// Held to make the list, so that only one session makes it.
    listing: Mutex<Listing>,
    context: RoomContext,
    tasks: TaskTracker,
    /// Who makes the games between bots, if there are to be any.
    demo_host: Option<Member>,
}

/// The way to a room.
#[derive(Clone, Debug)]
pub(crate) struct RoomHandle {
    code: RoomCode,
    maker: Maker,
    mailbox: mpsc::Sender<Envelope>,
    listed: Arc<Listed>,
}

#[derive(Debug, Default)]
struct Listing {
    list: RoomList,
    fresh_until: Option<Instant>,
}

/// A list of public rooms: at most [`ROOMS_MAX`] of them, and how many there are.
#[derive(Clone, Debug, Default)]
pub(crate) struct RoomList {
    pub(crate) rooms: Vec<RoomSummary>,
    pub(crate) total: usize,
}

impl RoomHandle {
    /// Where the room takes its inputs from.
    pub(crate) const fn mailbox(&self) -> &mpsc::Sender<Envelope> {
        &self.mailbox
    }

    /// Whether this member has a seat there.
    pub(crate) fn is_seated(&self, member: &MemberId) -> bool {
        self.listed.read(|standing| standing.summary.seats.of_member(member).is_some())
    }
}

impl Lobby {
    /// A lobby without rooms. The rooms' tasks will be among `tasks`.
    pub(crate) fn new(context: RoomContext, tasks: TaskTracker, demo: bool) -> Self {
        Self {
            rooms: DashMap::new(),
            set_aside: Mutex::default(),
            directory: Arc::default(),
            makers: Mutex::default(),
            listing: Mutex::default(),
            context,
            tasks,
            demo_host: demo.then(demo_host),
        }
    }

    /// The room with this code.
    ///
    /// # Errors
    /// When there is none.
    pub(crate) fn find(&self, code: &RoomCode) -> Result<RoomHandle, Refusal> {
        if let Some(room) = self.rooms.get(code) {
            return Ok(room.clone());
        }
        if lock(&self.set_aside).contains(code) {
            let text = "This room cannot be opened, because what is stored of it is damaged. Only \
                        the operator of this server can look into it.";
            return Err(Refusal::new(Reason::Unavailable, text));
        }
        Err(no_such_room())
    }

    /// How the room with this code stands, for somebody who knows its code.
    pub(crate) fn summary(&self, code: &RoomCode) -> Option<RoomSummary> {
        self.rooms.get(code).map(|room| room.listed.standing().summary)
    }

    /// How many rooms there are.
    pub(crate) fn count(&self) -> usize {
        lock(&self.makers).total()
    }

    /// How many games are running.
    pub(crate) fn count_games(&self) -> usize {
        self.rooms.iter().filter(|room| room.listed.read(Standing::is_running)).count()
    }

    /// How many requests wait for the writer of the store, and how many jobs for the bots.
    pub(crate) fn queues(&self) -> (usize, usize) {
        (self.context.log_writer.queued(), self.context.pool.queued())
    }

    /// Makes a room, or finds the one that the same command has made already. Its maker is not
    /// in it yet.
    ///
    /// # Errors
    /// When a limit is reached, or such a room cannot be.
    pub(crate) fn create(
        self: &Arc<Self>,
        maker: Member,
        address: IpAddr,
        command: CommandId,
        create: Create,
    ) -> Result<(RoomCode, RoomHandle), Refusal> {
        let mut makers = lock(&self.makers);
        if let Some(code) = makers.made_by(&maker.id, &command) {
            return Ok((code.clone(), self.find(code)?));
        }
        if makers.total() >= self.context.limits.rooms_max {
            let text = "The server has as many rooms as it can. Try again later.";
            return Err(Refusal::new(Reason::ServerFull, text));
        }
        if !makers.may_ask(address, tokio::time::Instant::now(), &self.context.limits) {
            let text = "Too many rooms were made from your network just now. Wait a minute, or use \
                        a room that you have.";
            return Err(Refusal::new(Reason::TooFast, text));
        }
        self.context.disk.may_grow()?;
        let spared = self.make_place(&makers, &maker.id, address, &create)?;
        let maker_of = Maker { member: maker.id.clone(), address: Some(address) };
        let (room, effects) = self.found(maker, command.clone(), create, false)?;
        for room in &spared {
            // Somebody has entered it just now.
            if !room.listed.evict() {
                return Err(busy());
            }
        }
        for room in &spared {
            self.close_evicted(&mut makers, room);
        }
        let opened = Opened {
            room,
            effects,
            epoch: Epoch::FIRST,
            recorder: Recorder::default(),
            is_new: true,
        };
        let handle = self.open(&mut makers, maker_of, command, opened);
        Ok((handle.code.clone(), handle))
    }

    /// The rooms that have to be closed before the maker may have one more, for each limit that is
    /// reached at most one: none of them is of any use to anybody, or all of them would be in the
    /// way of a new game of their own maker.
    ///
    /// # Errors
    /// When a limit is reached, and none of the rooms can be spared.
    fn make_place(
        &self,
        makers: &Makers,
        maker: &MemberId,
        address: IpAddr,
        create: &Create,
    ) -> Result<Vec<RoomHandle>, Refusal> {
        let mut spared: Vec<RoomHandle> = Vec::new();
        let own = makers.rooms_of(maker);
        if own.len() >= self.context.limits.rooms_per_identity_max {
            let room = self.least_needed(&own, |spare, _| spare <= Spare::Over);
            spared.push(room.ok_or_else(|| too_many_rooms(&own))?);
        }
        for rooms in makers.full_networks(address, self.context.limits.rooms_per_address_max) {
            if spared.iter().any(|room| rooms.contains(&room.code)) {
                continue;
            }
            // Nobody is thrown out of a room, except by its own maker.
            let room = self.least_needed(rooms, |spare, room| {
                spare < Spare::Over || room.maker.member == *maker
            });
            spared.push(room.ok_or_else(too_many_rooms_from_address)?);
        }
        if is_of_bots(create)
            && let Err(refusal) = self.directory.may_seat_bots(Some(address), &self.context.limits)
        {
            let is_of_bots = |room: &RoomHandle| room.listed.read(Standing::is_of_bots);
            if !spared.iter().any(is_of_bots) {
                let rooms = makers.rooms_around(address);
                let room =
                    self.least_needed(rooms, |spare, room| spare < Spare::Over && is_of_bots(room));
                spared.push(room.ok_or(refusal)?);
            }
        }
        Ok(spared)
    }

    /// The one of these rooms, the oldest first, that can be spared most easily.
    fn least_needed(
        &self,
        rooms: &[RoomCode],
        may_close: impl Fn(Spare, &RoomHandle) -> bool,
    ) -> Option<RoomHandle> {
        let spare = |code: &RoomCode| {
            let room = self.rooms.get(code)?.clone();
            let spare = room.listed.read(Standing::spare)?;
            may_close(spare, &room).then_some((spare, room))
        };
        rooms.iter().filter_map(spare).min_by_key(|(spare, _)| *spare).map(|(_, room)| room)
    }

    /// Has an evicted room notice that it is one. It does not count for its maker any more.
    fn close_evicted(&self, makers: &mut Makers, room: &RoomHandle) {
        makers.release(&room.maker, &room.code);
        let outbox = Arc::new(Outbox::new(&self.context.stop, Owner::UNKNOWN).0);
        // Where the mailbox is full, the room notices when it takes the next envelope.
        drop(room.mailbox.try_send(Envelope { input: Input::Wake, outbox }));
    }

    /// Makes the room itself.
    fn found(
        &self,
        host: Member,
        command: CommandId,
        create: Create,
        demo: bool,
    ) -> Result<(Room, Effects), Refusal> {
        let mut effects = Effects::new();
        let founding = Founding {
            code: self.unused_code(),
            host,
            command,
            create,
            coin: ids::coin(),
            seeds: ids::seeds(),
            demo,
        };
        let now = self.context.clock.now();
        Room::create(now, founding, self.context.limits.room, &mut effects)
            .map(|room| (room, effects))
    }

    /// Keeps a room closed that cannot be read; its log is left as it is.
    pub(crate) fn set_aside(&self, room: RoomCode, problem: &str) {
        tracing::error!(
            room.id = %room,
            problem,
            "a room is damaged and set aside; the others are served. To export and close it, stop \
             the server and run `fivefold-server check --repair`"
        );
        lock(&self.set_aside).insert(room);
    }

    /// How many rooms are set aside.
    pub(crate) fn count_set_aside(&self) -> usize {
        lock(&self.set_aside).len()
    }

    /// Opens a room that was open when the server stopped. Nobody is present there. A log that is
    /// none is left as it is, for a server that knows what to make of it.
    pub(crate) fn reopen(self: &Arc<Self>, claim: Claim, log: &[Entry]) {
        let Claim { room: code, epoch } = claim;
        let mut effects = Effects::new();
        let room = Room::from_log(
            self.context.clock.now(),
            code.clone(),
            ids::seeds(),
            log,
            self.context.limits.room,
            &mut effects,
        );
        match (room, log.first().and_then(|entry| entry.cause.clone())) {
            (Ok(room), Some(Cause { member, command })) => {
                let recorder = room_actor::recorder_of(log);
                let opened = Opened { room, effects, epoch, recorder, is_new: false };
                // From where it was made is forgotten: it counts for no address.
                let maker = Maker { member, address: None };
                self.open(&mut lock(&self.makers), maker, command, opened);
            }
            (Ok(_), None) => self.set_aside(code, "nobody made the room"),
            (Err(error), _) => self.set_aside(code, &error.to_string()),
        }
    }

    fn open(
        self: &Arc<Self>,
        makers: &mut Makers,
        maker: Maker,
        command: CommandId,
        opened: Opened,
    ) -> RoomHandle {
        let room = &opened.room;
        let code = room.code().clone();
        let (mailbox, envelopes) = mpsc::channel(MAILBOX_INPUTS_MAX);
        let listed = self.directory.list(room, maker.address, opened.is_new);
        makers.add(&maker, command, &code);
        let handle = RoomHandle { code: code.clone(), maker, mailbox, listed: Arc::clone(&listed) };
        self.rooms.insert(code.clone(), handle.clone());
        tracing::debug!(room.id = %code, "room opened");

        let lobby = Arc::clone(self);
        self.tasks.spawn(async move {
            room_actor::run(opened, envelopes, listed, lobby.context.clone()).await;
            lobby.remove(&code);
        });
        handle
    }

    fn remove(&self, code: &RoomCode) {
        let mut makers = lock(&self.makers);
        if let Some((_, room)) = self.rooms.remove(code) {
            makers.remove(&room.maker, code);
            room.listed.remove(code);
        }
        tracing::debug!(room.id = %code, "room closed");
    }

    fn unused_code(&self) -> RoomCode {
        loop {
            let code = ids::room_code();
            if !self.rooms.contains_key(&code) {
                return code;
            }
        }
    }

    /// The public rooms: those that wait for a player first, then those with a running game. The
    /// list is reused for a hundred times as long as it took to make: at once on a small server,
    /// after at most a second on a large one.
    pub(crate) fn list(self: &Arc<Self>) -> RoomList {
        let mut listing = lock(&self.listing);
        let begun = Instant::now();
        if listing.fresh_until.is_none_or(|until| until <= begun) {
            let has_game;
            (listing.list, has_game) = self.make_list();
            if !has_game && self.begin_show() {
                (listing.list, _) = self.make_list();
            }
            let cost = begun.elapsed();
            let age: Duration = (cost * LISTING_REST).min(LISTING_AGE_MAX);
            listing.fresh_until = Some(begun + age);
        }
        listing.list.clone()
    }

    /// The open rooms that a member has made or has a seat in: those where it is their turn first,
    /// then those with another running game, then those that wait for a player, then the rest.
    pub(crate) fn own_rooms(&self, member: &MemberId) -> Vec<OwnRoom> {
        let codes = self.directory.rooms_of(member);
        let mut rooms: Vec<_> = codes
            .iter()
            .rev()
            .take(OWN_ROOMS_SEEN_MAX)
            .filter_map(|code| self.rooms.get(code)?.listed.own_room(member))
            .collect();
        rooms.sort_by_key(|room| match room.summary.phase {
            Phase::Running if room.your_turn => 0,
            Phase::Running => 1,
            Phase::Waiting => 2,
            Phase::Finished => 3,
        });
        rooms.truncate(ROOMS_MAX);
        rooms
    }

    /// Has two bots play, if there is nothing to be seen. Whether they do.
    ///
    /// No limit on rooms holds for this one, so that nobody can fill the server and keep it away;
    /// but it counts.
    fn begin_show(self: &Arc<Self>) -> bool {
        let Some(demo_host) = self.demo_host.clone() else { return false };
        let mut makers = lock(&self.makers);
        if self.context.disk.may_grow().is_err() {
            return false;
        }
        let shown = makers.rooms_of(&demo_host.id);
        if shown.len() >= DEMO_ROOMS_MAX {
            // Nobody keeps a new game away by staying where one is over.
            match self.least_needed(&shown, |spare, _| spare <= Spare::Over) {
                Some(room) if room.listed.evict() => self.close_evicted(&mut makers, &room),
                Some(_) | None => return false,
            }
        }
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).expect("the usual board");
        let show = Create {
            rules,
            visibility: Visibility::Public,
            assistance: false,
            seats: DEMO_BOTS.map(SeatRequest::Bot),
            colour: Colour::Random,
            time: TimeControl::None,
            chat: true,
        };
        let (maker, command) = (demo_host.id.clone(), ids::command_id());
        let (room, effects) =
            self.found(demo_host, command.clone(), show, true).expect("two usual bots");
        let (epoch, recorder) = (Epoch::FIRST, Recorder::default());
        let opened = Opened { room, effects, epoch, recorder, is_new: false };
        let maker = Maker { member: maker, address: None };
        self.open(&mut makers, maker, command, opened);
        true
    }

    /// The list, and whether a public game is running.
    fn make_list(&self) -> (RoomList, bool) {
        let is_public = |room: &RoomHandle| room.listed.is_public();
        let mut public: Vec<_> = self
            .rooms
            .iter()
            .filter(|room| is_public(room))
            .map(|room| room.listed.standing().summary)
            .collect();
        let total = public.len();
        let has_game = public.iter().any(|room| room.phase == Phase::Running);
        let rank = |room: &RoomSummary| match room.phase {
            Phase::Waiting => 0,
            Phase::Running => 1,
            Phase::Finished => 2,
        };
        let order = |a: &RoomSummary, b: &RoomSummary| {
            rank(a).cmp(&rank(b)).then_with(|| a.room.cmp(&b.room))
        };
        if total > ROOMS_MAX {
            public.select_nth_unstable_by(ROOMS_MAX, order);
            public.truncate(ROOMS_MAX);
        }
        public.sort_unstable_by(order);
        (RoomList { rooms: public, total }, has_game)
    }
}

/// In whose name the bots play; somebody new at each start.
fn demo_host() -> Member {
    let id = ids::member_id(&ids::identity());
    Member { name: ids::guest_name(&id), id }
}

/// The answer to a code that no room has.
pub(crate) fn no_such_room() -> Refusal {
    Refusal::new(Reason::NoSuchRoom, "There is no room with this code (any more).")
}

fn too_many_rooms(own: &[RoomCode]) -> Refusal {
    let named: Vec<_> = own.iter().take(ROOMS_NAMED_MAX).map(RoomCode::as_str).collect();
    let text = format!(
        "You have {} open rooms, as many as you may, and all of them are in use. Close one first: \
         {}.",
        own.len(),
        named.join(", ")
    );
    Refusal::new(Reason::TooManyRooms, text)
}

fn too_many_rooms_from_address() -> Refusal {
    let text = "As many rooms are open from your network as may be, and all of them are in use. \
                Close one of yours, or wait until one closes.";
    Refusal::new(Reason::TooManyRoomsFromAddress, text)
}

fn busy() -> Refusal {
    Refusal::new(Reason::Busy, "The lobby is busy. Try again in a moment.")
}

/// Whether bots are to have both seats.
fn is_of_bots(create: &Create) -> bool {
    create.seats.iter().all(|seat| match seat {
        SeatRequest::Bot(_) => true,
        SeatRequest::Me | SeatRequest::Open => false,
    })
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing here panics between two changes that belong together.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
