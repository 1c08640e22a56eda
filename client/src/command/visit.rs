//! A visit to a server: connects, keeps the identity, and enters a room.

use std::path::Path;

use fivefold_shared::protocol::{LobbyRequest, Message, Reason};

use super::output_mode::OutputMode;
use crate::{
    cli::VisitArgs,
    connection::{Connection, ConnectionError, Visitor, Welcome},
    room_link::ServerAddress,
    settings::Settings,
    table::Table,
    tls_roots,
};

/// A visitor who is connected to a server but not at a table yet.
pub(super) struct Visit {
    pub(super) connection: Connection,
    pub(super) welcome: Welcome,
}

impl Visit {
    /// Connects to `server`, or to the one from the options or the settings, and saves the
    /// settings.
    pub(super) async fn open(
        args: &VisitArgs,
        server: Option<&ServerAddress>,
    ) -> anyhow::Result<Self> {
        let folder = Settings::folder()?;
        let mut settings = Settings::load(&folder)?;
        let server = server
            .or(args.server.as_ref())
            .or(settings.server.as_ref())
            .cloned()
            .unwrap_or_default();
        let mut visitor = Visitor {
            identity: settings.identities.get(&server).filter(|_| !args.guest).cloned(),
            name: args.name.clone().or_else(|| settings.name.clone().filter(|_| !args.guest)),
            connector: match server.is_encrypted() {
                true => Some(tls_roots::connector(args.ca.as_deref())?),
                false => None,
            },
        };
        let opened = Connection::open(server.clone(), visitor.clone()).await;
        let (connection, welcome) = match opened {
            // The identity was replaced but the answer was lost: the next identity is current.
            Err(ConnectionError::Refused(refusal))
                if refusal.reason == Reason::IdentityReplaced
                    && let Some(next) = settings.next.remove(&server) =>
            {
                visitor.identity = Some(next.clone());
                settings.identities.insert(server.clone(), next);
                let opened = Connection::open(server.clone(), visitor).await?;
                settings.save(&folder)?;
                opened
            }
            opened => opened?,
        };
        if !args.guest {
            keep(&mut settings, &folder, args, &server, &welcome)?;
        }
        Ok(Self { connection, welcome })
    }

    /// Creates or enters a room, and opens its table.
    pub(super) async fn enter(
        mut self,
        request: LobbyRequest,
        mode: &mut OutputMode,
    ) -> anyhow::Result<Table> {
        mode.connected(self.connection.server(), &self.welcome)?;
        let joined: Message = self.connection.ask(request).await?;
        Ok(Table::remote(self.connection, self.welcome.you, joined)?)
    }
}

/// Saves the identity, the server and the name if any of them is new.
fn keep(
    settings: &mut Settings,
    folder: &Path,
    args: &VisitArgs,
    server: &ServerAddress,
    welcome: &Welcome,
) -> anyhow::Result<()> {
    let before = settings.clone();
    if let Some(identity) = &welcome.identity {
        settings.identities.insert(server.clone(), identity.clone());
    }
    if args.server.is_some() {
        settings.server.clone_from(&args.server);
    }
    if args.name.is_some() {
        settings.name.clone_from(&args.name);
    }
    if *settings == before { Ok(()) } else { settings.save(folder) }
}
