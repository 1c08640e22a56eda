//! The open rooms of all nodes in a PostgreSQL database.

use std::sync::Arc;

use fivefold_shared::{
    protocol::{MemberId, RoomCode},
    seat::Seat,
};

use super::{
    address::{Address, DatabaseUrl},
    connection::{Role, open},
    reader::PostgresSource,
};
use crate::{
    MadeRoom, OpenError, Playing, SharedRooms, StorageError,
    node_id::NodeId,
    sql::{Row, source::DatabaseReader, values},
};

/// Reads through a connection of its own.
#[derive(Debug)]
pub struct PostgresRooms(DatabaseReader);

impl PostgresRooms {
    /// The rooms of a database that has its tables. It connects when it is first used.
    ///
    /// # Errors
    /// If the address is unusable.
    pub fn open(url: &DatabaseUrl) -> Result<Self, OpenError> {
        let address = Arc::new(Address::parse(url)?);
        let primary = open(&address, Role::Reader)
            .map_err(|error| OpenError::Storage { path: address.name.clone(), error })?;
        Ok(Self(DatabaseReader(Box::new(PostgresSource { primary, standby: None }))))
    }
}

impl SharedRooms for PostgresRooms {
    fn is_open(&mut self, room: &RoomCode) -> Result<bool, StorageError> {
        let statement = "SELECT 1 FROM room WHERE code = $1 AND closed_at IS NULL";
        self.0.read(|sql| sql.exists(statement, values![room.as_str()]))
    }

    fn made_by(&mut self, maker: &MemberId) -> Result<Vec<MadeRoom>, StorageError> {
        let statement = "SELECT command, code, owner FROM room
            WHERE maker = $1 AND closed_at IS NULL ORDER BY id";
        self.0.read(|sql| {
            let mut rows = sql.query(statement, values![maker])?;
            let made = rows.iter_mut().map(|row| {
                let (command, room, owner) = (row.get()?, row.get()?, row.get::<i64>()?);
                let owner = u32::try_from(owner).ok().and_then(NodeId::new);
                Ok(MadeRoom { command, owner, room })
            });
            made.collect()
        })
    }

    fn playing(&mut self, member: &MemberId) -> Result<Option<Playing>, StorageError> {
        let statement = "SELECT member, room, seat FROM playing WHERE member = $1";
        self.0.read(|sql| sql.row(statement, values![member], playing))
    }
}

/// The game in a row of member, room and seat.
pub(super) fn playing(row: &mut Row) -> Result<Playing, StorageError> {
    let (member, room, text) = (row.get()?, row.get()?, row.get::<String>()?);
    let seat = Seat::BOTH.into_iter().find(|seat| seat.to_string() == text);
    let no_seat = || StorageError::Damaged(format!("{member} plays in no seat: {text}"));
    Ok(Playing { seat: seat.ok_or_else(no_seat)?, member, room })
}
