//! What an opening asks of a seat, the acts that answer it, and why an act is refused.

use serde::{Deserialize, Serialize};

use crate::{
    rules::{Illegal, Point, Size, Stone},
    seat::Seat,
};

/// One act of a seat in an opening. On the wire, one of `{"put": [[7, 7], [8, 8]]}` (with
/// `"declare": 3` where the opening asks for a number), `{"take": "black"}`, `{"offer": [[6, 7],
/// [6, 6]]}` and `{"select": [6, 7]}`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS), ts(as = "ActForm"))]
#[serde(try_from = "ActForm", into = "ActForm")]
pub enum Act {
    /// Put stones, in this order; they alternate.
    Put {
        /// The points.
        points: Vec<Point>,
        /// How many fifth stones will be offered, where the opening asks for that.
        declare: Option<u8>,
    },
    /// Take a colour. If that is not the held one, the seats swap colours.
    Take(Stone),
    /// Offer these fifth stones.
    Offer(Vec<Point>),
    /// Select one of the offered stones; it is put on the board.
    Select(Point),
}

impl Act {
    /// Puts stones, and declares nothing.
    pub const fn put(points: Vec<Point>) -> Self {
        Self::Put { points, declare: None }
    }

    /// How many stones it puts on the board.
    pub const fn stones(&self) -> usize {
        match self {
            Self::Put { points, .. } => points.len(),
            Self::Select(_) => 1,
            Self::Take(_) | Self::Offer(_) => 0,
        }
    }
}

/// An act on the wire.
#[derive(Clone, Default, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
struct ActForm {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    put: Option<Vec<Point>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    declare: Option<u8>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    take: Option<Stone>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    offer: Option<Vec<Point>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    select: Option<Point>,
}

impl TryFrom<ActForm> for Act {
    type Error = &'static str;

    fn try_from(form: ActForm) -> Result<Self, &'static str> {
        match form {
            ActForm { put: Some(points), declare, take: None, offer: None, select: None } => {
                Ok(Self::Put { points, declare })
            }
            ActForm { put: None, declare: None, take: Some(stone), offer: None, select: None } => {
                Ok(Self::Take(stone))
            }
            ActForm { put: None, declare: None, take: None, offer: Some(points), select: None } => {
                Ok(Self::Offer(points))
            }
            ActForm { put: None, declare: None, take: None, offer: None, select: Some(point) } => {
                Ok(Self::Select(point))
            }
            ActForm { .. } => Err("an act is one of put (with declare), take, offer and select"),
        }
    }
}

impl From<Act> for ActForm {
    fn from(act: Act) -> Self {
        let form = Self::default();
        match act {
            Act::Put { points, declare } => Self { put: Some(points), declare, ..form },
            Act::Take(stone) => Self { take: Some(stone), ..form },
            Act::Offer(points) => Self { offer: Some(points), ..form },
            Act::Select(point) => Self { select: Some(point), ..form },
        }
    }
}

/// An act and the seat that made it. On the wire: `{"by": "second", "act": {"take": "black"}}`.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct MadeAct {
    /// The seat.
    pub by: Seat,
    /// The act.
    pub act: Act,
}

/// One change of an opening: an act, or a part of one. A room logs an event for each.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Change {
    /// A stone was put; where stones are offered, one of them.
    Put(Point),
    /// A number of fifth stones was declared.
    Declare(u8),
    /// The seat keeps its colour.
    Stay,
    /// The seats swapped colours.
    Swap,
    /// Fifth stones were offered.
    Offer(Vec<Point>),
}

/// What an opening asks of a seat: one of several acts may be open at once.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
pub struct Ask {
    /// The seat that must act.
    pub seat: Seat,
    /// The stones that the seat may put, all in one act: the zone of each.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub put: Vec<Zone>,
    /// The largest number of fifth stones that the seat may declare, from 1, which it does with
    /// these stones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub declare: Option<u8>,
    /// Whether the seat may take a colour, either of them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub take: bool,
    /// How many fifth stones the seat may offer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub offer: Option<u8>,
    /// The points that count as one offer, because turning, mirroring and moving one of the shapes
    /// gives the other: groups of two or more. Only one of each group may be offered.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub same: Vec<Vec<Point>>,
    /// The offered stones. The seat selects one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub select: Vec<Point>,
}

impl Ask {
    /// An ask of a seat to which nothing is open.
    pub(super) const fn of(seat: Seat) -> Self {
        Self {
            seat,
            put: Vec::new(),
            declare: None,
            take: false,
            offer: None,
            same: Vec::new(),
            select: Vec::new(),
        }
    }
}

/// The points on which a stone of an opening may be put, by their [distance](Point::distance) from
/// the centre. On the wire: `"anywhere"`, `{"within": 2}` or `{"beyond": 3}`.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema, ts_rs::TS))]
#[serde(rename_all = "snake_case")]
pub enum Zone {
    /// Every point.
    Anywhere,
    /// The points at most so far from the centre.
    Within(u8),
    /// The points at least so far from the centre.
    Beyond(u8),
}

impl Zone {
    /// Whether a stone may be put there. A board without a middle point has only
    /// [`Anywhere`](Self::Anywhere).
    pub fn contains(self, point: Point, size: Size) -> bool {
        let distance = |distance: fn(u32, u32) -> bool, limit: u8| {
            centre(size).is_some_and(|centre| distance(centre.distance(point), limit.into()))
        };
        match self {
            Self::Anywhere => true,
            Self::Within(limit) => distance(|far, limit| far <= limit, limit),
            Self::Beyond(limit) => distance(|far, limit| far >= limit, limit),
        }
    }
}

/// The middle point of a board, if it has one.
fn centre(size: Size) -> Option<Point> {
    match size {
        Size::Bounded { width, height } if width % 2 == 1 && height % 2 == 1 => {
            Some(Point::new((width / 2).into(), (height / 2).into()))
        }
        Size::Bounded { .. } | Size::Unbounded => None,
    }
}

/// Why an act is refused. A refused act changes nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Refused {
    /// The opening does not ask for such an act now, or it is over.
    #[error("the opening does not ask for this now")]
    NotNow,
    /// The number of stones, or the declared number, is not one of those asked for.
    #[error("the opening asks for a number from {least} to {most}")]
    WrongCount {
        /// The least number.
        least: usize,
        /// The largest number.
        most: usize,
    },
    /// The opening does not allow a stone on this point now.
    #[error("the opening does not allow a stone there now")]
    NotInZone(Point),
    /// The point gives the same shape as one that is offered before it.
    #[error("this is the same as offer {number}")]
    SameAsOffered {
        /// The point.
        point: Point,
        /// The earlier offer, counted from 1.
        number: usize,
    },
    /// The rules of the game refuse the stone.
    #[error(transparent)]
    Illegal(Illegal),
}
