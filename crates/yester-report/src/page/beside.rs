//! What stands beside the lines of a listing: what was seen there, and what a part of a patch does.

use std::collections::{BTreeMap, VecDeque};
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

/// What is said beside the lines of a patch: the role of the changes that they are of.
pub(super) struct Roles<'a> {
    files: BTreeMap<&'a str, FileRoles>,
    file: String,
    /// What was said last, if nothing but changed lines came since.
    before: Option<Option<bool>>,
}

/// The roles of the lines of a file that go and that come, in order.
struct FileRoles {
    removed: VecDeque<Option<bool>>,
    added: VecDeque<Option<bool>>,
}

impl<'a> Roles<'a> {
    /// The roles of the changes of a patch. Where its lines are not those of the changes, nothing is said: better nothing than
    /// the wrong thing.
    pub fn of(text: &str, patch: &'a StoryPatch) -> Roles<'a> {
        let mut files: BTreeMap<&str, FileRoles> = BTreeMap::new();
        let mut changes: Vec<&StoryChange> = patch.changes.iter().collect();
        changes.sort_by_key(|change| change.line);
        for change in changes {
            let roles = files.entry(&change.file).or_insert_with(|| FileRoles {
                removed: VecDeque::new(),
                added: VecDeque::new(),
            });
            let times = |number: u64| (0..number.min(MOST)).map(|_| change.is_cause);
            roles.removed.extend(times(change.removed));
            roles.added.extend(times(change.added));
        }
        let counts = counts(text);
        files.retain(|file, roles| {
            counts.get(*file) == Some(&(roles.removed.len() as u64, roles.added.len() as u64))
        });
        Roles {
            files,
            file: String::new(),
            before: None,
        }
    }

    /// What is said beside the next line.
    pub fn next(&mut self, line: &str, class: &str) -> String {
        if class == "meta"
            && let Some(file) = file_of(line)
        {
            self.file = file;
        }
        let roles = self.files.get_mut(self.file.as_str());
        let role = match (class, roles) {
            ("add", Some(roles)) => roles.added.pop_front(),
            ("del", Some(roles)) => roles.removed.pop_front(),
            _ => None,
        };
        let before = std::mem::replace(&mut self.before, role);
        match role {
            Some(role) if before != Some(role) => told(role).to_owned(),
            _ => String::new(),
        }
    }
}

/// A patch with more lines is not shown whole.
const MOST: u64 = 10_000;

fn told(is_cause: Option<bool>) -> &'static str {
    match is_cause {
        Some(true) => "<span><span class=\"tag cause\">cause</span> without it, it passes</span>",
        Some(false) => {
            "<span><span class=\"tag needed\">prerequisite</span> without it, there is no answer</span>"
        }
        None => "",
    }
}

/// The file that a line before a hunk names.
fn file_of(line: &str) -> Option<String> {
    let name = line.strip_prefix("+++ ").or(line.strip_prefix("--- "))?;
    let name = name.trim_end_matches('\t');
    let short = name.strip_prefix("a/").or(name.strip_prefix("b/"));
    (name != "/dev/null").then(|| short.unwrap_or(name).to_owned())
}

/// How many lines of each file go, and how many come.
fn counts(text: &str) -> BTreeMap<String, (u64, u64)> {
    let mut counts: BTreeMap<String, (u64, u64)> = BTreeMap::new();
    let (mut file, mut old_left, mut new_left) = (String::new(), 0_u64, 0_u64);
    for line in text.lines() {
        if old_left + new_left == 0 {
            file = file_of(line).unwrap_or(file);
            if let Some(((_, old), (_, new))) = super::listing::hunk_ranges(line) {
                (old_left, new_left) = (old, new);
            }
            continue;
        }
        let count = counts.entry(file.clone()).or_default();
        match line.as_bytes().first() {
            Some(b'+') => (count.1, new_left) = (count.1 + 1, new_left.saturating_sub(1)),
            Some(b'-') => (count.0, old_left) = (count.0 + 1, old_left.saturating_sub(1)),
            Some(b'\\') => {}
            _ => (old_left, new_left) = (old_left.saturating_sub(1), new_left.saturating_sub(1)),
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::story::PatchRole;

    const PATCH: &str = "diff --git a/x.c b/x.c
--- a/x.c
+++ b/x.c
@@ -1,5 +1,5 @@
 one
-two
---- a/y
 three
-four
+5
+6
diff --git a/y.c b/y.c
--- a/y.c
+++ b/y.c
@@ -9 +9 @@
-a
+b
";

    fn change(file: &str, line: u64, lines: (u64, u64), is_cause: bool) -> StoryChange {
        StoryChange {
            here: None,
            file: file.to_owned(),
            line,
            removed: lines.0,
            added: lines.1,
            what: String::new(),
            is_cause: Some(is_cause),
            commit: None,
        }
    }

    /// What is said beside each changed line.
    fn roles(changes: Vec<StoryChange>) -> Vec<&'static str> {
        let patch = StoryPatch {
            role: PatchRole::Culprit,
            path: String::new(),
            base: String::new(),
            text: None,
            changes,
        };
        let mut roles = Roles::of(PATCH, &patch);
        let mut is_header = true;
        let said = PATCH.lines().filter_map(|line| {
            is_header = (is_header || line.starts_with("diff ")) && !line.starts_with(' ');
            let class = match line.as_bytes()[0] {
                b'+' if !is_header || line == "+b" => "add",
                b'-' if !is_header || line == "-a" => "del",
                b' ' => "",
                _ => "meta",
            };
            let said = roles.next(line, class);
            let word = match said.as_str() {
                "" => "nothing",
                said if said.contains(">cause<") => "cause",
                _ => "prerequisite",
            };
            ["add", "del"].contains(&class).then_some(word)
        });
        said.collect()
    }

    #[test]
    fn each_part_of_a_patch_has_its_role_beside_it_once() {
        let changes = vec![
            change("x.c", 2, (2, 0), true),
            change("y.c", 9, (1, 1), true),
            // Lines of the failing version, which need not be those of the patch.
            change("x.c", 30, (1, 1), false),
            change("x.c", 40, (0, 1), true),
        ];
        let said = ["cause", "nothing", "prerequisite", "nothing", "cause"];
        assert_eq!(roles(changes), [&said[..], &["cause", "nothing"]].concat());
    }

    #[test]
    fn nothing_is_said_of_lines_that_are_not_the_changes() {
        let changes = vec![
            change("x.c", 2, (2, 0), true),
            change("y.c", 9, (1, 1), true),
        ];
        let nothing = ["nothing"; 5];
        assert_eq!(
            roles(changes),
            [&nothing[..], &["cause", "nothing"]].concat()
        );
    }
}
