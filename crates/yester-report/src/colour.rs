//! Patches in the colours of `git diff`.

const META: &str = "\x1b[1m";
const PLACE: &str = "\x1b[36m";
const REMOVED: &str = "\x1b[31m";
const ADDED: &str = "\x1b[32m";
const END: &str = "\x1b[0m";

/// A report for people whose patches have colours. It comes from `visible`; whoever prints it takes the colours away where
/// they are not wanted.
pub fn coloured(text: &str) -> String {
    let mut shown = String::with_capacity(text.len() + text.len() / 4);
    let mut part = Part::Report;
    for line in text.split_inclusive('\n') {
        part = part.after(line);
        let (line, end) = match line.strip_suffix('\n') {
            Some(line) => (line, "\n"),
            None => (line, ""),
        };
        let colour = match (part, line.as_bytes().first()) {
            (Part::Header, _) => META,
            (Part::Hunk, Some(b'@')) => PLACE,
            (Part::Hunk, Some(b'-')) => REMOVED,
            (Part::Hunk, Some(b'+')) => ADDED,
            _ => "",
        };
        // Behind the place of a hunk is what is known of it.
        let place = line.find(" @@").map_or(line.len(), |at| at + 3);
        let (line, rest) = line.split_at(if colour == PLACE { place } else { line.len() });
        if colour.is_empty() {
            shown.extend([line, rest, end]);
        } else {
            shown.extend([colour, line, END, rest, end]);
        }
    }
    shown
}

/// Which part of a report a line belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Report,
    /// What a patch says of a file before its hunks.
    Header,
    Hunk,
}

impl Part {
    fn after(self, line: &str) -> Part {
        match (self, line.as_bytes().first()) {
            _ if line.starts_with("diff --git ") => Part::Header,
            (Part::Header | Part::Hunk, Some(b'@')) => Part::Hunk,
            (Part::Header, Some(b'a'..=b'z' | b'-' | b'+')) => Part::Header,
            (Part::Hunk, Some(b' ' | b'+' | b'-' | b'\\')) => Part::Hunk,
            // Here lines are left out.
            (Part::Hunk, _) if line.trim_end() == "…" => Part::Hunk,
            _ => Part::Report,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_patch_has_the_colours_of_git_and_nothing_else_has() {
        let text = "found    -1\n\ndiff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@ cause\n one\n-two\n+- three\n\
                    … 3 more lines\n-no\n";
        let shown = "found    -1\n\n[1m]diff --git a/x b/x[0m]\n[1m]--- a/x[0m]\n[1m]+++ b/x[0m]\n\
                     [36m]@@ -1,2 +1,2 @@[0m] cause\n one\n[31m]-two[0m]\n[32m]+- three[0m]\n… 3 more lines\n-no\n";
        let codes = ["0m", "1m", "31m", "32m", "36m"];
        let mut plain = coloured(text);
        for code in codes {
            plain = plain.replace(&format!("\x1b[{code}"), &format!("[{code}]"));
        }
        assert_eq!(plain, shown);
    }

    #[test]
    fn a_patch_goes_on_behind_lines_that_are_left_out() {
        let text = coloured("diff --git a/x b/x\n@@ -1 +0,0 @@\n-one\n…\n@@ -9 +9 @@\n+two\n");
        assert!(text.contains("\n…\n"), "{text:?}");
        assert!(text.contains("\x1b[32m+two\x1b[0m"), "{text:?}");
    }

    #[test]
    fn lines_of_the_patch_that_look_like_headers_are_content() {
        let text = coloured("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +0,0 @@\n--- a dash\n");
        assert!(text.contains("\x1b[31m--- a dash\x1b[0m"), "{text:?}");
    }
}
