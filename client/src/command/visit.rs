//! A visit to a server: connects, keeps the identity, and enters a room.

use std::{env, io};

use anyhow::bail;
use fivefold_shared::protocol::{ApiToken, LobbyRequest, Message, Reason, Refusal};

use super::{output_mode::OutputMode, usage::Usage};
use crate::{
    cli::VisitArgs,
    play::table::Table,
    server::{
        connection::{Connection, ConnectionError, Visitor, Welcome},
        room_link::ServerAddress,
        server_list::ServerList,
        tls_roots,
    },
    settings::{Settings, guest_folders::GuestFolder},
    terminal::sanitize::sanitize,
};

/// A visitor who is connected to a server but not at a table yet.
pub(super) struct Visit {
    pub(super) connection: Connection,
    pub(super) welcome: Welcome,
    /// Whether another program on this machine plays as the usual guest or account, and this one as
    /// another guest.
    pub(super) is_other_guest: bool,
}

impl Visit {
    /// Connects to the server of a room's link, or to the one from the options or the settings, and
    /// saves the settings.
    pub(super) async fn open(
        args: &VisitArgs,
        link: Option<&ServerAddress>,
    ) -> anyhow::Result<Self> {
        let token = token_of_program()?.filter(|_| !args.guest);
        Self::by(args, link, token, false).await
    }

    /// The same to play or to watch: as another guest where a program on this machine plays already.
    pub(super) async fn to_play(
        args: &VisitArgs,
        link: Option<&ServerAddress>,
    ) -> anyhow::Result<Self> {
        let token = token_of_program()?.filter(|_| !args.guest);
        Self::by(args, link, token, true).await
    }

    /// The same for a program that plays: by the token that it has, or else as a new guest.
    pub(super) async fn of_program(
        args: &VisitArgs,
        link: Option<&ServerAddress>,
    ) -> anyhow::Result<Self> {
        Self::by(args, link, token_of_program()?, false).await
    }

    async fn by(
        args: &VisitArgs,
        link: Option<&ServerAddress>,
        token: Option<ApiToken>,
        plays: bool,
    ) -> anyhow::Result<Self> {
        let mut folder = Settings::folder()?;
        let mut settings = Settings::load(&folder)?;
        let given =
            ServerList::new(&args.server.addresses).map_err(|error| Usage(error.to_string()))?;
        let known = given.as_ref().or(settings.server.as_ref());
        let server = match link {
            // A room's link names one address. Its other ones are known if the list contains it.
            Some(address) => known
                .and_then(|list| list.beginning_with(address))
                .unwrap_or_else(|| address.clone().into()),
            None => known.cloned().unwrap_or_default(),
        };
        let is_own = !args.guest && token.is_none();
        let mut is_other_guest = false;
        if is_own && plays {
            let taken = GuestFolder::take(&folder, &server)?;
            (folder, is_other_guest) = (taken.path, taken.is_other);
            if is_other_guest {
                settings = Settings::load(&folder)?;
            }
        }
        let mut visitor = Visitor {
            identity: settings.identity(&server).filter(|_| is_own).cloned(),
            session: settings.session(&server).filter(|_| is_own).cloned(),
            token,
            name: args.name.clone().or_else(|| settings.name.clone().filter(|_| !args.guest)),
            connector: match server.is_encrypted() {
                true => Some(tls_roots::connector(args.server.ca.as_deref())?),
                false => None,
            },
        };
        let opened = Connection::open(server.clone(), visitor.clone()).await;
        let (connection, welcome) = match opened {
            // The identity was replaced but the answer was lost: the next identity is current.
            Err(ConnectionError::Refused(refusal))
                if refusal.reason == Reason::IdentityReplaced
                    && let Some(next) = visitor.identity.and_then(|old| settings.replace(&old)) =>
            {
                visitor.identity = Some(next);
                let opened = Connection::open(server.clone(), visitor).await?;
                settings.save(&folder)?;
                opened
            }
            Err(ConnectionError::Refused(refusal)) if refusal.reason == Reason::SignedOut => {
                bail!(
                    "you are signed out at {server}. `fivefold login` signs in again, \
                     `fivefold logout` goes on as a guest"
                );
            }
            opened => opened?,
        };
        if !args.guest {
            let before = settings.clone();
            if let Some(identity) = connection.identity() {
                settings.keep(&server, identity);
            }
            // A room's link names the server as an option does: the next command asks it again.
            if given.is_some() || link.is_some() {
                settings.server = Some(server.clone());
            }
            settings.name = args.name.clone().or(settings.name);
            if settings != before {
                settings.save(&folder)?;
            }
        }
        Ok(Self { connection, welcome, is_other_guest })
    }

    /// Says that this is another guest than the usual one.
    pub(super) fn report(&self, mode: &mut OutputMode) -> io::Result<()> {
        if !self.is_other_guest {
            return Ok(());
        }
        let name = sanitize(self.welcome.name.as_str());
        let text = "Another fivefold plays here already, so you are another guest";
        mode.notice(&format!("{text}: {name}."))
    }

    /// Creates or enters a room, and opens its table.
    pub(super) async fn enter(
        mut self,
        request: LobbyRequest,
        mode: &mut OutputMode,
    ) -> anyhow::Result<Table> {
        mode.connected(self.connection.server(), &self.welcome)?;
        self.report(mode)?;
        let joined: Message = match self.connection.ask(request).await {
            Err(error @ ConnectionError::Refused(Refusal { reason: Reason::NoSuchRoom, .. })) => {
                bail!("{error} `fivefold games` lists your rooms and your finished games")
            }
            answer => answer?,
        };
        Ok(Table::remote(self.connection, self.welcome.you, joined)?)
    }
}

/// The token that the caller has given this program.
pub(super) fn token_of_program() -> anyhow::Result<Option<ApiToken>> {
    let Some(text) = env::var("FIVEFOLD_TOKEN").ok().filter(|text| !text.is_empty()) else {
        return Ok(None);
    };
    let token =
        ApiToken::try_from(text).map_err(|error| Usage(format!("FIVEFOLD_TOKEN: {error}")))?;
    Ok(Some(token))
}
