//! The lobby: which rooms there are, making new ones, and the list of the public ones. Where
//! nobody plays in public and somebody asks for the list, two bots begin a game.
//!
//! What goes on in a room is unknown here.

use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use dashmap::DashMap;
use fivefold_shared::{
    bot::{BotKind, BotSpec},
    clock::TimeControl,
    protocol::{
        Colour, CommandId, Create, MemberId, OwnRoom, Phase, ROOMS_MAX, Reason, Refusal, RoomCode,
        RoomSummary, SeatRequest, Visibility,
    },
    record::Recorder,
    rules::{Rules, Size, Variant},
};
use tokio::sync::mpsc;
use tokio_util::task::TaskTracker;

use crate::{
    chance,
    directory::{Directory, Listed, Standing},
    limits::{LISTING_AGE_MAX, LISTING_REST, Limits, MAILBOX_INPUTS_MAX, OWN_ROOMS_SEEN_MAX},
    room::{
        Cause, Effects, Entry, Founding, Member, Room,
        actor::{self, Letter, Opened, Surroundings},
    },
    store::{Claim, Epoch},
};

/// Who plays when nobody else does: two that are cheap, and lose to each other.
const SHOW_BOTS: [BotSpec; 2] = [
    BotSpec { kind: BotKind::Pattern, strength: None },
    BotSpec { kind: BotKind::Attack, strength: None },
];

/// All rooms.
#[derive(Debug)]
pub(crate) struct Lobby {
    rooms: DashMap<RoomCode, RoomHandle>,
    directory: Arc<Directory>,
    /// Rooms that are open in the storage and cannot be read. Held only to look up.
    set_aside: Mutex<HashSet<RoomCode>>,
    /// Who has made which. Held only to look up and to make a room, which waits for nothing;
    /// taken before any lock inside `rooms`.
    makers: Mutex<Makers>,
    /// Held to make the list, so that only one session makes it.
    listing: Mutex<Listing>,
    limits: Limits,
    around: Surroundings,
    tasks: TaskTracker,
    /// Who makes the games between bots, if there are to be any.
    showman: Option<Member>,
}

/// The way to a room.
#[derive(Clone, Debug)]
pub(crate) struct RoomHandle {
    mailbox: mpsc::Sender<Letter>,
    listed: Arc<Listed>,
}

#[derive(Debug, Default)]
struct Makers {
    /// The open rooms of each, with the command that made them.
    rooms: HashMap<MemberId, Vec<(CommandId, RoomCode)>>,
    total: usize,
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
    pub(crate) const fn mailbox(&self) -> &mpsc::Sender<Letter> {
        &self.mailbox
    }
}

impl Lobby {
    /// A lobby without rooms. The rooms' tasks will be among `tasks`.
    pub(crate) fn new(
        limits: Limits,
        around: Surroundings,
        tasks: TaskTracker,
        show: bool,
    ) -> Self {
        Self {
            rooms: DashMap::new(),
            directory: Arc::default(),
            set_aside: Mutex::default(),
            makers: Mutex::default(),
            listing: Mutex::default(),
            limits,
            around,
            tasks,
            showman: show.then(showman),
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
        lock(&self.makers).total
    }

    /// How many games are running.
    pub(crate) fn count_games(&self) -> usize {
        self.rooms.iter().filter(|room| room.listed.read(Standing::is_running)).count()
    }

    /// How many requests wait for the writer of the store, and how many jobs for the bots.
    pub(crate) fn queues(&self) -> (usize, usize) {
        (self.around.store.queued(), self.around.pool.queued())
    }

    /// Makes a room, or finds the one that the same command has made already. Its maker is not
    /// in it yet.
    ///
    /// # Errors
    /// When a limit is reached, or such a room cannot be.
    pub(crate) fn create(
        self: &Arc<Self>,
        maker: Member,
        command: CommandId,
        create: Create,
    ) -> Result<(RoomCode, RoomHandle), Refusal> {
        self.make(maker, command, create, true)
    }

    /// Makes a room, which its maker is about to enter, or not.
    fn make(
        self: &Arc<Self>,
        maker: Member,
        command: CommandId,
        create: Create,
        is_entered: bool,
    ) -> Result<(RoomCode, RoomHandle), Refusal> {
        let mut makers = lock(&self.makers);
        let own = makers.rooms.get(&maker.id).map_or(&[][..], Vec::as_slice);
        if let Some((_, code)) = own.iter().find(|(by, _)| *by == command) {
            return Ok((code.clone(), self.find(code)?));
        }
        if own.len() >= self.limits.rooms_per_identity_max {
            let text = "You have made as many rooms as you may. Use one, or wait until it closes.";
            return Err(Refusal::new(Reason::TooManyRooms, text));
        }
        if makers.total >= self.limits.rooms_max {
            let text = "The server has as many rooms as it can. Try again later.";
            return Err(Refusal::new(Reason::ServerFull, text));
        }

        self.around.disk.may_grow()?;

        let code = self.unused_code();
        let mut founding = Effects::new();
        let room = Room::create(
            self.around.clock.now(),
            Founding {
                code: code.clone(),
                host: maker.clone(),
                command: command.clone(),
                create,
                coin: chance::coin(),
                luck: chance::luck(),
            },
            self.limits,
            &mut founding,
        )?;
        let recorder = Recorder::default();
        let epoch = Epoch::FIRST;
        let opened = Opened { room, effects: founding, epoch, recorder, is_new: is_entered };
        let handle = self.open(&mut makers, maker.id, command, opened);
        Ok((code, handle))
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
            self.around.clock.now(),
            code.clone(),
            chance::luck(),
            log,
            self.limits,
            &mut effects,
        );
        match (room, log.first().and_then(|entry| entry.cause.clone())) {
            (Ok(room), Some(Cause { member, command })) => {
                let recorder = actor::recorder_of(log);
                let opened = Opened { room, effects, epoch, recorder, is_new: false };
                self.open(&mut lock(&self.makers), member, command, opened);
            }
            (Ok(_), None) => self.set_aside(code, "nobody made the room"),
            (Err(error), _) => self.set_aside(code, &error.to_string()),
        }
    }

    fn open(
        self: &Arc<Self>,
        makers: &mut Makers,
        maker: MemberId,
        command: CommandId,
        opened: Opened,
    ) -> RoomHandle {
        let room = &opened.room;
        let (mailbox, letters) = mpsc::channel(MAILBOX_INPUTS_MAX);
        let listed = self.directory.list(room);
        let handle = RoomHandle { mailbox, listed: Arc::clone(&listed) };
        let code = room.code().clone();
        self.rooms.insert(code.clone(), handle.clone());
        tracing::debug!(room.id = %code, "room opened");

        makers.total += 1;
        makers.rooms.entry(maker.clone()).or_default().push((command, code.clone()));
        let lobby = Arc::clone(self);
        self.tasks.spawn(async move {
            actor::run(opened, letters, listed, lobby.around.clone()).await;
            lobby.remove(&maker, &code);
        });
        handle
    }

    fn remove(&self, maker: &MemberId, code: &RoomCode) {
        let mut makers = lock(&self.makers);
        if let Some(own) = makers.rooms.get_mut(maker) {
            own.retain(|(_, open)| open != code);
            if own.is_empty() {
                makers.rooms.remove(maker);
            }
        }
        if let Some((_, room)) = self.rooms.remove(code) {
            makers.total -= 1;
            room.listed.remove(code);
        }
        tracing::debug!(room.id = %code, "room closed");
    }

    fn unused_code(&self) -> RoomCode {
        loop {
            let code = chance::room_code();
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
            listing.list = self.make_list();
            if self.begin_show(&listing.list) {
                listing.list = self.make_list();
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
    fn begin_show(self: &Arc<Self>, list: &RoomList) -> bool {
        let Some(showman) = &self.showman else { return false };
        if list.rooms.iter().any(|room| room.phase == Phase::Running) {
            return false;
        }
        let rules = Rules::new(Variant::Freestyle, Size::square(15)).expect("the usual board");
        let show = Create {
            rules,
            visibility: Visibility::Public,
            assistance: false,
            seats: SHOW_BOTS.map(SeatRequest::Bot),
            colour: Colour::Random,
            time: TimeControl::None,
            chat: true,
        };
        match self.make(showman.clone(), chance::command_id(), show, false) {
            Ok(_) => true,
            Err(refusal) => {
                tracing::debug!(%refusal, "the bots have no room to play in");
                false
            }
        }
    }

    fn make_list(&self) -> RoomList {
        let is_public = |room: &RoomHandle| room.listed.is_public();
        let mut public: Vec<_> = self
            .rooms
            .iter()
            .filter(|room| is_public(room))
            .map(|room| room.listed.standing().summary)
            .collect();
        let total = public.len();
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
        RoomList { rooms: public, total }
    }
}

/// In whose name the bots play; somebody new at each start.
fn showman() -> Member {
    let id = chance::member_id(&chance::identity());
    Member { name: chance::guest_name(&id), id }
}

/// The answer to a code that no room has.
pub(crate) fn no_such_room() -> Refusal {
    Refusal::new(Reason::NoSuchRoom, "There is no room with this code (any more).")
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // Nothing here panics between two changes that belong together.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
