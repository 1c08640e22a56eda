//! Points of the unbounded board, in tiles of 8x8: one bit for each point.
//!
//! Games begin around zero, and the tiles there are an array. Those farther away, if they have any
//! points, are in an ordered map. Points come from clients: a lookup takes a number of steps
//! logarithmic in the number of tiles for any points. There is no hash, so nobody can choose points
//! that collide.

use std::{collections::BTreeMap, fmt};

use super::Point;

/// The side of a tile is two to this power: 64 points are the bits of one number.
const SIDE_BITS: i32 = 3;
/// The number of tiles to each side of zero in the array.
const NEAR: i32 = 4;
const NEAR_TILES: usize = (4 * NEAR * NEAR) as usize;

/// Points, each in one of `LAYERS` layers. This file gives the layers no meaning.
#[derive(Clone, PartialEq, Eq)]
pub struct Tiles<const LAYERS: usize> {
    near: Box<[[u64; LAYERS]; NEAR_TILES]>,
    /// Without tiles that are empty, so that the same points are always kept in the same way.
    far: BTreeMap<Corner, [u64; LAYERS]>,
}

/// The corner of a far tile, counted in tiles.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Corner(u64);

/// The place of a point's tile.
#[derive(Clone, Copy)]
enum Place {
    Near(usize),
    Far(Corner),
}

impl<const LAYERS: usize> Default for Tiles<LAYERS> {
    fn default() -> Self {
        Self { near: Box::new([[0; LAYERS]; NEAR_TILES]), far: BTreeMap::new() }
    }
}

impl<const LAYERS: usize> Tiles<LAYERS> {
    /// The point's layer, if any.
    pub fn layer_of(&self, point: Point) -> Option<usize> {
        let (place, bit) = find(point);
        let tile = match place {
            Place::Near(index) => &self.near[index],
            Place::Far(corner) => self.far.get(&corner)?,
        };
        layer_of(tile, bit)
    }

    /// Puts a point into a layer; returns its former layer.
    pub fn put(&mut self, point: Point, layer: usize) -> Option<usize> {
        let (place, bit) = find(point);
        let tile = match place {
            Place::Near(index) => &mut self.near[index],
            Place::Far(corner) => self.far.entry(corner).or_insert([0; LAYERS]),
        };
        let before = layer_of(tile, bit);
        if let Some(before) = before {
            tile[before] &= !bit;
        }
        tile[layer] |= bit;
        before
    }

    /// Removes a point and returns its layer.
    pub fn take(&mut self, point: Point) -> Option<usize> {
        let (place, bit) = find(point);
        let tile = match place {
            Place::Near(index) => &mut self.near[index],
            Place::Far(corner) => self.far.get_mut(&corner)?,
        };
        let layer = layer_of(tile, bit)?;
        tile[layer] &= !bit;
        if let Place::Far(corner) = place
            && tile.iter().all(|layer| *layer == 0)
        {
            self.far.remove(&corner);
        }
        Some(layer)
    }
}

impl<const LAYERS: usize> fmt::Debug for Tiles<LAYERS> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let layers = self.near.iter().chain(self.far.values()).flatten();
        let points = layers.map(|layer| layer.count_ones()).sum::<u32>();
        f.debug_struct("Tiles").field("points", &points).field("far", &self.far.len()).finish()
    }
}

fn layer_of<const LAYERS: usize>(tile: &[u64; LAYERS], bit: u64) -> Option<usize> {
    tile.iter().position(|layer| layer & bit != 0)
}

/// The tile of a point, and its bit there.
#[inline]
const fn find(point: Point) -> (Place, u64) {
    let (column, row) = (point.x >> SIDE_BITS, point.y >> SIDE_BITS);
    let within = (1 << SIDE_BITS) - 1;
    let bit = 1 << ((point.y & within) << SIDE_BITS | point.x & within);
    let (right, down) = ((column + NEAR).cast_unsigned(), (row + NEAR).cast_unsigned());
    let side = (2 * NEAR).cast_unsigned();
    if right < side && down < side {
        return (Place::Near((down * side + right) as usize), bit);
    }
    let corner = (column.cast_unsigned() as u64) << 32 | row.cast_unsigned() as u64;
    (Place::Far(Corner(corner)), bit)
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    /// Near each other, and at the limits of a coordinate.
    fn coordinate() -> impl Strategy<Value = i32> {
        prop_oneof![-20..20, -40..40, Just(i32::MIN), Just(i32::MAX), any::<i32>()]
    }

    proptest! {
        #[test]
        fn tiles_hold_what_a_map_of_points_holds(
            steps in prop::collection::vec(
                (coordinate(), coordinate(), prop::option::of(0..2_usize)), 0..200),
        ) {
            let mut tiles = Tiles::<2>::default();
            let mut twin = HashMap::new();
            for (x, y, layer) in steps {
                let point = Point::new(x, y);
                let (before, expected) = match layer {
                    Some(layer) => (tiles.put(point, layer), twin.insert(point, layer)),
                    None => (tiles.take(point), twin.remove(&point)),
                };
                prop_assert_eq!(before, expected);
                for (dx, dy) in [(0, 0), (1, 0), (0, 1), (-1, -1), (8, 0)] {
                    let near = Point::new(x.wrapping_add(dx), y.wrapping_add(dy));
                    prop_assert_eq!(tiles.layer_of(near), twin.get(&near).copied());
                }
            }
            // An emptied board equals one that was never used.
            for point in twin.into_keys() {
                tiles.take(point);
            }
            prop_assert!(tiles == Tiles::default());
        }
    }
}
