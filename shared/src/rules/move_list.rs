//! Lists of moves from outside, no longer than any game can be.

use std::{fmt, marker::PhantomData};

use serde::{
    Deserialize, Deserializer,
    de::{Error, SeqAccess, Visitor},
};

use super::PLIES_MAX;

/// Reads a list of moves, and stops when it is longer than any game ([`PLIES_MAX`]): for untrusted
/// lists.
///
/// # Errors
/// When it is longer, or not a list of such moves.
pub fn moves_of_one_game<'de, M, D>(deserializer: D) -> Result<Vec<M>, D::Error>
where
    M: Deserialize<'de>,
    D: Deserializer<'de>,
{
    struct Moves<M>(PhantomData<M>);

    impl<'de, M: Deserialize<'de>> Visitor<'de> for Moves<M> {
        type Value = Vec<M>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of moves")
        }

        fn visit_seq<S: SeqAccess<'de>>(self, mut list: S) -> Result<Vec<M>, S::Error> {
            let mut moves = Vec::new();
            while let Some(made) = list.next_element()? {
                if moves.len() == PLIES_MAX {
                    return Err(S::Error::custom(format_args!(
                        "more moves than any game can have, which is {PLIES_MAX}"
                    )));
                }
                moves.push(made);
            }
            Ok(moves)
        }
    }

    deserializer.deserialize_seq(Moves(PhantomData))
}
