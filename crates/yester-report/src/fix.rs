use serde::Serialize;

use crate::sheet::Sheet;
use crate::{AlsoRun, PatchRole, StoryPatch, count};

/// A patch with which the version that fails passes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportedFix {
    /// Where it is.
    pub patch: String,
    /// How much of the change that broke it the patch takes back.
    pub kind: FixKind,
    /// How many lines it removes and adds.
    pub lines: u64,
    /// Whether it is the one to try first.
    pub recommended: bool,
    /// What it does, and why it is recommended or not.
    pub reason: String,
    /// What another command says of it, with `--also`.
    pub also: Option<AlsoRun>,
    /// The patch, if it is short and readable.
    pub text: Option<String>,
}

/// How much of the change that broke it a fix takes back.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FixKind {
    /// All that the commit changed in the functions and other definitions, or at least the hunks, that the culprit is in.
    Whole,
    /// The fewest lines that were found.
    Minimal,
}

impl ReportedFix {
    /// The same for every format.
    pub(crate) fn story(&self, base: &str) -> StoryPatch {
        StoryPatch {
            role: PatchRole::Fix,
            path: self.patch.clone(),
            base: base.to_owned(),
            text: self.text.clone(),
            changes: Vec::new(),
        }
    }
}

/// Lists fixes with what they are, and what the other command says of them.
pub(crate) fn tell_fixes(fixes: &[ReportedFix], sheet: &mut Sheet) {
    for (index, fix) in fixes.iter().enumerate() {
        let label = if index == 0 { "fix" } else { "" };
        let lines = count(fix.lines, "line");
        let mut line = format!("{label:<9}{} ({lines}", fix.patch);
        if fix.recommended && fixes.len() > 1 {
            line.push_str(", recommended");
        }
        line.push(')');
        if fixes.len() > 1 || fix.kind == FixKind::Minimal && fix.reason.contains(';') {
            line.push_str(&format!(": {}", fix.reason));
        }
        sheet.line(line);
    }
    for fix in fixes {
        let Some(also) = &fix.also else { continue };
        let name = match fixes.len() {
            1 => String::new(),
            _ => format!("{}: ", fix.patch),
        };
        sheet.line(format!("also     {name}{}", also.describe()));
        for line in also.broken.iter().take(SHOWN) {
            sheet.line(format!("           {line}"));
        }
    }
}

/// How many lines of the other command the text lists.
const SHOWN: usize = 20;

#[cfg(test)]
mod tests {
    use super::*;

    fn fix(patch: &str, kind: FixKind, also: Option<&str>) -> ReportedFix {
        ReportedFix {
            patch: patch.to_owned(),
            kind,
            lines: 3,
            recommended: patch == "fix.patch",
            reason: "the fewest lines; why".to_owned(),
            also: also.map(|after| AlsoRun {
                before: "exit 0".to_owned(),
                after: after.to_owned(),
                broken: Vec::new(),
            }),
            text: None,
        }
    }

    fn told(fixes: &[ReportedFix]) -> String {
        let mut sheet = Sheet::default();
        tell_fixes(fixes, &mut sheet);
        sheet.finish()
    }

    #[test]
    fn of_two_fixes_it_is_said_which_is_which() {
        let fixes = [
            fix("fix.patch", FixKind::Whole, Some("exit 0")),
            fix("fix.minimal.patch", FixKind::Minimal, Some("exit 7")),
        ];
        assert_eq!(
            told(&fixes),
            "fix      fix.patch (3 lines, recommended): the fewest lines; why\n\
             \u{20}        fix.minimal.patch (3 lines): the fewest lines; why\n\
             also     fix.patch: the other command passes with the fix\n\
             also     fix.minimal.patch: the other command ends with exit 7 with the fix, exit 0 without\n"
        );
    }

    #[test]
    fn a_fix_that_is_all_there_is_needs_few_words() {
        let whole = fix("fix.patch", FixKind::Whole, None);
        assert_eq!(told(&[whole]), "fix      fix.patch (3 lines)\n");
        let minimal = fix("fix.patch", FixKind::Minimal, None);
        let text = "fix      fix.patch (3 lines): the fewest lines; why\n";
        assert_eq!(told(&[minimal]), text);
    }
}
