//! A patch that repairs, as a fix of SARIF: which lines go, and what comes in their place.

use std::str::Lines;

use serde_json::{Value, json};

use super::{message, uri};
use crate::{PatchRole, StoryPatch};

/// The fix that a patch is. Nothing if it repairs nothing, or does what a fix cannot: it creates, deletes or renames files.
pub(super) fn fix(patch: &StoryPatch) -> Option<Value> {
    let text = patch.text.as_deref();
    let text = text.filter(|_| patch.role == PatchRole::Fix)?;
    let mut changes: Vec<(String, Vec<Value>)> = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if let Some(old) = line.strip_prefix("--- ") {
            let old = old.trim_end_matches('\t').strip_prefix("a/")?;
            let new = lines.next()?.strip_prefix("+++ b/")?;
            if new.trim_end_matches('\t') != old {
                return None;
            }
            changes.push((old.to_owned(), Vec::new()));
        } else if let Some(ranges) = line.strip_prefix("@@ -") {
            let (_, replacements) = changes.last_mut()?;
            Hunk::of(ranges)?.read(&mut lines, replacements)?;
        } else if ["GIT binary", "rename ", "copy ", "new file", "deleted file"]
            .iter()
            .any(|word| line.starts_with(word))
        {
            return None;
        }
    }
    let changes = changes.into_iter().map(|(file, replacements)| {
        json!({ "artifactLocation": { "uri": uri(&file) }, "replacements": replacements })
    });
    let changes: Vec<Value> = changes.collect();
    let told = format!("this patch {}", patch.role.purpose());
    (!changes.is_empty())
        .then(|| json!({ "description": message(&told), "artifactChanges": changes }))
}

/// A hunk that is being read: the line of the old file that comes next, and how many lines are left on both sides.
struct Hunk {
    at: u64,
    old_left: u64,
    new_left: u64,
    removed: u64,
    added: String,
}

impl Hunk {
    /// From what its header says behind `@@ -`.
    fn of(ranges: &str) -> Option<Hunk> {
        let (old, rest) = ranges.split_once(" +")?;
        let (new, _) = rest.split_once(" @@")?;
        let range = |text: &str| {
            let (start, length) = text.split_once(',').unwrap_or((text, "1"));
            Some((start.parse::<u64>().ok()?, length.parse::<u64>().ok()?))
        };
        let ((start, old_left), (_, new_left)) = (range(old)?, range(new)?);
        Some(Hunk {
            // Without lines on this side, the change is behind the line that is named.
            at: start + u64::from(old_left == 0),
            old_left,
            new_left,
            removed: 0,
            added: String::new(),
        })
    }

    fn read(mut self, lines: &mut Lines<'_>, replacements: &mut Vec<Value>) -> Option<()> {
        while self.old_left + self.new_left > 0 {
            let line = lines.next()?;
            match line.split_at_checked(1) {
                Some(("-", _)) => {
                    self.old_left = self.old_left.checked_sub(1)?;
                    self.removed += 1;
                    self.at += 1;
                }
                Some(("+", text)) => {
                    self.new_left = self.new_left.checked_sub(1)?;
                    self.added.push_str(text);
                    self.added.push('\n');
                }
                // There is no newline at the end of the file.
                Some(("\\", _)) => {}
                _ => {
                    self.close(replacements);
                    self.old_left = self.old_left.checked_sub(1)?;
                    self.new_left = self.new_left.checked_sub(1)?;
                    self.at += 1;
                }
            }
        }
        self.close(replacements);
        Some(())
    }

    /// Lines that stay end a replacement.
    fn close(&mut self, replacements: &mut Vec<Value>) {
        let (removed, added) = (self.removed, std::mem::take(&mut self.added));
        self.removed = 0;
        if removed == 0 && added.is_empty() {
            return;
        }
        let region = json!({
            "startLine": self.at - removed, "startColumn": 1, "endLine": self.at, "endColumn": 1,
        });
        replacements.push(if added.is_empty() {
            json!({ "deletedRegion": region })
        } else {
            json!({ "deletedRegion": region, "insertedContent": { "text": added } })
        });
    }
}
