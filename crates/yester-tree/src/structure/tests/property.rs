use proptest::collection::vec;
use proptest::prelude::*;

use super::super::Structure;
use super::check;
use crate::Grammar;

/// Bytes that mean something to the structure more often than others.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let telling = proptest::sample::select(&b"  \n\n\r\t,;()[]{}\"'\\</ab_1\xc3\xa4\xff\x00"[..]);
    vec(prop_oneof![4 => telling, 1 => any::<u8>()], 0..200)
}

proptest! {
    #[test]
    fn every_tree_is_in_order_and_nested(bytes in bytes(), limit in 0..1000_usize) {
        for structure in [Structure::text(), Structure::binary()] {
            check(&structure.parse(&bytes).tree, &bytes);
            check(&structure.with_limit(limit).parse(&bytes).tree, &bytes);
        }
    }

    #[test]
    fn every_visible_byte_is_a_part_of_its_own_in_a_small_text(bytes in bytes()) {
        let tree = Structure::text().parse(&bytes).tree;
        let visible = |leaf: &usize| bytes[tree.range(*leaf)].iter().any(|byte| !byte.is_ascii_whitespace());
        for leaf in tree.leaves().filter(visible).filter(|leaf| *leaf > 0) {
            let text = &bytes[tree.range(leaf)];
            prop_assert!(text.len() == 1 || str::from_utf8(text).is_ok_and(|text| text.chars().count() == 1));
        }
    }

    #[test]
    fn the_limit_is_passed_by_the_parts_of_one_node_at_most(bytes in bytes(), limit in 1..100_usize) {
        let tree = Structure::text().with_limit(limit).parse(&bytes).tree;
        let longest = (0..tree.len()).map(|node| tree.children(node).count()).max();
        let is_small = bytes.len() <= limit / 4;
        prop_assert!(is_small || tree.len() < limit + longest.unwrap_or(0).max(1));
    }
}
