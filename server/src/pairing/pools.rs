//! The pools in which people seek games: the default ones, and those of an operator's file.

use std::{collections::HashSet, fs, io, path::Path};

use fivefold_shared::{
    clock::TimeControl,
    opening::{OpeningError, OpeningKind},
    protocol::{GameSettings, PoolName, Unrated},
    rules::{Rules, Size, Variant},
};
use serde::Deserialize;

use crate::limits::POOLS_MAX;

/// The pools of a server, in the order in which they are shown.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pools(Vec<NamedSettings>);

/// A pool's name and its games.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct NamedSettings {
    /// Its name in commands.
    pub name: PoolName,
    /// How its games are played.
    #[serde(flatten)]
    pub settings: GameSettings,
}

/// Why a file of pools cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PoolsError {
    /// The file cannot be read.
    #[error("cannot read it: {0}")]
    Read(#[from] io::Error),
    /// It is not a list of pools.
    #[error(
        "{0}; it is a JSON list of pools such as {{\"name\": \"gomoku-5-3\", \"rules\": \
         {{\"variant\": \"standard\"}}, \"time\": {{\"type\": \"fischer\", \"main_ms\": 300000, \
         \"increment_ms\": 3000}}, \"opening\": \"swap2\"}}"
    )]
    Format(#[from] serde_json::Error),
    /// Two pools have the same name.
    #[error("two pools have the name {0}")]
    SameName(PoolName),
    /// Two pools have the same games.
    #[error("the pools {0} and {1} have the same games")]
    SameGames(PoolName, PoolName),
    /// The opening is not played by these rules.
    #[error("the pool {name}: {error}")]
    Opening {
        /// The pool.
        name: PoolName,
        /// The problem.
        error: OpeningError,
    },
    /// Games of the pool cannot be rated.
    #[error("the pool {name}: {error}. Leave out \"rated\", or change the game")]
    Unrated {
        /// The pool.
        name: PoolName,
        /// The problem.
        error: Unrated,
    },
    /// There are too many.
    #[error("{0} pools are too many: at most {POOLS_MAX}, or nobody meets anybody")]
    TooMany(usize),
}

impl Pools {
    /// Reads the pools of a file.
    ///
    /// # Errors
    /// If the file cannot be read, or its pools cannot be offered.
    pub fn read(file: &Path) -> Result<Self, PoolsError> {
        Self::from_json(&fs::read_to_string(file)?)
    }

    /// Reads pools from a JSON list. An empty list is a server without pools.
    ///
    /// # Errors
    /// If they cannot be offered.
    pub fn from_json(text: &str) -> Result<Self, PoolsError> {
        let pools: Vec<NamedSettings> = serde_json::from_str(text)?;
        if pools.len() > POOLS_MAX {
            return Err(PoolsError::TooMany(pools.len()));
        }
        let mut names = HashSet::new();
        for (index, NamedSettings { name, settings }) in pools.iter().enumerate() {
            if !names.insert(name) {
                return Err(PoolsError::SameName(name.clone()));
            }
            if let Some(same) = pools[..index].iter().find(|pool| pool.settings == *settings) {
                return Err(PoolsError::SameGames(same.name.clone(), name.clone()));
            }
            let is_offered = settings.opening.offered(settings.rules);
            is_offered.map_err(|error| PoolsError::Opening { name: name.clone(), error })?;
            if settings.rated {
                let pool = settings.rating_pool();
                pool.map_err(|error| PoolsError::Unrated { name: name.clone(), error })?;
            }
        }
        Ok(Self(pools))
    }

    /// The pools, in order.
    pub fn as_slice(&self) -> &[NamedSettings] {
        &self.0
    }
}

impl Default for Pools {
    fn default() -> Self {
        let pool = |name, variant, time: &str, opening: OpeningKind| NamedSettings {
            name: PoolName::try_from(name).expect("a pool's name"),
            settings: GameSettings {
                rules: Rules::new(variant, Size::square(15)).expect("the usual board"),
                time: time.parse::<TimeControl>().expect("a time control"),
                opening,
                rated: !opening.is_free(),
            },
        };
        Self(vec![
            pool("gomoku-3-2", Variant::Standard, "3+2", OpeningKind::Swap2),
            pool("gomoku-5-3", Variant::Standard, "5+3", OpeningKind::Swap2),
            pool("gomoku-10-5", Variant::Standard, "10+5", OpeningKind::Swap2),
            pool("freestyle-5-3", Variant::Freestyle, "5+3", OpeningKind::Swap2),
            pool("renju-10-5", Variant::Renju, "10+5", OpeningKind::Soosyrv8),
            pool("caro-5-3", Variant::Caro, "5+3", OpeningKind::Swap2),
            pool("free", Variant::Freestyle, "none", OpeningKind::Free),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_pools_could_come_from_a_file() {
        let pools = Pools::default();
        let json: Vec<_> = pools
            .as_slice()
            .iter()
            .map(|NamedSettings { name, settings }| {
                let GameSettings { rules, time, opening, rated } = settings;
                serde_json::json!({"name": name, "rules": rules, "time": time, "opening": opening,
                    "rated": rated})
            })
            .collect();
        let read = Pools::from_json(&serde_json::to_string(&json).unwrap()).unwrap();
        assert_eq!(read, pools);
        let rated = pools.as_slice().iter().filter(|pool| pool.settings.rated).count();
        assert_eq!((pools.as_slice().len(), rated), (7, 6));
    }

    #[test]
    fn the_example_of_the_guide_is_a_file_of_pools() {
        let guide = include_str!("../../../docs/operating/settings.md");
        let (_, chapter) = guide.split_once("\n## Pools\n").expect("the chapter");
        let (_, example) = chapter.split_once("```json\n").expect("the example");
        let (example, _) = example.split_once("```").expect("its end");
        assert_eq!(Pools::from_json(example).unwrap().as_slice().len(), 2);
        for pool in Pools::default().as_slice() {
            let name = format!("`{}`", pool.name);
            assert!(chapter.contains(&name), "{name} is not in the guide");
        }
    }

    #[test]
    fn a_file_may_leave_out_what_has_a_default() {
        let pools = Pools::from_json(r#"[{"name": "a", "rules": {"variant": "renju"}}]"#).unwrap();
        let [NamedSettings { settings, .. }] = pools.as_slice() else { panic!("{pools:?}") };
        assert_eq!((settings.time, settings.opening), (TimeControl::None, OpeningKind::Free));
        assert_eq!(Pools::from_json("[]").unwrap().as_slice(), []);
    }

    #[test]
    fn an_error_names_what_is_wrong() {
        let free = r#"{"name": "a", "rules": {"variant": "freestyle"}}"#;
        let many: Vec<_> = (0..=POOLS_MAX)
            .map(|n| format!(r#"{{"name": "p{n}", "rules": {{"variant": "mnk", "k": 5, "size": [19, {}]}}}}"#, 5 + n))
            .collect();
        let cases = [
            ("[{", "line 1"),
            (r#"[{"name": "A B", "rules": {"variant": "renju"}}]"#, "a pool's name is"),
            (r#"[{"name": "a", "rules": {"variant": "chess"}}]"#, "chess"),
            (
                r#"[{"name": "a", "rules": {"variant": "renju"}, "opening": "swap2", "time": {"type": "per_move", "move_ms": 1}}]"#,
                "times are 1 second",
            ),
            (
                r#"[{"name": "a", "rules": {"variant": "freestyle"}, "opening": "rif"}]"#,
                "the pool a:",
            ),
            (
                r#"[{"name": "a", "rules": {"variant": "renju"}, "opening": "rif", "rated": true}]"#,
                "the pool a: rated games have a clock",
            ),
            (&format!("[{free}, {free}]"), "two pools have the name a"),
            (&format!("[{free}, {}]", free.replace("\"a\"", "\"b\"")), "a and b have the same"),
            (&format!("[{}]", many.join(",")), "too many"),
        ];
        for (text, expected) in cases {
            let error = Pools::from_json(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
        assert!(Pools::from_json(&format!("[{}]", many[1..].join(","))).is_ok());
    }
}
