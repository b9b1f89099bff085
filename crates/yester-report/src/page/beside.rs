//! What stands beside the lines of a listing: what was seen there, and what a part of a patch does.

use std::fmt::Write as _;

use super::listing::escaped;
use crate::story::{StoryChange, StoryPatch, StoryPlace, StorySource};

/// What there is to say of a line of a source: the places that it has with their values in both runs, and the steps of all places
/// that pass it.
pub(super) fn notes(source: &StorySource, line: u32, places: &[StoryPlace], id: &str) -> String {
    let mut notes = Vec::new();
    let own = places.iter().enumerate();
    let own = own.filter(|(_, place)| place.version == source.version);
    for (index, place) in own {
        let number = index + 1;
        if (&place.file, place.line) == (&source.file, line) {
            notes.push(format!(
                "<a class=\"tag\" href=\"#{id}-place-{number}\">place {number}</a> {}",
                seen(place)
            ));
        }
        for (step, passed) in place.steps.iter().enumerate() {
            if (&passed.file, passed.line) == (&source.file, line) {
                let step = step + 1;
                notes.push(format!(
                    "<a class=\"tag step\" href=\"#{id}-place-{number}-{step}\">{number}.{step}</a> {}",
                    escaped(&passed.what)
                ));
            }
        }
    }
    let notes = notes.iter().map(|note| format!("<span>{note}</span>"));
    notes.collect()
}

/// The values of a place in both runs, or what was seen there in words.
fn seen(place: &StoryPlace) -> String {
    if place.values.is_empty() {
        let words = if place.seen.is_empty() {
            &place.title
        } else {
            &place.seen
        };
        return escaped(words);
    }
    let mut text = String::new();
    for value in &place.values {
        let _ = write!(
            text,
            "<span class=\"value\">{} <b>{}</b></span> ",
            escaped(&value.run),
            escaped(&value.value)
        );
    }
    text.trim_end().to_owned()
}

/// Numbers of the other places with the same values in the same runs: a value that goes from one to the next. That a
/// condition is true says nothing.
pub(super) fn with_same_values(index: usize, places: &[StoryPlace]) -> Vec<usize> {
    let own = &places[index];
    let is_telling = |place: &StoryPlace| {
        place.values.len() > 1
            && place
                .values
                .iter()
                .all(|value| value.value.len() > 1 && !["true", "false"].contains(&&*value.value))
    };
    if !is_telling(own) {
        return Vec::new();
    }
    let others = places.iter().enumerate();
    let others = others.filter(|(other, place)| *other != index && place.values == own.values);
    others.map(|(other, _)| other + 1).collect()
}

/// What is said beside the parts of a patch, each a run of lines that were removed or added.
pub(super) struct Parts {
    /// What is said of each part, in order.
    said: std::vec::IntoIter<String>,
    is_inside: bool,
}

impl Parts {
    /// The changes of a patch beside its parts. Where these are not one for one, nothing is said: better nothing than the wrong thing.
    pub fn of(text: &str, patch: &StoryPatch) -> Parts {
        let parts = parts(text);
        let mut said = Vec::new();
        for (file, number) in &parts {
            let own = patch.changes.iter().filter(|change| change.file == *file);
            let changes: Vec<&StoryChange> = own.collect();
            let parts_of_file = parts.iter().filter(|(other, _)| other == file).count();
            let change = changes
                .get(*number)
                .filter(|_| changes.len() == parts_of_file);
            said.push(change.map_or_else(String::new, |change| role(change)));
        }
        Parts {
            said: said.into_iter(),
            is_inside: false,
        }
    }

    /// What is said beside the next line.
    pub fn next(&mut self, class: &str) -> String {
        let was_inside = std::mem::replace(&mut self.is_inside, ["add", "del"].contains(&class));
        if self.is_inside && !was_inside {
            self.said.next().unwrap_or_default()
        } else {
            String::new()
        }
    }
}

fn role(change: &StoryChange) -> String {
    match change.is_cause {
        Some(true) => "<span><span class=\"tag cause\">cause</span> without it, it passes</span>".to_owned(),
        Some(false) => {
            "<span><span class=\"tag needed\">prerequisite</span> without it, there is no answer</span>"
                .to_owned()
        }
        None => String::new(),
    }
}

/// The parts of a patch: the file of each, and which of the file's parts it is.
fn parts(text: &str) -> Vec<(String, usize)> {
    let mut parts: Vec<(String, usize)> = Vec::new();
    let (mut file, mut left, mut is_inside) = (String::new(), (0_u64, 0_u64), false);
    for line in text.lines() {
        if left == (0, 0) {
            is_inside = false;
            let name = line.strip_prefix("+++ ").or(line.strip_prefix("--- "));
            if let Some(name) = name.map(|name| name.trim_end_matches('\t'))
                && name != "/dev/null"
            {
                let short = name.strip_prefix("a/").or(name.strip_prefix("b/"));
                file = short.unwrap_or(name).to_owned();
            }
            if let Some(((_, old), (_, new))) = super::listing::hunk_ranges(line) {
                left = (old, new);
            }
            continue;
        }
        let is_change = line.starts_with(['+', '-']);
        match line.as_bytes().first() {
            Some(b'+') => left.1 = left.1.saturating_sub(1),
            Some(b'-') => left.0 = left.0.saturating_sub(1),
            Some(b'\\') => continue,
            _ => left = (left.0.saturating_sub(1), left.1.saturating_sub(1)),
        }
        if is_change && !is_inside {
            let number = parts.iter().filter(|(other, _)| *other == file).count();
            parts.push((file.clone(), number));
        }
        is_inside = is_change;
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::PatchRole;

    const PATCH: &str = "diff --git a/x.c b/x.c
--- a/x.c
+++ b/x.c
@@ -1,5 +1,4 @@
 one
-two
---- a/y
 three
-four
+5
diff --git a/y.c b/y.c
--- a/y.c
+++ b/y.c
@@ -9 +9 @@
-a
+b
";

    fn change(file: &str, line: u64, is_cause: bool) -> StoryChange {
        StoryChange {
            file: file.to_owned(),
            line,
            what: String::new(),
            is_cause: Some(is_cause),
            commit: None,
        }
    }

    fn roles(changes: Vec<StoryChange>) -> Vec<String> {
        let patch = StoryPatch {
            role: PatchRole::Culprit,
            path: String::new(),
            base: String::new(),
            text: None,
            changes,
        };
        let parts = Parts::of(PATCH, &patch);
        let word = |said: String| match said.as_str() {
            "" => "nothing".to_owned(),
            said if said.contains(">cause<") => "cause".to_owned(),
            _ => "prerequisite".to_owned(),
        };
        parts.said.map(word).collect()
    }

    #[test]
    fn each_part_of_a_patch_has_its_role_beside_it() {
        let changes = vec![
            change("x.c", 2, true),
            change("y.c", 9, true),
            change("x.c", 3, false),
        ];
        assert_eq!(roles(changes), ["cause", "prerequisite", "cause"]);
    }

    #[test]
    fn nothing_is_said_of_parts_that_are_not_the_changes() {
        let changes = vec![change("x.c", 2, true), change("y.c", 9, true)];
        assert_eq!(roles(changes), ["nothing", "nothing", "cause"]);
    }
}
