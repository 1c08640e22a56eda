//! The pictures asked for last, so that one that many people look at is drawn once.

use std::sync::{Mutex, PoisonError};

use axum::body::Bytes;
use fivefold_shared::protocol::GameId;

use crate::limits::PICTURE_CACHE_BYTES_MAX;

/// What a picture is of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum PictureKey {
    /// A finished game.
    Game(GameId),
    /// A position, by the query that describes it.
    Position(String),
}

/// The pictures asked for last, up to [`PICTURE_CACHE_BYTES_MAX`] with their keys.
#[derive(Debug, Default)]
pub(crate) struct Pictures {
    /// The one asked for last is at the end. Locked only to look up and insert.
    kept: Mutex<Vec<(PictureKey, Bytes)>>,
}

impl Pictures {
    /// The picture, if it is kept.
    pub(crate) fn known(&self, key: &PictureKey) -> Option<Bytes> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        let place = kept.iter().position(|(other, _)| other == key)?;
        let entry = kept.remove(place);
        let png = entry.1.clone();
        kept.push(entry);
        Some(png)
    }

    /// Keeps a picture, and drops those that nobody has asked for the longest.
    pub(crate) fn keep(&self, key: PictureKey, png: Bytes) {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|(other, _)| *other != key);
        kept.push((key, png));
        let mut total: usize = kept.iter().map(size).sum();
        let mut dropped = 0;
        while total > PICTURE_CACHE_BYTES_MAX {
            total -= size(&kept[dropped]);
            dropped += 1;
        }
        kept.drain(..dropped);
    }
}

fn size((key, png): &(PictureKey, Bytes)) -> usize {
    let key = match key {
        PictureKey::Game(id) => id.as_str().len(),
        PictureKey::Position(query) => query.len(),
    };
    key + png.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_asks_for_makes_way_at_the_limit() {
        let pictures = Pictures::default();
        let key = |name: &str| PictureKey::Position(name.to_owned());
        let half = Bytes::from(vec![0; PICTURE_CACHE_BYTES_MAX / 2 - 1]);
        for name in ["a", "b"] {
            pictures.keep(key(name), half.clone());
        }
        // Both fit exactly, and the same one again takes no more.
        pictures.keep(key("b"), half.clone());
        assert_eq!(pictures.known(&key("b")), Some(half.clone()));
        assert_eq!(pictures.known(&key("a")), Some(half));
        // One byte more does not: the one asked for longest ago goes.
        pictures.keep(key(""), Bytes::from_static(b"1"));
        assert_eq!(pictures.known(&key("b")), None);
        assert!(pictures.known(&key("a")).is_some() && pictures.known(&key("")).is_some());
        // A picture larger than all of it is not kept.
        pictures.keep(key("c"), Bytes::from(vec![0; PICTURE_CACHE_BYTES_MAX]));
        assert_eq!(pictures.known(&key("c")), None);
    }
}
