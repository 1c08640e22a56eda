//! The rules of five-in-a-row: boards, variants, moves and how games end.
//!
//! [`Position`] is the way in. It knows no players, clocks or rooms.
//!
//! How the variants judge a run (`|` is the border; m,n,k games count as freestyle does):
//!
//! ```text
//!                    freestyle  standard  renju               caro     caro_overline
//! . X X X X X .      wins       wins      wins                wins     wins
//! O X X X X X .      wins       wins      wins                wins     wins
//! O X X X X X O      wins       wins      wins                nothing  nothing
//! | X X X X X O      wins       wins      wins                wins     wins
//! . X X X X X X .    wins       nothing   White's wins,       nothing  wins
//!                                         Black's is refused
//! ```

mod board;
mod forbidden;
mod line;
mod move_list;
mod outcome;
mod point;
mod position;
mod stone;
mod tiles;
mod variant;

pub use self::tiles::Tiles;
pub use self::{
    board::Board,
    move_list::moves_of_one_game,
    outcome::{Forbidden, Outcome},
    point::{Axis, Point},
    position::{Illegal, Position},
    stone::Stone,
    variant::{
        K_MAX, K_MIN, PLIES_MAX, Rules, RulesError, SIDE_MAX, SIDE_MIN, Size, UNBOUNDED_FIRST,
        UNBOUNDED_PLIES_MAX, UNBOUNDED_REACH, Variant,
    },
};
