//! The lobby: finds, creates and lists rooms, and decides which room makes way for a new one. When
//! somebody asks for the list and no public game is running, it starts a demo game between two bots.
//!
//! It does not know what happens inside a room.

mod accepted_challenges;
mod listing;
mod lists_of_other_versions;
mod makers;
mod operators;
mod other_nodes;
mod paired;
mod peer_lists;
mod room_list;
mod sleeping;
mod tv;
mod unattended;
mod who_is_online;

use std::{
    collections::{HashMap, HashSet},
    net::IpAddr,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use dashmap::DashMap;
use fivefold_shared::{
    bot_spec::{BotKind, BotSpec},
    clock::TimeControl,
    opening::OpeningKind,
    protocol::{
        Colour, CommandId, Create, MemberId, Reason, Refusal, RefusalValues, RoomCode, SeatRequest,
        Visibility,
    },
    room::{Effects, Founding, Input, Member, Pair, Room, Spare, Standing},
    rules::{Rules, Size, Variant},
};
use tokio::{
    sync::{Notify, SetOnce, mpsc},
    time::{Instant, sleep},
};
use tokio_util::task::TaskTracker;

use self::{
    makers::{Maker, Makers},
    peer_lists::PeerLists,
    room_list::Listing,
    tv::Tv,
};
pub(crate) use self::{
    operators::NodeStatus,
    other_nodes::People,
    paired::{DailyStart, NotPaired, PairedRoom},
};
use crate::{
    accounts::guest_names::guest_name,
    cluster::frame::AddressUse,
    limits::{DEMO_ROOMS_MAX, MAILBOX_INPUTS_MAX, ROOMS_NAMED_MAX},
    net::network::Network,
    online::outbox::Outbox,
    process::ids,
    rooms::{
        directory::{Directory, Listed},
        relay::RelayedSeats,
        room_actor::{self, Envelope, Opened, RoomContext},
    },
    thinking::Owner,
};

/// How long a node that has not seen the bus yet lets those wait who come.
const BUS_AWAITED: Duration = Duration::from_secs(2);
/// It looks for the bus after this time again.
const BUS_LOOKED_FOR_EVERY: Duration = Duration::from_millis(50);

/// Space for so many rooms stays when they have closed.
const ROOM_PLACES_KEPT: usize = 4_096;

/// The players of the demo game: two cheap bots of similar strength.
const DEMO_BOTS: [BotSpec; 2] = [
    BotSpec { kind: BotKind::Pattern, level: None },
    BotSpec { kind: BotKind::Attack, level: None },
];

/// All rooms.
#[derive(Debug)]
pub(crate) struct Lobby {
    rooms: DashMap<RoomCode, RoomHandle>,
    /// Rooms that are open in the storage but cannot be read. Locked only to look up.
    set_aside: Mutex<HashSet<RoomCode>>,
    directory: Arc<Directory>,
    /// Notified when something is stored that rooms here may have to learn.
    news: Notify,
    /// The creators of the rooms. Locked only to look up and to create a room, which never awaits;
    /// taken before any lock inside `rooms`.
    makers: Mutex<Makers>,
    /// Locked while the list is built, also while names are read: the others wait for the same list.
    listing: tokio::sync::Mutex<Listing>,
    tv: Tv,
    /// The public rooms of other nodes.
    peer_lists: PeerLists,
    context: Arc<RoomContext>,
    tasks: TaskTracker,
    /// The creator of demo games, if they are enabled.
    demo_host: Option<Member>,
    /// The creator of the rooms of players who are paired: nobody is their host.
    pairing_host: Member,
}

/// From where a room is asked for.
struct Origin {
    address: IpAddr,
    /// Whether the room is one of the daily ones that guests at the address may make in a day.
    is_limited: bool,
}

/// Gives access to a room; cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct RoomHandle {
    code: RoomCode,
    mailbox: mpsc::Sender<Box<Envelope>>,
    /// Copies share it.
    known: Arc<Knowledge>,
}

/// A room as this node knows it.
#[derive(Debug, Default)]
struct Knowledge {
    /// Empty while another node owns the room, or this one is about to open it.
    owned: SetOnce<Owned>,
    /// Absent in a room that was made here, or opened at the start.
    seats: Option<RelayedSeats>,
}

/// The entry of a room that this node owns.
#[derive(Debug)]
struct Owned {
    maker: Maker,
    listed: Arc<Listed>,
}

impl RoomHandle {
    pub(crate) const fn code(&self) -> &RoomCode {
        &self.code
    }

    /// The room's mailbox.
    pub(crate) const fn mailbox(&self) -> &mpsc::Sender<Box<Envelope>> {
        &self.mailbox
    }

    /// Whether this member has a seat in the room, as far as it is known here.
    pub(crate) fn is_seated(&self, member: &MemberId) -> bool {
        let has_seat = |standing: &Standing| standing.summary.seats.of_member(member).is_some();
        match self.listed() {
            Some(listed) => listed.read(has_seat),
            None => self.known.seats.as_ref().is_some_and(|seats| seats.contains(member)),
        }
    }

    /// Whether another node owns the room.
    pub(crate) fn is_relayed(&self) -> bool {
        self.known.owned.get().is_none()
    }

    /// Whether the room is this node's, and closed.
    pub(crate) fn is_closed(&self) -> bool {
        self.listed().is_some_and(|listed| listed.read(|standing| standing.is_closed))
    }

    fn listed(&self) -> Option<&Arc<Listed>> {
        self.known.owned.get().map(|owned| &owned.listed)
    }
}

impl Lobby {
    /// An empty lobby. It spawns the rooms' tasks on `tasks`.
    pub(crate) fn new(context: RoomContext, tasks: TaskTracker, demo: bool) -> Self {
        Self {
            rooms: DashMap::new(),
            set_aside: Mutex::default(),
            directory: Arc::default(),
            news: Notify::new(),
            makers: Mutex::default(),
            listing: tokio::sync::Mutex::default(),
            tv: Tv::default(),
            peer_lists: PeerLists::default(),
            context: Arc::new(context),
            tasks,
            demo_host: demo.then(server_member),
            pairing_host: server_member(),
        }
    }

    /// Finds the room with this code among those that are known here, or relayed.
    ///
    /// # Errors
    /// If there is none.
    pub(crate) fn find_here(&self, code: &RoomCode) -> Result<RoomHandle, Refusal> {
        if let Some(room) = self.rooms.get(code) {
            return Ok(room.clone());
        }
        if lock(&self.set_aside).contains(code) {
            return Err(Refusal::new(Reason::RoomDamaged));
        }
        Err(no_such_room())
    }

    /// Whether this node has not been connected to the bus yet; never where there is none.
    pub(crate) fn lacks_bus(&self) -> bool {
        self.context.cluster.as_ref().is_some_and(|cluster| !cluster.has_seen_bus())
    }

    /// Whether no heartbeat of this node was answered lately: others may take it for dead.
    pub(crate) fn is_out_of_date(&self) -> bool {
        self.context.cluster.as_ref().is_some_and(|cluster| !cluster.node.is_current())
    }

    /// Whether this node takes sessions: not before it has seen the bus, if other nodes have. After a start
    /// that is a matter of a moment, so this waits for it.
    pub(crate) async fn takes_sessions(&self) -> bool {
        let Some(cluster) = &self.context.cluster else { return true };
        let deadline = Instant::now() + BUS_AWAITED;
        while cluster.waits_for_bus() {
            if Instant::now() >= deadline {
                return false;
            }
            sleep(BUS_LOOKED_FOR_EVERY).await;
        }
        true
    }

    /// Whether clients are better served by other nodes.
    pub(crate) fn is_cut_off(&self) -> bool {
        self.context.cluster.as_ref().is_some_and(|cluster| cluster.is_cut_off())
    }

    /// Whether messages come back from the bus; nothing on a server without one.
    pub(crate) fn sees_bus(&self) -> Option<bool> {
        self.context.cluster.as_ref().map(|cluster| cluster.sees_bus())
    }

    /// Number of rooms in which two bots play.
    pub(crate) fn count_bot_rooms(&self) -> usize {
        self.directory.count_bot_rooms()
    }

    /// Whether this node's rooms end, because they have or may have other owners.
    pub(crate) fn is_retired(&self) -> bool {
        self.context.cluster.as_ref().is_some_and(|cluster| cluster.node.is_retired())
    }

    /// Whether an operator lets this node take no new rooms.
    pub(crate) fn is_paused(&self) -> bool {
        self.context.operation.is_paused()
    }

    /// Whether this node takes no new rooms and another one does.
    pub(crate) fn leaves_rooms_to_others(&self) -> bool {
        self.context.cluster.as_ref().is_some_and(|cluster| cluster.leaves_rooms_to_others())
    }

    /// Checks that a new game may begin in a new room here.
    ///
    /// # Errors
    /// If an operator has paused that.
    pub(crate) fn may_make_rooms(&self) -> Result<(), Refusal> {
        if self.is_paused() { Err(Refusal::new(Reason::Paused)) } else { Ok(()) }
    }

    /// Whether there are other nodes.
    pub(crate) fn is_clustered(&self) -> bool {
        self.context.cluster.is_some()
    }

    /// Number of rooms.
    pub(crate) fn count(&self) -> usize {
        lock(&self.makers).total()
    }

    /// Number of running games.
    pub(crate) fn count_games(&self) -> usize {
        let is_running = |listed: &Arc<Listed>| listed.read(Standing::is_running);
        self.rooms.iter().filter(|room| room.listed().is_some_and(is_running)).count()
    }

    /// Number of requests waiting for the log writer, and of jobs waiting for the bots.
    pub(crate) fn queues(&self) -> (usize, usize) {
        (self.context.log_writer.queued(), self.context.pool.queued())
    }

    /// Creates a room, or finds the one that the same command created before. The creator has not
    /// entered it yet.
    ///
    /// # Errors
    /// If a limit is reached, or the request is invalid.
    pub(crate) async fn create(
        self: &Arc<Self>,
        maker: Member,
        address: IpAddr,
        has_account: bool,
        command: CommandId,
        create: Create,
    ) -> Result<RoomHandle, Refusal> {
        let is_daily = create.time.is_daily();
        if is_daily {
            // No other rooms sleep. It is there also in the moment in which it falls asleep or wakes.
            if let Some(room) = self.made_daily(&maker.id, &command).await? {
                return self.find(&room).await;
            }
            self.may_take_daily_place(&maker.id).await?;
        }
        let from = Origin { address, is_limited: is_daily && !has_account };
        if let Some(cluster) = &self.context.cluster {
            if !cluster.node.is_current() {
                return Err(Refusal::new(Reason::Unavailable));
            }
            let id = maker.id.clone();
            let made = cluster.rooms.try_read(move |rooms| rooms.made_by(&id)).await?;
            if let Some(made) = made.iter().find(|made| made.command == command) {
                return self.find(&made.room).await;
            }
            let elsewhere = self.made_elsewhere(cluster, &maker.id, made).await;
            let elsewhere = elsewhere.into_iter().map(|made| made.room).collect();
            return self.create_here(maker, from, command, create, elsewhere);
        }
        self.create_here(maker, from, command, create, Vec::new())
    }

    /// The same for a creator who has these rooms on other nodes.
    fn create_here(
        self: &Arc<Self>,
        maker: Member,
        Origin { address, is_limited }: Origin,
        command: CommandId,
        create: Create,
        elsewhere: Vec<RoomCode>,
    ) -> Result<RoomHandle, Refusal> {
        let mut makers = lock(&self.makers);
        if let Some(code) = makers.made_by(&maker.id, &command) {
            return self.find_here(code);
        }
        if makers.total() >= self.context.limits.rooms_max {
            return Err(Refusal::new(Reason::ServerFull));
        }
        if !makers.may_ask(address, Instant::now(), &self.context.limits) {
            return Err(Refusal::new(Reason::TooManyRoomsMade));
        }
        self.may_make_rooms()?;
        self.context.disk.may_grow()?;
        let spared = self.make_place(&makers, &maker.id, address, &create, elsewhere)?;
        if is_limited && !makers.take_daily(address, Instant::now(), &self.context.limits) {
            return Err(Refusal::new(Reason::TooManyRoomsMade));
        }
        let maker_of = Maker { member: Some(maker.id.clone()), address: Some(address) };
        let founded = self.found(maker, command.clone(), create, false, None)?;
        self.close_spared(&mut makers, &spared)?;
        let opened = Opened { is_new: true, ..founded };
        Ok(self.open(&mut makers, maker_of, command, opened))
    }

    /// The rooms to close before the creator may have one more: at most one for each limit reached.
    /// Only rooms without people qualify, and the creator's own rooms whose game is over.
    ///
    /// # Errors
    /// If a limit is reached, and no room can be spared.
    fn make_place(
        &self,
        makers: &Makers,
        maker: &MemberId,
        address: IpAddr,
        create: &Create,
        elsewhere: Vec<RoomCode>,
    ) -> Result<Vec<RoomHandle>, Refusal> {
        let mut spared: Vec<RoomHandle> = Vec::new();
        let mut own = makers.rooms_of(maker);
        if own.len() + elsewhere.len() >= self.context.limits.rooms_per_identity_max {
            let room = self.least_needed(&own, |spare, _| spare <= Spare::Over);
            own.extend(elsewhere);
            spared.push(room.ok_or_else(|| too_many_rooms(&own))?);
        }
        self.make_place_at(makers, Some(maker), address, &mut spared)?;
        if is_of_bots(create)
            && let Err(refusal) = self.directory.may_seat_bots(Some(address), &self.context.limits)
        {
            let is_of_bots = |room: &RoomHandle| {
                room.listed().is_some_and(|listed| listed.read(Standing::is_of_bots))
            };
            if !spared.iter().any(is_of_bots) {
                let rooms = makers.rooms_around(address);
                let room =
                    self.least_needed(rooms, |spare, room| spare < Spare::Over && is_of_bots(room));
                spared.push(room.ok_or(refusal)?);
            }
        }
        Ok(spared)
    }

    /// Adds the rooms to close before one more may come from this address.
    ///
    /// # Errors
    /// If a limit is reached, and no room can be spared.
    fn make_place_at(
        &self,
        makers: &Makers,
        maker: Option<&MemberId>,
        address: IpAddr,
        spared: &mut Vec<RoomHandle>,
    ) -> Result<(), Refusal> {
        for rooms in makers.full_networks(address, self.context.limits.rooms_per_address_max) {
            if spared.iter().any(|room| rooms.contains(&room.code)) {
                continue;
            }
            // Only a room's own creator can cause its members to be removed.
            let room = self
                .least_needed(rooms, |spare, room| spare < Spare::Over || maker_of(room) == maker);
            spared.push(room.ok_or_else(too_many_rooms_from_address)?);
        }
        Ok(())
    }

    /// Closes rooms that are spared.
    ///
    /// # Errors
    /// If somebody entered one of them in the meantime. Then none is closed.
    fn close_spared(&self, makers: &mut Makers, spared: &[RoomHandle]) -> Result<(), Refusal> {
        for room in spared {
            if !room.listed().is_some_and(|listed| listed.evict()) {
                return Err(busy());
            }
        }
        for room in spared {
            self.close_evicted(makers, room);
        }
        Ok(())
    }

    /// The networks that have many rooms here, or have asked for many.
    pub(crate) fn address_use(&self, now: Instant) -> AddressUse {
        let limits = &self.context.limits;
        let mut makers = lock(&self.makers);
        AddressUse {
            rooms: makers.above_quarter(limits.rooms_per_address_max),
            rooms_asked: makers.report(now),
            daily_asked: makers.report_daily(now),
            bot_rooms: self.directory.bot_rooms_above_quarter(limits.bot_rooms_per_address_max),
            ..AddressUse::default()
        }
    }

    /// Forgets networks without rooms that have their full allowance.
    pub(crate) fn forget_unused_networks(&self, now: Instant) {
        lock(&self.makers).forget_unused(now);
    }

    /// Other nodes were asked for rooms from these networks, and by guests for daily ones.
    pub(crate) fn take_elsewhere(
        &self,
        asked: &[(Network, u32)],
        daily: &[(Network, u32)],
        now: Instant,
    ) {
        lock(&self.makers).take_elsewhere(asked, daily, now, &self.context.limits);
    }

    /// Counts in the rooms that networks have on other nodes, and those with bots in both seats.
    pub(crate) fn set_elsewhere(
        &self,
        rooms: HashMap<Network, usize>,
        bot_rooms: HashMap<Network, usize>,
    ) {
        lock(&self.makers).set_elsewhere(rooms);
        self.directory.set_bot_rooms_elsewhere(bot_rooms);
    }

    /// The room that can be spared most easily; the oldest of equals, as `rooms` are ordered by
    /// age.
    fn least_needed(
        &self,
        rooms: &[RoomCode],
        may_close: impl Fn(Spare, &RoomHandle) -> bool,
    ) -> Option<RoomHandle> {
        let spare = |code: &RoomCode| {
            let room = self.rooms.get(code)?.clone();
            let spare = room.listed()?.read(Standing::spare)?;
            may_close(spare, &room).then_some((spare, room))
        };
        rooms.iter().filter_map(spare).min_by_key(|(spare, _)| *spare).map(|(_, room)| room)
    }

    /// Notifies a room that it is evicted. It stops counting for its creator.
    fn close_evicted(&self, makers: &mut Makers, room: &RoomHandle) {
        if let Some(owned) = room.known.owned.get() {
            makers.release(&owned.maker, &room.code);
        }
        // If the mailbox is full, the room notices when it takes the next envelope.
        self.give(room, Input::Wake);
    }

    /// Gives a room an input of the server, unless its mailbox is full.
    fn give(&self, room: &RoomHandle, input: Input) {
        let outbox = Arc::new(Outbox::new(&self.context.stop, Owner::UNKNOWN).0);
        drop(room.mailbox.try_send(Box::new(Envelope::Session { input, outbox })));
    }

    /// Makes a room, without opening it.
    fn found(
        &self,
        host: Member,
        command: CommandId,
        create: Create,
        demo: bool,
        paired: Option<Pair>,
    ) -> Result<Opened, Refusal> {
        let mut effects = Effects::new();
        let founding = Founding {
            code: self.unused_code(),
            host,
            command,
            create,
            coin: ids::coin(),
            seeds: ids::seeds(),
            demo,
            paired,
        };
        let now = self.context.clock.now();
        let room = Room::create(now, founding, self.context.limits.room, &mut effects)?;
        Ok(Opened::founded(room, effects, now))
    }

    /// Keeps a room closed whose log cannot be read. The log stays as it is.
    pub(crate) fn set_aside(&self, room: RoomCode, problem: &str) {
        tracing::error!(
            room.id = %room,
            problem,
            "a room is damaged and set aside; the others are served. To export and close it, stop \
             the server and run `fivefold-server check --repair`"
        );
        lock(&self.set_aside).insert(room);
    }

    /// Number of rooms set aside.
    pub(crate) fn count_set_aside(&self) -> usize {
        lock(&self.set_aside).len()
    }

    fn open(
        self: &Arc<Self>,
        makers: &mut Makers,
        maker: Maker,
        command: CommandId,
        opened: Opened,
    ) -> RoomHandle {
        let code = opened.room.code().clone();
        let (mailbox, envelopes) = mpsc::channel(MAILBOX_INPUTS_MAX);
        let known = Arc::<Knowledge>::default();
        let listed = self.list_owned(makers, &known, maker, command, &opened);
        let handle = RoomHandle { code: code.clone(), mailbox, known };
        self.rooms.insert(code.clone(), handle.clone());
        tracing::debug!(room.id = %code, "room opened");

        let lobby = Arc::clone(self);
        let context = Arc::clone(&self.context);
        let forget = move |damage| lobby.forget(&code, damage);
        self.tasks.spawn(room_actor::run(opened, envelopes, listed, context, forget));
        handle
    }

    /// Counts a room for its maker, and adds it to the directory.
    fn list_owned(
        &self,
        makers: &mut Makers,
        known: &Knowledge,
        maker: Maker,
        command: CommandId,
        opened: &Opened,
    ) -> Arc<Listed> {
        let listed =
            self.directory.list(&opened.room, command.clone(), maker.address, opened.is_new);
        makers.add(&maker, command, opened.room.code());
        let owner = Owned { maker, listed: Arc::clone(&listed) };
        assert!(known.owned.set(owner).is_ok(), "a room becomes this node's once");
        listed
    }

    /// A room's task has ended. It is set aside if its log cannot be read.
    fn forget(&self, code: &RoomCode, damage: Option<String>) {
        if let Some(problem) = damage {
            self.set_aside(code.clone(), &problem);
        }
        self.remove(code);
    }

    fn remove(&self, code: &RoomCode) {
        let mut makers = lock(&self.makers);
        if let Some((_, room)) = self.rooms.remove(code)
            && let Some(Owned { maker, listed }) = room.known.owned.get()
        {
            makers.remove(maker, code);
            listed.remove(code);
        }
        if self.rooms.capacity() > ROOM_PLACES_KEPT && self.rooms.len() < self.rooms.capacity() / 8
        {
            self.rooms.shrink_to_fit();
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

    /// Starts a game between two bots, unless one is running. Returns whether it started one.
    ///
    /// No limit on rooms applies, so nobody can prevent it by filling the server.
    fn start_demo(self: &Arc<Self>) -> bool {
        let Some(demo_host) = self.demo_host.clone() else { return false };
        let mut makers = lock(&self.makers);
        if self.is_paused() || self.context.disk.may_grow().is_err() {
            return false;
        }
        let shown = makers.rooms_of(&demo_host.id);
        if shown.len() >= DEMO_ROOMS_MAX {
            // Spectators of a finished demo do not prevent a new one.
            match self.least_needed(&shown, |spare, _| spare <= Spare::Over) {
                Some(room) if room.listed().is_some_and(|listed| listed.evict()) => {
                    self.close_evicted(&mut makers, &room);
                }
                Some(_) | None => return false,
            }
        }
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).expect("the usual board");
        let demo = Create {
            rules,
            visibility: Visibility::Public,
            assistance: false,
            seats: DEMO_BOTS.map(SeatRequest::Bot),
            colour: Colour::Random,
            time: TimeControl::None,
            opening: OpeningKind::Free,
            chat: true,
        };
        let (maker, command) = (demo_host.id.clone(), ids::command_id());
        let opened =
            self.found(demo_host, command.clone(), demo, true, None).expect("two usual bots");
        let maker = Maker { member: Some(maker), address: None };
        self.open(&mut makers, maker, command, opened);
        true
    }
}

/// A creator of the server's own rooms; a new identity at each start.
fn server_member() -> Member {
    let id = ids::member_id(&ids::identity());
    Member::person(id.clone(), guest_name(&id))
}

fn maker_of(room: &RoomHandle) -> Option<&MemberId> {
    room.known.owned.get()?.maker.member.as_ref()
}

/// The refusal of an unknown room code.
pub(crate) fn no_such_room() -> Refusal {
    Refusal::new(Reason::NoSuchRoom)
}

fn too_many_rooms(own: &[RoomCode]) -> Refusal {
    let rooms = own.iter().take(ROOMS_NAMED_MAX).cloned().collect();
    Refusal::with(Reason::TooManyRooms, RefusalValues { rooms, ..RefusalValues::default() })
}

fn too_many_rooms_from_address() -> Refusal {
    Refusal::new(Reason::TooManyRoomsFromAddress)
}

fn busy() -> Refusal {
    Refusal::new(Reason::Busy)
}

/// Whether bots take both seats.
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
