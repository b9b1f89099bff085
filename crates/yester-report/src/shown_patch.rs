//! A patch as people see it: its hunks, each with what is known of it, the causes first where there is not room for all.

use crate::sheet::Sheet;
use crate::{ChangedLines, TestOutcome, count, grouped};

/// How many lines of a patch are shown, and how many more if they are all.
const MOST_LINES: usize = 40;
const LAST_LINES: usize = 10;

/// Less of a hunk than this says nothing.
const FEWEST_LINES: usize = 6;

/// How many lines list places whose hunks are not shown, and how many places are in one.
const MOST_PLACES: usize = 20;
const MOST_NUMBERS: usize = 12;

/// A patch, file by file and hunk by hunk.
#[derive(Clone, Debug, Default)]
pub struct ShownPatch {
    /// Its files.
    pub files: Vec<ShownFile>,
}

/// What a patch does to one file.
#[derive(Clone, Debug)]
pub struct ShownFile {
    /// The path, as [`ChangedLines::file`] has it.
    pub path: String,
    /// What stands before the hunks.
    pub header: String,
    /// The hunks.
    pub hunks: Vec<ShownHunk>,
}

/// Changed lines and those around them.
#[derive(Clone, Debug)]
pub struct ShownHunk {
    /// The first line of the version before, as [`ChangedLines::old_start`] counts.
    pub old_start: u64,
    /// How many lines of that version it has.
    pub old_lines: u64,
    /// Its lines, with the one that says where it is.
    pub text: String,
}

impl ShownHunk {
    fn lines(&self) -> usize {
        self.text.lines().count()
    }

    /// Whether it has a change of its file.
    fn has(&self, change: &ChangedLines) -> bool {
        // Without lines, the change is after the line that is named.
        let first = change.old_start + u64::from(change.old_lines == 0);
        change.kind != "lines"
            || (self.old_start..=self.old_start + self.old_lines).contains(&first)
    }

    /// The first line, with what is known of the changes.
    fn heading(&self, notes: &str) -> String {
        let line = self.text.lines().next().unwrap_or_default();
        match notes {
            "" => line.to_owned(),
            notes => format!("{line} {notes}"),
        }
    }
}

/// A hunk by its place in a patch.
type HunkPlace = (usize, usize);

impl ShownPatch {
    /// Shows as much of it as people read, with what is known of these changes, and where the rest is. `path` has all of it;
    /// `name` says what else there is to know of a change.
    pub(crate) fn tell(
        &self,
        changes: &[&ChangedLines],
        path: &str,
        name: impl Fn(&ChangedLines) -> String,
        sheet: &mut Sheet,
    ) {
        let shown = self.chosen(changes);
        let mut is_told = vec![false; changes.len()];
        for (number, file) in self.files.iter().enumerate() {
            let of_file = |(of, _): &&(HunkPlace, usize)| of.0 == number;
            let hunks: Vec<_> = shown.iter().filter(of_file).collect();
            if hunks.is_empty() && !file.hunks.is_empty() {
                continue;
            }
            sheet.block(&file.header);
            for ((_, hunk), lines) in hunks {
                let hunk = &file.hunks[*hunk];
                let mut own: Vec<&ChangedLines> = Vec::new();
                for (index, change) in changes.iter().enumerate() {
                    if change.file == file.path && hunk.has(change) && !is_told[index] {
                        is_told[index] = true;
                        own.push(change);
                    }
                }
                sheet.line(hunk.heading(&notes(&own, &name).join("; ")));
                let text: Vec<&str> = hunk.text.lines().skip(1).take(lines - 1).collect();
                sheet.block(&(text.join("\n") + "\n"));
                if *lines < hunk.lines() {
                    sheet.line("…");
                }
            }
        }
        let hidden = self.lines() - shown.iter().map(|(_, lines)| lines).sum::<usize>();
        let untold = changes.iter().zip(&is_told).filter(|(_, told)| !**told);
        let untold: Vec<&ChangedLines> = untold.map(|(change, _)| *change).collect();
        if hidden > 0 {
            let more = match hidden {
                1 => "1 more line".to_owned(),
                hidden => format!("{} more lines", grouped(hidden as u64)),
            };
            sheet.line(format!("… {more} in {path}"));
        }
        if !untold.is_empty() {
            sheet.line("");
        }
        places(&untold, name, sheet);
    }

    fn lines(&self) -> usize {
        let hunks = self.files.iter().flat_map(|file| &file.hunks);
        hunks.map(ShownHunk::lines).sum()
    }

    /// The hunks to be shown and how many lines of each, in their order. Those with a cause have the first choice, then
    /// the short ones.
    fn chosen(&self, changes: &[&ChangedLines]) -> Vec<(HunkPlace, usize)> {
        let mut places: Vec<HunkPlace> = Vec::new();
        for (number, file) in self.files.iter().enumerate() {
            places.extend((0..file.hunks.len()).map(|hunk| (number, hunk)));
        }
        places.sort_by_key(|(number, hunk)| {
            let (path, hunk) = (&self.files[*number].path, &self.files[*number].hunks[*hunk]);
            let is_cause = changes.iter().any(|change| {
                change.without == Some(TestOutcome::Pass)
                    && change.file == *path
                    && hunk.has(change)
            });
            (!is_cause, hunk.lines())
        });
        let mut left = match self.lines() {
            all if all <= MOST_LINES + LAST_LINES => all,
            _ => MOST_LINES,
        };
        let mut chosen = Vec::new();
        for (number, hunk) in places {
            let lines = self.files[number].hunks[hunk].lines();
            if lines > left && left < FEWEST_LINES {
                break;
            }
            chosen.push(((number, hunk), lines.min(left)));
            left -= lines.min(left);
        }
        chosen.sort_unstable();
        chosen
    }
}

/// What is known of some changes, those that are alike together.
fn notes(changes: &[&ChangedLines], name: impl Fn(&ChangedLines) -> String) -> Vec<String> {
    // That a file is created says that its lines are added.
    let says_more = |change: &&&ChangedLines| {
        change.kind != "lines"
            || !changes.iter().any(|other| {
                other.kind == "created"
                    && other.file == change.file
                    && other.without == change.without
            })
    };
    let changes: Vec<&&ChangedLines> = changes.iter().filter(says_more).collect();
    let is_alike = |one: &&&ChangedLines, next: &&&ChangedLines| {
        let is_of_lines = one.kind == "lines" && next.kind == "lines";
        is_of_lines
            && one.file == next.file
            && one.without == next.without
            && one.commit == next.commit
    };
    let groups = changes.chunk_by(is_alike).map(|group| {
        let first = group[0];
        let text = match group.len() {
            1 => first.line(),
            number => {
                let mut lines: Vec<u64> =
                    group.iter().map(|change| change.new_start.max(1)).collect();
                lines.sort_unstable();
                lines.dedup();
                let more = if lines.len() > MOST_NUMBERS {
                    ",…"
                } else {
                    ""
                };
                let lines = lines.iter().take(MOST_NUMBERS).map(u64::to_string);
                let each = match first.without {
                    Some(TestOutcome::Pass) => ", each a cause (passes without it)",
                    Some(TestOutcome::Unresolved) => ", each needed (no answer without it)",
                    _ => "",
                };
                format!(
                    "{}:{}{more}: {}{each}",
                    first.file,
                    lines.collect::<Vec<_>>().join(","),
                    count(number as u64, "change")
                )
            }
        };
        text + &name(first)
    });
    groups.collect()
}

/// Lists places, in lines of their own.
pub(crate) fn places(
    changes: &[&ChangedLines],
    name: impl Fn(&ChangedLines) -> String,
    sheet: &mut Sheet,
) {
    let notes = notes(changes, name);
    for note in notes.iter().take(MOST_PLACES) {
        sheet.line(note);
    }
    if notes.len() > MOST_PLACES {
        let more = count((notes.len() - MOST_PLACES) as u64, "more place");
        sheet.line(format!("and {more}, which --json lists"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(file: &str, old_start: u64, without: Option<TestOutcome>) -> ChangedLines {
        ChangedLines {
            file: file.to_owned(),
            kind: "lines",
            old_start,
            old_lines: 1,
            new_start: old_start,
            new_lines: 1,
            commit: None,
            without,
            set: 1,
        }
    }

    fn hunk(old_start: u64, lines: usize) -> ShownHunk {
        let text = format!("@@ -{old_start},{lines} +{old_start},{lines} @@\n");
        ShownHunk {
            old_start,
            old_lines: lines as u64,
            text: text + &format!(" line after {old_start}\n").repeat(lines),
        }
    }

    fn patch(hunks: Vec<ShownHunk>) -> ShownPatch {
        let file = |(path, hunks)| ShownFile {
            path: String::from(path),
            header: format!("diff --git a/{path} b/{path}\n"),
            hunks,
        };
        ShownPatch {
            files: [("a.c", hunks), ("b.c", vec![hunk(1, 3)])].map(file).into(),
        }
    }

    fn told(patch: &ShownPatch, changes: &[ChangedLines]) -> String {
        let mut sheet = Sheet::default();
        let changes: Vec<&ChangedLines> = changes.iter().collect();
        patch.tell(&changes, "culprit.patch", |_| String::new(), &mut sheet);
        sheet.finish()
    }

    #[test]
    fn what_is_known_of_a_change_stands_at_its_hunk() {
        let text = told(
            &patch(vec![hunk(1, 3), hunk(20, 7)]),
            &[
                change("a.c", 23, Some(TestOutcome::Pass)),
                change("b.c", 2, Some(TestOutcome::Unresolved)),
            ],
        );
        let headings: Vec<&str> = text.lines().filter(|line| line.starts_with('@')).collect();
        assert_eq!(
            headings,
            [
                "@@ -1,3 +1,3 @@",
                "@@ -20,7 +20,7 @@ a.c:23: 1 line changed, cause (passes without it)",
                "@@ -1,3 +1,3 @@ b.c:2: 1 line changed, needed (no answer without it)",
            ]
        );
        assert!(!text.contains('…'), "{text}");
    }

    #[test]
    fn where_there_is_not_room_for_all_the_cause_is_shown() {
        let text = told(
            &patch(vec![hunk(1, 50), hunk(100, 7)]),
            &[
                change("a.c", 3, Some(TestOutcome::Unresolved)),
                change("a.c", 103, Some(TestOutcome::Pass)),
                change("b.c", 2, Some(TestOutcome::Unresolved)),
            ],
        );
        assert!(text.contains("a.c:103: 1 line changed, cause"), "{text}");
        assert_eq!(text.matches("line after 100").count(), 7, "{text}");
        // The short one, too, and of the long one what there is still room for.
        assert_eq!(text.matches(" line after 1\n").count(), 3 + 27, "{text}");
        assert!(
            text.ends_with("\n… 23 more lines in culprit.patch\n") && text.contains("\n…\n@@ -100"),
            "{text}"
        );
    }

    #[test]
    fn a_few_lines_more_are_no_reason_to_cut() {
        let text = told(&patch(vec![hunk(1, 40)]), &[change("a.c", 3, None)]);
        assert_eq!(text.matches(" line after 1\n").count(), 43);
        assert!(!text.contains('…'), "{text}");
    }

    #[test]
    fn a_file_without_hunks_is_told_by_its_header_and_its_place() {
        let mut renamed = patch(Vec::new());
        renamed.files.truncate(1);
        let change = ChangedLines {
            kind: "renamed",
            ..change("a.c", 0, Some(TestOutcome::Pass))
        };
        assert_eq!(
            told(&renamed, &[change]),
            "diff --git a/a.c b/a.c\n\na.c: renamed, cause (passes without it)\n"
        );
    }

    #[test]
    fn what_strangers_wrote_stays_in_its_line() {
        let mut evil = patch(vec![hunk(1, 3)]);
        evil.files[0].hunks[0].text = "@@ -1,1 +1,1 @@\n+\x1b[2J\r\n".to_owned();
        let text = told(&evil, &[change("a.c\nnext     rm -rf ~", 1, None)]);
        assert!(text.contains("+\\x1b[2J"), "{text}");
        assert!(!text.contains("\nnext"), "{text}");
    }
}
