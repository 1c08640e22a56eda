//! RenLib's libraries, `.lib`: trees of games on 15x15 with comments. They are only read.
//!
//! A head of 20 bytes, which begins with `RenLib` between two bytes of 255 and has the version after
//! them, then two bytes for each node: the point, and flags. A node is followed by its first child
//! with all below it, then by its next sibling. A point is the row from the top, from 0, in the upper
//! four bits, and the column from the left, from 1, in the lower ones; 0 is no point, as in the root.
//! The file knows no rules, and not in which encoding its comments are.
//!
//! RenLib also saves one line as a library, the shown position. Its last node has no mark of the end.
//!
//! Moves after a pass or an impossible point are left out, because a [`GameTree`] cannot hold them, and
//! so are letters on empty points.

use self::{
    nodes::{Bytes, HEAD, Text, at_byte, check_head},
    walk::{Above, Visit, Walk},
};
use super::{
    file::FileError,
    notes::Noted,
    tree::{GameTree, TreeBuilder},
};
use crate::rules::Variant;

mod library_lines;
mod nodes;
mod walk;

pub(super) use self::library_lines::LibraryLines;
pub use self::nodes::is_library;

/// The texts of a library without those in between, to guess their encoding.
pub fn texts(bytes: &[u8]) -> Vec<u8> {
    let mut rest = Bytes { bytes, at: HEAD };
    let mut texts = Vec::new();
    while !rest.is_empty() {
        let Ok(node) = rest.node() else { break };
        texts.extend(node.on_board);
        texts.push(b'\n');
        if let Text::Encoded(comment) = node.comment {
            texts.extend(comment);
            texts.push(b'\n');
        }
    }
    texts
}

/// Reads a library of games by this variant. `decode` makes letters of the bytes of a text.
///
/// # Errors
/// When it is not one, ends too early, or is too large; with the byte.
pub fn read(
    bytes: &[u8],
    variant: Variant,
    decode: &dyn Fn(&[u8]) -> String,
) -> Result<Noted<GameTree>, FileError> {
    let rules = check_head(bytes, variant)?;
    let mut builder = TreeBuilder::new(rules);
    let mut rest = Bytes { bytes, at: HEAD };
    let mut walk = Walk::new(None);
    while !rest.is_empty() && !walk.has_ended {
        let at = rest.at;
        let node = rest.node()?;
        let here = match walk.visit(&node) {
            Visit::Root => Above::At(None),
            Visit::Move(parent, point) => {
                let added = builder.add(parent, point);
                Above::At(Some(added.map_err(|full| at_byte(at, &full.to_string()))?))
            }
            Visit::LeftOut => Above::LeftOut,
        };
        if let Above::At(place) = here {
            let added = builder.comment(place, &node.text(decode));
            added.map_err(|long| at_byte(at, &long.to_string()))?;
        }
        walk.go_on(&node, here);
    }
    if !walk.is_whole {
        return Err(at_byte(rest.at, "a variation is missing"));
    }
    let content = builder.finish(rules, None);
    Ok(Noted { content, notes: walk.notes().finish(variant) })
}
