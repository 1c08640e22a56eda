//! The lists of rooms: the public ones, the best of them, and those of a member. On several nodes each node lists the
//! rooms that it owns, and the others add what it lists.

use std::{
    collections::{HashMap, HashSet},
    convert::Infallible,
    sync::Arc,
    time::{Duration, Instant},
};

use fivefold_shared::protocol::{
    MemberId, Name, OwnRoom, Phase, Player, ROOMS_MAX, Reason, Refusal, RoomCode, RoomSummary,
};
use futures_util::future::join_all;
use tokio::time::{error::Elapsed, sleep, timeout};

use super::{
    Lobby, RoomHandle,
    lists_of_other_versions::KnownOnly,
    no_such_room,
    room_list::RoomList,
    tv::{self, Choice},
};
use crate::{
    cluster::{
        Cluster,
        frame::{News, Question},
    },
    limits::{
        LISTING_AGE_MAX, LISTING_REST, OWN_ROOMS_SEEN_MAX, PEER_LIST_INTERVAL,
        embeds::TV_CHOSEN_WITHIN,
    },
    online::own_ids::OwnIds,
    rooms::listed_room::ListedRoom,
};

impl Lobby {
    /// The public rooms of all nodes: those that wait for a player first, then those with a running
    /// game. The list is reused for a hundred times as long as building it took: almost no time on a
    /// small server, at most a second on a large one.
    pub(crate) async fn list(self: &Arc<Self>) -> RoomList {
        self.list_for(true).await
    }

    /// The list for people, or that for TV, for which no demo game begins.
    async fn list_for(self: &Arc<Self>, people: bool) -> RoomList {
        if let Some(cluster) = &self.context.cluster {
            Box::pin(self.peer_lists.request(cluster, people)).await;
        }
        let mut listing = self.listing.lock().await;
        let now = Instant::now();
        let is_fresh = listing.fresh_until.is_some_and(|until| until > now);
        // The list that TV asked for may lack the demo game that people are to see while there is no other.
        let lacks_demo = people && !listing.is_for_people && !listing.list.has_game;
        if !is_fresh || lacks_demo {
            let mut list = self.all_rooms();
            if people && self.begin_demo(&list) {
                list = self.all_rooms();
            }
            listing.is_for_people = people;
            listing.list = self.add_sleeping(list).await;
            self.name_players(&mut listing.list.rooms).await;
            let cost = now.elapsed();
            let age: Duration = (cost * LISTING_REST).min(LISTING_AGE_MAX);
            listing.fresh_until = Some(now + age);
        }
        listing.list.clone()
    }

    /// Gives players the names that they have now. The room knows the names from its log, where an account that
    /// was renamed or deleted still has its old one.
    async fn name_players(&self, rooms: impl IntoIterator<Item = &mut RoomSummary>) {
        let mut rooms: Vec<_> = rooms.into_iter().collect();
        let members = rooms.iter_mut().flat_map(|room| members_of(room));
        let members: Vec<_> = members.map(|(member, _)| member.clone()).collect();
        if members.is_empty() {
            return;
        }
        match self.context.read_pool.read(move |reader| reader.current_names(&members)).await {
            Ok(names) => {
                let names: HashMap<_, _> = names.into_iter().collect();
                for (member, name) in rooms.iter_mut().flat_map(|room| members_of(room)) {
                    if let Some(current) = names.get(member) {
                        *name = current.clone();
                    }
                }
            }
            Err(error) => {
                tracing::warn!(%error, "the current names cannot be read: lists leave out players who have left");
                rooms.iter_mut().for_each(|room| room.players = None);
            }
        }
    }

    fn all_rooms(&self) -> RoomList {
        let own = self.public_rooms();
        match &self.context.cluster {
            Some(_) => self.peer_lists.merge(own, |room| self.owns(room)),
            None => own,
        }
    }

    /// The public rooms that this node owns.
    fn public_rooms(&self) -> RoomList {
        let summary = |room: &RoomHandle| {
            let listed = room.listed().filter(|listed| listed.is_public())?;
            Some(listed.standing().summary)
        };
        let public: Vec<_> = self.rooms.iter().filter_map(|room| summary(&room)).collect();
        let total = public.len();
        let has_game = public.iter().any(|room| room.phase == Phase::Running);
        RoomList::of(public, total, has_game)
    }

    fn owns(&self, room: &RoomCode) -> bool {
        self.rooms.get(room).is_some_and(|room| !room.is_relayed())
    }

    /// Lists the rooms here for the other nodes, for as long as somebody asks any node for a list.
    pub(crate) async fn report_rooms(self: &Arc<Self>, cluster: &Cluster) -> Infallible {
        loop {
            self.peer_lists.until_wanted().await;
            if self.peer_lists.is_demo_wanted() && self.begin_demo(&self.all_rooms()) {
                tracing::debug!("begins a demo game for all nodes");
            }
            let RoomList { rooms, total, has_game } = self.public_rooms();
            let rooms = serde_json::to_string(&rooms).expect("rooms are plain data");
            cluster.broadcast(&News::Rooms { rooms, total: total as u64, has_game });
            sleep(PEER_LIST_INTERVAL).await;
        }
    }

    /// Begins a demo game if no public game is running. The living node with the lowest number does
    /// that for all, once it knows their lists.
    fn begin_demo(self: &Arc<Self>, list: &RoomList) -> bool {
        let is_its_task = self.context.cluster.as_ref().is_none_or(|cluster| {
            cluster.is_leader() && self.peer_lists.are_complete(&cluster.others())
        });
        !list.has_game && is_its_task && self.start_demo()
    }

    /// The open rooms that a member created or has a seat in, on all nodes: rooms where it is their turn first,
    /// those with the least time left before others, then other running games, then rooms that wait for a player,
    /// then the rest.
    pub(crate) async fn own_rooms(&self, member: &MemberId) -> Vec<OwnRoom> {
        let mut rooms = self.own_rooms_here(member);
        if let Some(cluster) = &self.context.cluster {
            let question = Question::OwnRooms { member: member.clone() };
            let others = Box::pin(cluster.ask_all::<KnownOnly<OwnRoom>>(&question)).await;
            for own in others.into_iter().flat_map(|KnownOnly(rooms)| rooms) {
                // A room that goes to another node may be listed by both.
                if !rooms.iter().any(|other| other.summary.room == own.summary.room) {
                    rooms.push(own);
                }
            }
        }
        // If that fails, the reason is in the log.
        for asleep in self.sleeping_rooms_of(member).await.unwrap_or_default() {
            // It may just have woken.
            if !rooms.iter().any(|other| other.summary.room == asleep.summary.room) {
                rooms.push(asleep.own_room(member));
            }
        }
        sort(&mut rooms);
        self.name_players(rooms.iter_mut().map(|room| &mut room.summary)).await;
        rooms
    }

    /// The same of the rooms that this node owns, the newest first.
    pub(super) fn own_rooms_here(&self, member: &MemberId) -> Vec<OwnRoom> {
        let codes = self.directory.rooms_of(member);
        let newest = codes.iter().rev().take(OWN_ROOMS_SEEN_MAX);
        newest.filter_map(|code| self.rooms.get(code)?.listed()?.own_room(member)).collect()
    }

    /// The rooms of a person who may have several ids, as [`own_rooms`](Self::own_rooms) lists them.
    pub(crate) async fn own_rooms_of(
        &self,
        member: &MemberId,
        own: Option<&OwnIds>,
    ) -> Vec<OwnRoom> {
        let Some(own) = own else { return self.own_rooms(member).await };
        let lists = join_all(own.all().map(|member| self.own_rooms(member))).await;
        let mut rooms: Vec<OwnRoom> = Vec::new();
        for room in lists.into_iter().flatten() {
            match rooms.iter_mut().find(|other| other.summary.room == room.summary.room) {
                // A seat says more than being the host.
                Some(other) if other.seat.is_none() => {
                    *other = OwnRoom { host: other.host || room.host, ..room };
                }
                Some(other) => other.host |= room.host,
                None => rooms.push(room),
            }
        }
        sort(&mut rooms);
        rooms
    }

    /// The id by which a person has a place in a room: a seat, or else being its host.
    ///
    /// # Errors
    /// If there is no such room, or its owner does not answer.
    pub(crate) async fn place_of(
        &self,
        own: &OwnIds,
        room: &RoomHandle,
    ) -> Result<Option<MemberId>, Refusal> {
        let found = self.look_up(room.code()).await?;
        let ListedRoom { summary, host, .. } =
            found.ok_or_else(|| Refusal::new(Reason::Unavailable))?;
        let seated = own.all().find(|member| summary.seats.of_member(member).is_some());
        let place = seated.or_else(|| own.all().find(|member| **member == host));
        Ok(place.cloned())
    }

    /// A room on any node, for callers who know its code. `None` if its owner does not answer.
    ///
    /// # Errors
    /// If there is no such room, or it cannot be looked up.
    pub(crate) async fn look_up(&self, code: &RoomCode) -> Result<Option<ListedRoom>, Refusal> {
        if let Some(room) = self.listed_room(code) {
            return Ok(Some(room));
        }
        if let Some(room) = self.sleeping_room(code).await? {
            return Ok(Some(room));
        }
        let Some(cluster) = &self.context.cluster else {
            // It may have woken in between.
            return self.listed_room(code).map(Some).ok_or_else(no_such_room);
        };
        let wanted = code.clone();
        match cluster.rooms.try_read(move |rooms| rooms.is_open(&wanted)).await {
            Ok(true) => {}
            Ok(false) => return Err(no_such_room()),
            Err(error) => return Err(error.into()),
        }
        let question = Question::Summary { room: code.clone() };
        let answers = cluster.ask_all::<Option<ListedRoom>>(&question).await;
        // It may have woken here.
        Ok(answers.into_iter().flatten().next().or_else(|| self.listed_room(code)))
    }

    /// A room that this node owns, for callers who know its code.
    pub(super) fn listed_room(&self, code: &RoomCode) -> Option<ListedRoom> {
        Some(self.rooms.get(code)?.listed()?.listed_room())
    }

    /// The room with the best public game that is running, on any node. If there is none, a demo game may begin, unless
    /// the server shows none. While the choice takes long, the last one holds.
    pub(crate) async fn on_tv(self: &Arc<Self>) -> Option<RoomCode> {
        if let Ok(mut choice) = timeout(TV_CHOSEN_WITHIN, self.tv.choice.lock()).await
            && !choice.is_fresh(Instant::now())
        {
            let chosen = timeout(TV_CHOSEN_WITHIN, Box::pin(self.choose_for_tv(&mut choice))).await;
            if let Err(error @ Elapsed { .. }) = chosen {
                tracing::warn!(%error, "the game on TV is not chosen in time");
            }
            choice.keep(Instant::now());
        }
        self.tv.room()
    }

    async fn choose_for_tv(self: &Arc<Self>, choice: &mut Choice) {
        let now = Instant::now();
        let mut list = self.list_for(false).await;
        if !list.has_game && choice.may_begin_demo(now) {
            choice.note_demo(now);
            list = self.list().await;
        }
        let RoomList { mut rooms, .. } = list;
        rooms.retain(tv::is_shown);
        let members: HashSet<_> = rooms.iter().flat_map(tv::members_of).cloned().collect();
        let members: Vec<_> = members.into_iter().collect();
        let mut ratings: HashMap<_, Vec<_>> = HashMap::new();
        if !members.is_empty() {
            match self.context.read_pool.read(move |reader| reader.ratings_of(&members)).await {
                Ok(found) => {
                    for (member, rating) in found {
                        ratings.entry(member).or_default().push(rating);
                    }
                }
                Err(error) => {
                    tracing::warn!(%error, "the ratings of players on TV cannot be read");
                    return;
                }
            }
        }
        self.tv.choose(&rooms, &ratings);
    }
}

/// The people in a room's seats, and those who played there and have left.
fn members_of(room: &mut RoomSummary) -> impl Iterator<Item = (&MemberId, &mut Name)> {
    let RoomSummary { seats, players, .. } = room;
    let left = players.iter_mut().flat_map(|players| [&mut players.first, &mut players.second]);
    let people = [&mut seats.first, &mut seats.second].into_iter().flatten().chain(left);
    people.filter_map(|player| match player {
        Player::Member { member, name, .. } => Some((&*member, name)),
        Player::Bot { .. } => None,
    })
}

/// Sorts the rooms of a person as they need them, and keeps the first [`ROOMS_MAX`].
fn sort(rooms: &mut Vec<OwnRoom>) {
    rooms.sort_by_key(|room| match room.summary.phase {
        // Other games come first: a player who is away loses them within minutes.
        Phase::Running if room.your_turn => (0, room.summary.due.unwrap_or(0)),
        Phase::Running => (1, 0),
        Phase::Waiting => (2, 0),
        Phase::Finished => (3, 0),
    });
    rooms.truncate(ROOMS_MAX);
}
