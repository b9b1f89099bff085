//! Which values of two functions correspond, once it is known which of their other sites do.

use std::ops::Range;

use super::{between, depth};
use crate::alignment::align;
use crate::site::{Function, Site, SiteKind};
use crate::value::ValueForm;

/// What a value looks like.
#[derive(Clone, PartialEq, Eq, Hash)]
struct ValueShape {
    /// The name as far as it counts.
    name: String,
    form: Option<ValueForm>,
    column: u32,
    depth: usize,
}

/// What a value is by its name without the names of variables and functions.
fn role(name: &str) -> &str {
    let ends = ["[", ".", "->"];
    match name.split_once(" of ") {
        Some((role, _)) => role,
        None if name.starts_with('*') => "*",
        None if ends.iter().any(|end| name.contains(end)) => "part",
        None => "variable",
    }
}

/// Adds the values between the pairs. A variable that has another name now is at the same place among its neighbours.
pub(super) fn with_values(
    old: &Function,
    new: &Function,
    mut pairs: Vec<(usize, usize)>,
) -> Vec<(usize, usize)> {
    let shapes = |function: &Function| -> Vec<Option<ValueShape>> {
        let shape = |(index, site): (usize, &Site)| match &site.kind {
            SiteKind::Value { name, form } => Some(ValueShape {
                name: name.clone(),
                form: Some(*form),
                column: site.column,
                depth: depth(function, index),
            }),
            _ => None,
        };
        function.sites.iter().enumerate().map(shape).collect()
    };
    let (old, new) = (shapes(old), shapes(new));
    let blurred: [fn(&ValueShape) -> ValueShape; 5] = [
        ValueShape::clone,
        |shape| ValueShape {
            depth: 0,
            ..shape.clone()
        },
        |shape| ValueShape {
            depth: 0,
            column: 0,
            ..shape.clone()
        },
        // A variable of another type is still the same.
        |shape| ValueShape {
            form: None,
            depth: 0,
            column: 0,
            ..shape.clone()
        },
        |shape| ValueShape {
            name: role(&shape.name).to_owned(),
            depth: 0,
            column: 0,
            ..shape.clone()
        },
    ];
    if !old.iter().any(Option::is_some) {
        return pairs;
    }
    for blur in blurred {
        let list = |shapes: &[Option<ValueShape>], range: Range<usize>| {
            let values = range.filter_map(|index| Some((index, blur(shapes[index].as_ref()?))));
            values.unzip::<usize, ValueShape, Vec<usize>, Vec<ValueShape>>()
        };
        pairs = between(&pairs, (old.len(), new.len()), |from, there| {
            let (at, one) = list(&old, from);
            let (at_new, other) = list(&new, there);
            let aligned = align(&one, &other);
            let aligned = aligned.pairs();
            aligned
                .map(|(one, other)| (at[one], at_new[other]))
                .collect()
        });
    }
    pairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use crate::matching::Matching;
    use crate::matching::tests::table;
    use crate::site::Sites;

    /// A function of these lines, each a site without what it depends on.
    fn function(lines: &[&str]) -> Sites {
        let head = format!("module\t0\ta.c\nfunction\tf\ta.c\t1\t{}\n", lines.len());
        let lines: String = lines.iter().map(|line| format!("{line}\t\n")).collect();
        Sites::parse(&(head + &lines)).expect("a table")
    }

    fn partners(old: &[&str], new: &[&str]) -> Vec<Option<u32>> {
        let matching = Matching::new(&function(old), &function(new));
        let partner = |site| matching.new_site(0, site).map(|(_, site)| site);
        (0..old.len() as u32).map(partner).collect()
    }

    #[test]
    fn values_correspond_by_their_names_before_anything_else() {
        let old = [
            "value\t\t1\t5\tx\ti32",
            "value\t\t2\t5\ty\ti32",
            "branch\t\t3\t5",
        ];
        let new = [
            "value\t\t1\t9\tn\ti32",
            "value\t\t2\t9\tx\ti32",
            "value\t\t3\t9\ty\tu64",
            "branch\t\t4\t5",
        ];
        assert_eq!(partners(&old, &new), [Some(1), Some(2), Some(3)]);
    }

    #[test]
    fn a_renamed_variable_is_where_it_was_among_its_neighbours() {
        let old = [
            "value\t\t1\t5\tx\ti32",
            "value\t\t2\t5\tcount\ti32",
            "value\t\t2\t9\tindex of count\ti64",
            "value\t\t3\t5\ty\ti32",
        ];
        let new = [
            "value\t\t1\t5\tx\ti32",
            "value\t\t2\t7\tindex of total\ti64",
            "value\t\t2\t5\ttotal\ti32",
            "value\t\t3\t5\ty\ti32",
        ];
        // An index is no assignment; of the two, one can keep its place.
        let found = partners(&old, &new);
        assert_eq!((found[0], found[3]), (Some(0), Some(3)));
        assert!(matches!(
            (found[1], found[2]),
            (Some(2), None) | (None, Some(1))
        ));
        let new = ["value\t\t1\t5\tx\ti32", "value\t\t2\t5\tother\tf64"];
        assert_eq!(partners(&old[..2], &new), [Some(0), None]);
    }

    /// The same table with a value before each site, and what depends on sites renumbered.
    fn with_values_between(text: &str) -> String {
        let mut found = String::new();
        for line in text.lines() {
            let fields: Vec<&str> = line.split('\t').collect();
            match fields[0] {
                "function" => {
                    let sites: usize = fields[4].parse().expect("a number");
                    let all = [fields[1], fields[2], fields[3]].join("\t");
                    found.push_str(&format!("function\t{all}\t{}\n", 2 * sites));
                }
                "module" => found.push_str(&format!("{line}\n")),
                _ => {
                    let last = fields.len() - 1;
                    let dependence = match fields[last].split_once(':') {
                        Some((site, outcome)) => {
                            let site: usize = site.parse().expect("a number");
                            format!("{}:{outcome}", 2 * site + 1)
                        }
                        None => String::new(),
                    };
                    let rest = fields[..last].join("\t");
                    let value = format!("value\t\t1\t{}\tx\ti32", fields[3]);
                    found.push_str(&format!("{value}\t{dependence}\n{rest}\t{dependence}\n"));
                }
            }
        }
        found
    }

    proptest! {
        #[test]
        fn values_change_nothing_for_the_other_sites(
            old in prop::collection::vec((0_u8..12, 0_u8..8), 0..16),
            new in prop::collection::vec((0_u8..12, 0_u8..8), 0..16),
            is_renamed in any::<bool>(),
        ) {
            let (old_text, new_text) =
                (table("f", &old), table(if is_renamed { "g" } else { "f" }, &new));
            let parse = |text: &str| Sites::parse(text).expect("a table");
            let plain = Matching::new(&parse(&old_text), &parse(&new_text));
            let (old_text, new_text) =
                (with_values_between(&old_text), with_values_between(&new_text));
            let matching = Matching::new(&parse(&old_text), &parse(&new_text));
            prop_assert_eq!(matching.new_function(0), plain.new_function(0));
            for site in 0..old.len() as u32 {
                let expected = plain.new_site(0, site).map(|(_, site)| (0, 2 * site + 1));
                prop_assert_eq!(matching.new_site(0, 2 * site + 1), expected);
            }
        }
    }
}
