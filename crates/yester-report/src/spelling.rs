//! What was probably meant by a word that is not known.

/// Finds the known word that is most like a wrong one, if one is like it at all. Capitals do not count.
pub fn closest<'a>(word: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_lowercase();
    let allowed = match word.chars().count() {
        0..=2 => 0,
        3..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    known
        .into_iter()
        .map(|name| (distance(&word, &name.to_lowercase()), name))
        .min_by_key(|(distance, _)| *distance)
        .filter(|(distance, _)| *distance <= allowed)
        .map(|(_, name)| name)
}

/// How many letters have to be added, left out or replaced, or exchanged with their neighbours.
fn distance(one: &str, other: &str) -> usize {
    let (one, other): (Vec<char>, Vec<char>) = (one.chars().collect(), other.chars().collect());
    let mut rows = vec![(0..=other.len()).collect::<Vec<usize>>()];
    for (line, left) in one.iter().enumerate() {
        let mut row = vec![line + 1];
        for (column, right) in other.iter().enumerate() {
            let above = &rows[line];
            let replaced = above[column] + usize::from(left != right);
            let mut best = replaced.min(above[column + 1] + 1).min(row[column] + 1);
            if line > 0 && column > 0 && *left == other[column - 1] && one[line - 1] == *right {
                best = best.min(rows[line - 1][column - 1] + 1);
            }
            row.push(best);
        }
        rows.push(row);
    }
    rows[one.len()][other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_counts_edits_and_exchanges() {
        for (one, other, edits) in [
            ("timeout", "timeout", 0),
            ("time-out", "timeout", 1),
            ("", "jobs", 4),
            ("redcue", "reduce", 1),
            ("pyhton", "python", 1),
        ] {
            assert_eq!(distance(one, other), edits, "{one} {other}");
        }
    }

    #[test]
    fn what_is_like_nothing_has_no_closest() {
        let known = ["reduce", "trace", "changes", "go", "c"];
        for (word, meant) in [
            ("redcue", Some("reduce")),
            ("Changes", Some("changes")),
            ("xyz", None),
            ("ab", None),
            ("GO", Some("go")),
        ] {
            assert_eq!(closest(word, known), meant, "{word}");
        }
    }
}
