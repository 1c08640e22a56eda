//! The JSON lines about collections. `docs/clients/json.md` documents them: change both together.

use fivefold_shared::{
    collection::{Collection, NumberedGame},
    notation::notes::Note,
};
use serde::Serialize;

use crate::server::room_link::ServerAddress;

/// A line.
#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(super) enum Line<'a> {
    Collection {
        link: String,
        #[serde(flatten)]
        collection: &'a Collection,
    },
    CollectedGame(&'a NumberedGame),
    /// A game that was not added.
    Fault {
        file: &'a str,
        line: usize,
        text: &'a str,
    },
    /// A game that the collection already has.
    Duplicate {
        file: &'a str,
        line: usize,
    },
    /// Parts of the games of a file that could not be kept.
    FileNote {
        file: &'a str,
        note: &'a Note,
    },
    /// How far the import has read a file.
    Progress {
        file: &'a str,
        bytes: u64,
        #[serde(skip_serializing_if = "Option::is_none")]
        of_bytes: Option<u64>,
        #[serde(flatten)]
        counts: Counts,
    },
    /// The import is over.
    Imported {
        #[serde(skip_serializing_if = "Option::is_none")]
        link: Option<String>,
        #[serde(flatten)]
        counts: Counts,
    },
}

/// How many games an import has dealt with.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub(super) struct Counts {
    /// Games that were added.
    pub(super) added: u64,
    /// Games that the collection already had.
    pub(super) duplicates: u64,
    /// Games that could not be read or added, and files that could not be read.
    pub(super) faults: u64,
}

impl<'a> Line<'a> {
    /// One of the collections.
    pub(super) fn collection(server: &ServerAddress, collection: &'a Collection) -> Self {
        Self::Collection { link: server.collection_link(&collection.id), collection }
    }
}
