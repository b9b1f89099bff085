//! Sites in lines with the same text.

use std::collections::HashMap;

use crate::alignment::align;
use crate::site::{Function, SiteKind, Sites};

/// The texts of the lines of all sites, without white space, by the number of the function.
pub(super) fn texts(
    sites: &Sites,
    text: impl Fn((&str, u32)) -> Option<String>,
) -> HashMap<u32, Vec<Option<String>>> {
    let mut known: HashMap<(&str, u32), Option<String>> = HashMap::new();
    let mut texts = HashMap::new();
    for function in sites.functions() {
        let of_function: Vec<Option<String>> = function
            .sites
            .iter()
            .map(|site| {
                let place = (function.file_of(site), site.line);
                let found = known.entry(place).or_insert_with(|| {
                    let text = text(place)?;
                    Some(text.split_whitespace().collect())
                });
                found.clone()
            })
            .collect();
        if of_function.iter().any(Option::is_some) {
            texts.insert(function.id, of_function);
        }
    }
    texts
}

/// What a site is, apart from where.
#[derive(PartialEq, Eq)]
enum TextKey<'a> {
    Known(&'a str, &'a SiteKind),
    /// Nothing is the same as a site whose line is not known.
    Unknown(bool, usize),
}

/// The pairs of sites of the same kind in lines with the same text, in order.
pub(super) fn same_lines(
    (old, old_texts): (&Function, &[Option<String>]),
    (new, new_texts): (&Function, &[Option<String>]),
) -> Vec<(usize, usize)> {
    fn keys<'a>(
        function: &'a Function,
        texts: &'a [Option<String>],
        is_new: bool,
    ) -> Vec<TextKey<'a>> {
        let sites = function.sites.iter().zip(texts).enumerate();
        let key = sites.map(|(index, (site, text))| match text {
            Some(text) => TextKey::Known(text, &site.kind),
            None => TextKey::Unknown(is_new, index),
        });
        key.collect()
    }
    let (one, other) = (keys(old, old_texts, false), keys(new, new_texts, true));
    align(&one, &other).pairs().collect()
}

/// Pairs that are in order, with as many of the others as fit between them.
pub(super) fn in_order(
    pairs: Vec<(usize, usize)>,
    others: &[(usize, usize)],
) -> Vec<(usize, usize)> {
    let mut all = pairs.clone();
    for &(one, other) in others {
        let place = pairs.partition_point(|pair| pair.0 < one);
        let is_after = place == 0 || pairs[place - 1].1 < other;
        let is_before = pairs
            .get(place)
            .is_none_or(|next| next.0 > one && next.1 > other);
        if is_after && is_before {
            all.push((one, other));
        }
    }
    all.sort_unstable();
    all
}

#[cfg(test)]
mod tests {
    use crate::matching::Matching;
    use crate::site::Sites;

    #[test]
    fn a_removed_branch_does_not_take_the_partner_of_its_neighbour() {
        let old = "module\t0\ta.c\nfunction\tf\ta.c\t1\t2\nbranch\t\t2\t9\t\nbranch\t\t5\t9\t\n";
        let new = "module\t0\ta.c\nfunction\tf\ta.c\t1\t1\nbranch\t\t2\t9\t\n";
        let (old, new) = (Sites::parse(old), Sites::parse(new));
        let (old, new) = (old.expect("a table"), new.expect("a table"));
        let lines = |lines: &'static [(u32, &'static str)]| {
            move |(_, line): (&str, u32)| {
                let found = lines.iter().find(|(number, _)| *number == line);
                found.map(|(_, text)| (*text).to_owned())
            }
        };
        for (text, expected) in [
            ("if (value < low)", [Some((0, 0)), None]),
            ("if (value > high)", [None, Some((0, 0))]),
        ] {
            let of_old = lines(&[(2, "if (value < low)"), (5, "  if (value > high)")]);
            let of_new = move |_: (&str, u32)| Some(text.to_owned());
            let matching = Matching::with_texts(&old, &new, of_old, of_new);
            let partners = [matching.new_site(0, 0), matching.new_site(0, 1)];
            assert_eq!(partners, expected, "{text}");
        }
    }
}
