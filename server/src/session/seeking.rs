//! The commands of a session that the pairing answers.

use std::sync::Arc;

use fivefold_shared::{
    protocol::{Addressee, ChallengesFrom, CommandId, MemberId, Reason, Refusal},
    rating_pool::PoolKind,
};

use super::{
    close_reason::CloseReason,
    commands::{CommandResult, Commands},
};
use crate::{
    accounts::identities::Authenticated,
    moderation::dealings::{self, OwnDealings, Place},
    online::outbox::encode,
    pairing::{
        Rating,
        task::{Challenged, PairingCommand, PairingRequest},
    },
    process::read_pool::ReadError,
};

impl Commands {
    /// Passes a command on to the pairing, which answers it.
    pub(super) async fn pass_to_pairing(
        &self,
        identity: Authenticated,
        id: &CommandId,
        kind: &'static str,
        request: PairingRequest,
    ) -> CommandResult {
        let lobby = &self.server.lobby;
        let mut playing = None;
        if request.makes_game() {
            if self.server.draining.is_cancelled() {
                return Err(CloseReason::RESTART.into());
            }
            if lobby.is_clustered() {
                // Who has missed the news of their game gets it from the storage. The same command may
                // have found it, so it is not refused if that cannot be read.
                let found = lobby.playing(&identity.member.id).await;
                playing = found.map_err(|_| CloseReason::RESTART)?;
            }
            // The same command may have found a game before the pause.
            if playing.is_none() && lobby.paired_games().of(&identity.member.id).is_none() {
                lobby.may_make_rooms()?;
            }
        }
        let moderation = &self.server.moderation;
        let may_be_rated =
            identity.answerable().try_for_each(|member| moderation.may_play_rated(member));
        let daily_most = self.may_play_daily(&identity, &request).await?;
        let Authenticated { member, account, owner, .. } = identity;
        if request.asks_for_rated() {
            may_be_rated.clone()?;
        }
        // Who may play no rated games plays in pools as guests do.
        let account = account.is_some() && may_be_rated.is_ok();
        let (mut rating, mut dealings) = (Rating::UNRATED, OwnDealings::default());
        if account && request.makes_game() {
            self.note_place(&member.id);
            let kind = if owner.is_some() { PoolKind::Bots } else { PoolKind::People };
            (rating, dealings) = self.standing(&member.id, kind, &request).await?;
        }
        self.server.pairing.send(PairingCommand {
            id: id.clone(),
            kind,
            member,
            session: self.id,
            address: self.address,
            outbox: self.outbox.clone(),
            request,
            playing,
            account,
            owner,
            rating,
            dealings,
            daily_most,
        })?;
        Ok(None)
    }

    /// Whether a member may have one more daily game, if they seek one. If they accept a seek, nobody knows yet whether
    /// its game is daily: then this returns how many they have, if they may have no more. It is checked again when the
    /// game begins: see [`begin_daily`](crate::rooms::lobby::Lobby::begin_daily).
    ///
    /// # Errors
    /// If they, or guests at the address, have too many, or that cannot be read.
    async fn may_play_daily(
        &self,
        by: &Authenticated,
        request: &PairingRequest,
    ) -> Result<Option<usize>, Refusal> {
        let lobby = &self.server.lobby;
        if matches!(request, PairingRequest::Accept { .. }) {
            return match lobby.may_take_daily_place(&by.member.id).await {
                Err(refusal) if refusal.reason == Reason::TooManyDailyGames => {
                    Ok(refusal.values.most)
                }
                other => other.map(|()| None),
            };
        }
        let settings = request.settings(&self.server.pools);
        if settings.is_some_and(|settings| settings.time.is_daily()) {
            lobby.may_take_daily_place(&by.member.id).await?;
            if by.account.is_none() {
                lobby.may_seek_daily_as_guest(self.address)?;
            }
        }
        Ok(None)
    }

    /// How strong a member is in the game that they seek, and what they have done that matters for rated
    /// games.
    ///
    /// # Errors
    /// If it cannot be read: nobody knows then how the game counts.
    async fn standing(
        &self,
        member: &MemberId,
        kind: PoolKind,
        request: &PairingRequest,
    ) -> Result<(Rating, OwnDealings), Refusal> {
        let settings = request.settings(&self.server.pools);
        let pool = settings.and_then(|settings| settings.rating_pool().ok());
        let (wanted, now) = (member.clone(), self.server.clock.now());
        let shortest = self.server.limits.room.rematch_after;
        let read = self.server.read_pool.read(move |reader| {
            let ratings = if pool.is_some() { reader.ratings(&wanted)? } else { Vec::new() };
            Ok((ratings, dealings::read(reader, &wanted, now, shortest)?))
        });
        let (ratings, mut dealings) = read.await.map_err(ReadError::from)?;
        if let Some(place) = self.place() {
            dealings.places.extend(place.marks());
        }
        let rating =
            pool.map_or(Rating::UNRATED, |pool| Rating::of(&ratings, pool.of_kind(kind), now));
        Ok((rating, dealings))
    }

    /// From where the session comes, unless people share the address.
    fn place(&self) -> Option<Place> {
        Place::of(self.address, self.device, &self.server.shared_addresses.get())
    }

    /// Notes that an account is used from here, unless that was noted a short while ago. Nobody waits for it: a
    /// seek has the place in any case.
    pub(super) fn note_place(&self, member: &MemberId) {
        let Some(place) = self.place() else { return };
        let (server, member) = (Arc::clone(&self.server), member.clone());
        tokio::spawn(async move { server.accounts.note_place(&member, place).await });
    }

    /// Tells the session whose challenges wait for its member. Nobody waits for it.
    pub(super) fn post_challenge_notices(&self, member: &MemberId) {
        let (server, member) = (Arc::clone(&self.server), member.clone());
        let outbox = self.outbox.clone();
        tokio::spawn(async move {
            for notice in server.accounts.challenge_notices(&member).await {
                outbox.post(encode(&notice));
            }
        });
    }

    /// The member who is challenged, on any node. A member who has blocked the challenger seems not to
    /// be there.
    pub(super) async fn addressee(
        &self,
        to: Addressee,
        by: &Authenticated,
    ) -> Result<Challenged, Refusal> {
        let to = self.find_addressee(to).await?;
        if self.outbox.meets(&to) {
            return self.takes_challenges(to, by).await;
        }
        let has_blocked = self.outbox.blocks().is_some_and(|own| own.has_blocked(&to));
        Err(Refusal::new(if has_blocked { Reason::Blocked } else { Reason::NobodyOnline }))
    }

    /// Whether a member takes challenges from this one.
    async fn takes_challenges(
        &self,
        to: MemberId,
        by: &Authenticated,
    ) -> Result<Challenged, Refusal> {
        let (has_account, own) = (by.account.is_some(), by.member.id.clone());
        let read = self.server.read_pool.read(move |reader| {
            let from = reader.challenges_from(&to)?;
            let is_friend = has_account && reader.are_friends(&own, &to)?;
            Ok((from, Challenged { member: to, is_friend }))
        });
        let (from, challenged) = read.await.map_err(ReadError::from)?;
        match (from, has_account) {
            (ChallengesFrom::Everybody, _) | (ChallengesFrom::Accounts, true) => Ok(challenged),
            (ChallengesFrom::Accounts, false) => Err(Refusal::new(Reason::AccountsOnly)),
            (ChallengesFrom::Nobody, _) => Err(Refusal::new(Reason::NoChallenges)),
        }
    }

    async fn find_addressee(&self, to: Addressee) -> Result<MemberId, Refusal> {
        let (logins, lobby) = (&self.server.logins, &self.server.lobby);
        match to {
            Addressee::Name(name) => {
                let mut named = logins.named(&name);
                named.extend(lobby.named_elsewhere(&name).await);
                named.sort_unstable();
                named.dedup();
                match <[MemberId; 1]>::try_from(named) {
                    Ok([member]) => Ok(member),
                    Err(named) if named.is_empty() => Err(Refusal::new(Reason::NobodyOnline)),
                    Err(_) => Err(Refusal::new(Reason::SeveralOnline)),
                }
            }
            Addressee::Member(member) => {
                if logins.is_online(&member) || lobby.is_online_elsewhere(&member).await {
                    return Ok(member);
                }
                Err(Refusal::new(Reason::NobodyOnline))
            }
        }
    }
}
