//! Collections: the games that a member keeps, as sent over the wire, and which of them are equal.
//!
//! A client reads the files ([`notation`](crate::notation)) and sends the games in batches.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::{
    notation::{
        coordinates,
        file::{Ending, GameFile},
        moves,
    },
    protocol::{CollectionId, CollectionName, Name, clean_line},
    rules::{Point, Position, Rules, Size, Stone},
    symmetry::{self, turned},
};

pub mod file_batches;

/// Most games in a batch.
pub const BATCH_GAMES_MAX: usize = 200;
/// Most bytes of a batch, as JSON.
pub const BATCH_BYTES_MAX: usize = 256 * 1024;
/// Most games in a page of a collection.
pub const COLLECTION_PAGE_GAMES: usize = 100;
/// Longest player name, date or event of a game in a collection, in characters.
pub const COLLECTED_TEXT_MAX: usize = 100;
/// Longest list of moves of a game in a collection, in bytes: twice what fills a board of 30x30.
pub const COLLECTED_MOVES_BYTES_MAX: usize = 8 * 1024;

/// A member's collection of games.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct Collection {
    /// Its id. Anyone who knows it may see a shared collection.
    pub id: CollectionId,
    /// Its name.
    pub name: CollectionName,
    /// Whether others may see it.
    pub shared: bool,
    /// How many games it has.
    pub games: u64,
    /// When it was last changed, in milliseconds since the Unix epoch.
    pub changed_at: u64,
    /// The owner's name; absent in answers to the owner.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub owner: Option<Name>,
}

/// All collections of a member, as in the server's answer.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CollectionList {
    /// The collections, the most recently changed first.
    pub collections: Vec<Collection>,
}

/// The settings of a collection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CollectionSettings {
    /// Its name.
    pub name: CollectionName,
    /// Whether others may see it.
    #[serde(default)]
    pub shared: bool,
}

/// A game as a collection keeps it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CollectedGame {
    /// The variant and the board.
    pub rules: Rules,
    /// Black's name, on one line of at most 100 characters.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub black: Option<String>,
    /// White's name, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub white: Option<String>,
    /// The day as the file writes it, such as `2026-11-21`, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// Where it was played, such as the name of a tournament, likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event: Option<String>,
    /// How it ended, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ending: Option<Ending>,
    /// The moves, Black's first, such as `h8 i9 j10`; at most 8192 bytes.
    pub moves: String,
}

/// A batch of games to add to a collection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct GamesToCollect {
    /// From 1 to [`BATCH_GAMES_MAX`] games.
    #[cfg_attr(test, schemars(length(min = 1, max = 200)))]
    pub games: Vec<CollectedGame>,
}

/// The result of a batch. Games that are in neither list were added.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CollectAnswer {
    /// How many games were added.
    pub added: usize,
    /// The games that the collection already had, by their positions in the batch, from 0.
    pub duplicates: Vec<usize>,
    /// The games that could not be added.
    pub refused: Vec<RefusedGame>,
}

/// A game of a batch that could not be added.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct RefusedGame {
    /// Its position in the batch, from 0.
    pub index: usize,
    /// The problem, in English.
    pub text: String,
}

/// A page of games of a collection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct CollectionPage {
    /// The collection.
    pub collection: Collection,
    /// The games, by number. In a search, a page may have few or none although more follow.
    pub games: Vec<NumberedGame>,
    /// If more games may follow: the number after which the next page begins.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<u64>,
}

/// A game of a collection, with its number.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub struct NumberedGame {
    /// Its number in the collection. It does not change when other games are deleted.
    pub number: u64,
    /// The game.
    #[serde(flatten)]
    pub game: CollectedGame,
}

/// A key of the rules and the final position of a game. It is the same if the board is rotated or
/// mirrored, and on an unbounded board if the stones are shifted. Nothing else about the game
/// affects it. Keys are stored, so the same game must always get the same key.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LayoutKey(String);

impl LayoutKey {
    /// The key of the stones of a position.
    pub fn of(position: &Position) -> Self {
        let stones: Vec<_> =
            position.moves().iter().copied().zip((0..).map(Stone::to_move)).collect();
        let stones = match position.rules().size() {
            Size::Bounded { width, height } => least_image(&stones, width.into(), height.into()),
            Size::Unbounded => symmetry::layout(&stones).stones().to_vec(),
        };
        let mut hash = Sha256::new().chain_update(position.rules().to_string());
        for (Point { x, y }, stone) in stones {
            hash.update(x.to_le_bytes());
            hash.update(y.to_le_bytes());
            hash.update([match stone {
                Stone::Black => b'X',
                Stone::White => b'O',
            }]);
        }
        // 128 bits are enough: equal keys of two layouts would only harm the owner.
        let digits = hash.finalize().iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        Self(digits)
    }

    /// A key as it was stored.
    pub const fn stored(text: String) -> Self {
        Self(text)
    }

    /// The key as it is stored: 32 hexadecimal digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The stones of a bounded board, rotated and mirrored so that the result is the least: it is the
/// same for all equal layouts.
fn least_image(stones: &[(Point, Stone)], width: i32, height: i32) -> Vec<(Point, Stone)> {
    let last = Point::new(width - 1, height - 1);
    let image = |way| {
        // The corner opposite the origin shows how far the turned board has moved.
        let Point { x, y } = turned(last, way);
        let moved = |point| {
            let at = turned(point, way);
            Point::new(at.x - x.min(0), at.y - y.min(0))
        };
        let fits = (x.abs(), y.abs()) == (last.x, last.y);
        fits.then(|| {
            let mut image: Vec<_> =
                stones.iter().map(|&(point, stone)| (moved(point), stone)).collect();
            image.sort_unstable();
            image
        })
    };
    (0..symmetry::COUNT).filter_map(image).min().unwrap_or_default()
}

impl CollectedGame {
    /// A game from a file as a collection keeps it: without the choices of the opening and the
    /// times of the moves. Texts are cleaned and shortened to [`COLLECTED_TEXT_MAX`] characters.
    pub fn of(game: &GameFile) -> Self {
        let text = |text: &Option<String>| text.as_deref().and_then(shortened);
        Self {
            rules: game.rules,
            black: text(&game.black),
            white: text(&game.white),
            date: text(&game.date),
            event: text(&game.event),
            ending: game.ending,
            moves: moves_text(game.rules, game.points()),
        }
    }

    /// The game as a file has it.
    ///
    /// # Errors
    /// When its moves are not a list of points on its board; in English.
    pub fn file(&self) -> Result<GameFile, String> {
        let Self { rules, black, white, date, event, ending, moves } = self;
        let read = moves::read(moves, *rules).map_err(|why| why.text)?;
        if read.rules != *rules {
            return Err("the list of moves names rules".into());
        }
        let (black, white) = (black.clone(), white.clone());
        let (date, event) = (date.clone(), event.clone());
        Ok(GameFile { black, white, date, event, ending: *ending, ..read })
    }

    /// Checks the game and returns it as it is stored, with the key of its layout: moves such as
    /// `h8 i9`, cleaned texts, and no empty texts.
    ///
    /// # Errors
    /// When a text or the list of moves is too long, or there are no moves or illegal ones; in
    /// English.
    pub fn checked(&self) -> Result<(Self, LayoutKey), String> {
        if self.moves.len() > COLLECTED_MOVES_BYTES_MAX {
            return Err(format!(
                "the list of moves has more than {COLLECTED_MOVES_BYTES_MAX} bytes"
            ));
        }
        let rules = self.rules;
        let points = self.file()?.points();
        let position = Position::from_moves(rules, &points).map_err(|(ply, why)| {
            format!("move {}, {}: {why}", ply + 1, coordinates::format(points[ply], rules.size()))
        })?;
        if points.is_empty() {
            return Err("the game has no moves".into());
        }
        let text = |what: &str, text: &Option<String>| {
            let clean = text.as_deref().map(clean_line).filter(|clean| !clean.is_empty());
            match clean {
                Some(clean) if clean.chars().count() > COLLECTED_TEXT_MAX => {
                    Err(format!("the {what} has more than {COLLECTED_TEXT_MAX} characters"))
                }
                clean => Ok(clean),
            }
        };
        let game = Self {
            rules,
            black: text("name of Black", &self.black)?,
            white: text("name of White", &self.white)?,
            date: text("date", &self.date)?,
            event: text("event", &self.event)?,
            ending: self.ending,
            moves: moves_text(rules, points),
        };
        Ok((game, LayoutKey::of(&position)))
    }
}

/// A text cleaned and shortened; `None` if nothing is left.
fn shortened(text: &str) -> Option<String> {
    let start: String = clean_line(text).chars().take(COLLECTED_TEXT_MAX).collect();
    Some(clean_line(&start)).filter(|text| !text.is_empty())
}

fn moves_text(rules: Rules, points: Vec<Point>) -> String {
    let names = points.into_iter().map(|point| coordinates::format(point, rules.size()));
    names.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests;
