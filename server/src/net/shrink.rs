//! Gives memory back after many have come and gone at once.

use std::{collections::HashMap, hash::Hash};

/// Maps of so many entries keep their space.
const KEPT: usize = 1_024;

/// Gives back most of a map's space once few of its entries are left. Call it after each removal: it seldom does
/// anything.
pub(crate) fn shrink<K: Eq + Hash, V>(map: &mut HashMap<K, V>) {
    if map.capacity() > KEPT && map.len() < map.capacity() / 4 {
        map.shrink_to(2 * map.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_map_gives_its_space_back_after_many_have_left() {
        let mut map: HashMap<usize, usize> = (0..100_000).map(|number| (number, number)).collect();
        let mut shrunk = 0;
        for number in 0..100_000 {
            map.remove(&number);
            let before = map.capacity();
            shrink(&mut map);
            shrunk += usize::from(map.capacity() < before);
            assert!(map.capacity() >= map.len());
        }
        assert!(map.capacity() <= KEPT, "{}", map.capacity());
        assert!(shrunk < 10, "{shrunk} times");
    }
}
