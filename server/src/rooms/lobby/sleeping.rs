//! Rooms that sleep: the lobby wakes them for those who need them and when they are due, and lists them from the
//! storage.

use std::{collections::HashSet, convert::Infallible, future::pending, sync::Arc};

use fivefold_shared::protocol::{CommandId, MemberId, ROOMS_MAX, Reason, Refusal, RoomCode};
use fivefold_storage::{Claimed, Reader, StorageError};
use tokio::time::{Instant, sleep, timeout};

use super::{Lobby, RoomHandle, room_list::RoomList};
use crate::{
    cluster::frame::News,
    limits::{
        DAILY_NEWS_MAX, OWN_ROOMS_SEEN_MAX, REBUILD_RETRY, SWEEP_ALONE_INTERVAL, SWEEP_INTERVAL,
    },
    process::read_pool::ReadError,
    rooms::{
        daily_news::{input_of, is_told_last},
        daily_places::may_take_place,
        listed_room::ListedRoom,
        relay::{Claim, claim},
        room_actor::Mailbox,
    },
};

impl Lobby {
    /// Finds a room on a server that is alone, and wakes it if necessary.
    ///
    /// # Errors
    /// If there is none, or it cannot be looked up.
    pub(super) async fn find_alone(
        self: &Arc<Self>,
        code: &RoomCode,
    ) -> Result<RoomHandle, Refusal> {
        let room = match self.find_here(code) {
            Err(refusal) if refusal.reason == Reason::NoSuchRoom => {
                let wanted = code.clone();
                if self.read(move |reader| reader.sleeping_room(&wanted)).await?.is_none() {
                    return self.find_here(code);
                }
                let claim = claim(&self.context, code);
                self.begin_waking(code, claim).unwrap_or_else(|waking| waking)
            }
            found => found?,
        };
        tokio::select! {
            _ = room.known.owned.wait() => Ok(room),
            // It could not be woken, or sleeps again.
            () = room.mailbox.closed() => match self.find_here(code) {
                Err(refusal) if refusal.reason == Reason::NoSuchRoom => {
                    Err(Refusal::new(Reason::Unavailable))
                }
                found => found,
            },
        }
    }

    /// Opens rooms that are due or have to learn something about a player, on a server that is alone, for as long as it
    /// runs.
    pub(crate) async fn wake_rooms(self: &Arc<Self>) -> Infallible {
        if self.is_clustered() {
            pending::<()>().await;
        }
        let mut due_at = Instant::now() + SWEEP_ALONE_INTERVAL;
        loop {
            // Something may have to be learnt earlier.
            timeout(SWEEP_INTERVAL, self.news.notified()).await.ok();
            for code in self.tell_news().await {
                // It learns the news on waking.
                self.begin_waking(&code, claim(&self.context, &code)).ok();
            }
            if due_at <= Instant::now() {
                due_at = Instant::now() + SWEEP_ALONE_INTERVAL;
                if let Err(error) = self.attend_all().await {
                    tracing::warn!(%error, "cannot wake rooms");
                }
            }
        }
    }

    /// Lets rooms learn what is new about players of their daily games: those that are awake here at once, others soon.
    pub(crate) async fn attend_news(&self) {
        if let Some(cluster) = &self.context.cluster {
            cluster.broadcast(&News::DailyGames);
        }
        self.tell_news().await;
        self.news.notify_one();
    }

    /// Tells the rooms here the [`DailyNews`](fivefold_storage::DailyNews) about their players. Sleeping rooms learn it with
    /// their log when they wake; returns these rooms.
    pub(super) async fn tell_news(&self) -> HashSet<RoomCode> {
        let found = self.read(|reader| reader.daily_news(DAILY_NEWS_MAX)).await;
        let mut asleep = HashSet::new();
        // If that fails, the reason is in the log.
        let mut found = found.unwrap_or_default();
        found.sort_by_key(|(_, _, news)| is_told_last(news));
        for (code, member, news) in found {
            match self.find_here(&code) {
                Ok(room) if room.is_relayed() => {}
                Ok(room) => self.give(&room, input_of(member, news)),
                Err(refusal) if refusal.reason == Reason::NoSuchRoom => {
                    asleep.insert(code);
                }
                Err(_) => {}
            }
        }
        asleep
    }

    /// Opens a room when this claim succeeds.
    ///
    /// # Errors
    /// The room, if it is known here already.
    pub(super) fn begin_waking(
        self: &Arc<Self>,
        code: &RoomCode,
        claim: Claim,
    ) -> Result<RoomHandle, RoomHandle> {
        let (room, mailbox) = self.begin(code, None)?;
        let (lobby, woken) = (Arc::clone(self), room.clone());
        self.tasks.spawn(async move { lobby.run_woken(woken, claim, mailbox).await });
        Ok(room)
    }

    async fn run_woken(self: Arc<Self>, room: RoomHandle, mut claiming: Claim, mailbox: Mailbox) {
        let mut may_own = false;
        let claimed = loop {
            let claimed = claiming.await;
            may_own |= matches!(claimed, Err(StorageError::InDoubt(_)));
            let is_over = claimed.is_ok() || !may_own || self.context.stop.is_cancelled();
            if is_over {
                break claimed;
            }
            // The room may be this server's now. Without a task, nobody would find it.
            sleep(REBUILD_RETRY).await;
            claiming = claim(&self.context, &room.code);
        };
        let reason = match claimed {
            Ok(Claimed::Mine { epoch, log, empty_since, news }) => {
                match self.take_over(&room, epoch, &log, empty_since, news) {
                    Ok((opened, listed)) => return self.run(opened, mailbox, listed).await,
                    Err(problem) => self.give_up(&room.code, &problem),
                }
            }
            Ok(Claimed::Damaged(problem)) => self.give_up(&room.code, &problem),
            Ok(Claimed::Newer) => self.give_up(&room.code, "a newer server has written it"),
            Ok(Claimed::Closed | Claimed::Elsewhere(_)) => Reason::NoSuchRoom,
            Err(error) => {
                tracing::warn!(room.id = %room.code, %error, "cannot wake a room");
                Reason::Unavailable
            }
        };
        self.dismiss(&room.code, mailbox, Some(reason)).await;
    }

    /// The room with this code, if it sleeps and can be listed.
    ///
    /// # Errors
    /// If the storage cannot be read.
    pub(super) async fn sleeping_room(
        &self,
        code: &RoomCode,
    ) -> Result<Option<ListedRoom>, Refusal> {
        let wanted = code.clone();
        let listing = self.read(move |reader| reader.sleeping_room(&wanted)).await?;
        Ok(listing.as_deref().and_then(ListedRoom::read))
    }

    /// The room that a member made for a daily game with this command, whether it is awake or sleeps, until its game
    /// is over.
    ///
    /// # Errors
    /// If the storage cannot be read.
    pub(super) async fn made_daily(
        &self,
        member: &MemberId,
        command: &CommandId,
    ) -> Result<Option<RoomCode>, Refusal> {
        let (member, command) = (member.clone(), command.clone());
        self.read(move |reader| reader.made_daily(&member, &command)).await
    }

    /// Whether a member may take a place in one more daily game.
    ///
    /// # Errors
    /// If they have too many, or that cannot be read.
    pub(crate) async fn may_take_daily_place(&self, member: &MemberId) -> Result<(), Refusal> {
        may_take_place(&self.context.read_pool, member.clone(), None).await.map(|_| ())
    }

    /// The sleeping rooms of a member: those with a game that is not over, then the rest, the newest first.
    ///
    /// # Errors
    /// If the storage cannot be read.
    pub(super) async fn sleeping_rooms_of(
        &self,
        member: &MemberId,
    ) -> Result<Vec<ListedRoom>, Refusal> {
        let member = member.clone();
        let listings =
            self.read(move |reader| reader.sleeping_rooms_of(&member, OWN_ROOMS_SEEN_MAX)).await?;
        Ok(listings.iter().filter_map(|text| ListedRoom::read(text)).collect())
    }

    /// Adds the public rooms that sleep.
    pub(super) async fn add_sleeping(&self, list: RoomList) -> RoomList {
        let found = self.read(|reader| reader.public_sleeping_rooms(ROOMS_MAX)).await;
        // The reason is in the log.
        let Ok((listings, total)) = found else { return list };
        let asleep = listings.iter().filter_map(|text| ListedRoom::read(text));
        let RoomList { mut rooms, total: awake, has_game } = list;
        let known: HashSet<_> = rooms.iter().map(|room| room.room.clone()).collect();
        // A room that has just fallen asleep may be in both.
        let (twice, asleep): (Vec<_>, Vec<_>) =
            asleep.map(|room| room.summary).partition(|room| known.contains(&room.room));
        rooms.extend(asleep);
        RoomList::of(rooms, (awake + total).saturating_sub(twice.len()), has_game)
    }

    async fn read<T: Send + 'static>(
        &self,
        read: impl FnOnce(&mut Reader) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, Refusal> {
        let read = self.context.read_pool.read(read).await;
        read.map_err(|error| ReadError::from(error).into())
    }
}
