//! Second thoughts about an answer: is what broke it part of a patch, has it come back since, and does the fix leave the
//! test something to test?

use std::collections::BTreeSet;
use std::sync::LazyLock;

use regex::Regex;
use yester_core::{Lab, Outcome, Space, Stop, Subset};
use yester_patch::DeltaLevel;

use super::answer::Broken;
use super::job::HistoryJob;
use super::line::{Doubt, Line};
use super::tree::{Tree, all_of, broken, readable, test};
use crate::file;
use crate::versions::tree_path;

/// How many lines of a patch are taken away one by one.
const LINES: usize = 64;

/// How many later changes of the same files are looked at.
const LOOKED_AT: usize = 100;

impl Line<'_> {
    /// A border at which the patch has brought what breaks the test: without one of its lines, the revision passes. The
    /// newest one comes first, since that is where the line came into the patch.
    pub fn bug_in_patch(&mut self) -> Result<Option<Doubt>, Stop> {
        let borders: Vec<usize> = self.patches.keys().copied().filter(|at| *at > 0).collect();
        for revision in borders {
            let Some(patch) = self.smallest_at.get(&revision).cloned() else {
                continue;
            };
            let stop = |error| broken(&error);
            let plain = Tree::plain(&self.commits[revision]);
            let patched = readable(self.job.patched(&patch, &plain.commit))?;
            let Some(tree) = patched.flatten() else {
                continue;
            };
            let Some(space) = readable(self.job.difference(&plain, &tree))? else {
                continue;
            };
            let lines = space.of(&all_of(&space), DeltaLevel::Line);
            if lines.len() > LINES {
                continue;
            }
            let all = Subset::full(lines.len());
            // A test without one of its own lines passes for no reason.
            let own: Vec<usize> = (0..lines.len())
                .filter(|line| {
                    let atoms = lines.atoms(&Subset::of(lines.len(), [*line]));
                    let spans = space.difference().spans(&atoms);
                    !spans.iter().any(|span| self.job.is_named(&span.path))
                })
                .collect();
            let mut without = own.iter().map(|line| all.without(&[*line]));
            let found = self.lab.tester(&lines).first(&mut without, Outcome::Pass)?;
            let Some(line) = found.map(|place| own[place]) else {
                continue;
            };
            let rest = lines.atoms(&all.without(&[line]));
            let passing = plain.with(yester_patch::applied(&space, &rest));
            let space = self.job.difference(&passing, &tree).map_err(stop)?;
            return Ok(Some(Doubt {
                revision,
                failing: self.newer_of(revision),
                passing,
                atoms: all_of(&space),
                space,
            }));
        }
        Ok(None)
    }

    /// The last revision after the one that broke it that is without it, and passes: it has come back since.
    pub fn last_without(&mut self, found: &Broken, failing: usize) -> Result<Option<usize>, Stop> {
        let changes = found.space.difference().changes.iter();
        let is_touched = |first: usize, count: usize| {
            (first..first + count).any(|atom| found.atoms.contains(atom))
        };
        let paths: Vec<String> = changes
            .filter(|change| is_touched(change.first, change.edits.len()))
            .flat_map(|change| [&change.old, &change.new])
            .flatten()
            .map(|(path, _)| path.clone())
            .collect();
        let range = format!("{}..{}", self.commits[failing].id, self.commits[0].id);
        let mut arguments = vec!["--first-parent", &range, "--"];
        arguments.extend(paths.iter().map(String::as_str));
        let touching = readable(self.job.repository.commits(&arguments))?;
        // Where git cannot tell because a tree is missing, any of them may.
        let touching = touching.unwrap_or_else(|| self.commits[..failing].to_vec());
        let culprit = self.job.step(
            &found.passing,
            &found
                .passing
                .with(yester_patch::applied(&found.space, &found.atoms)),
        )?;
        for commit in touching.into_iter().take(LOOKED_AT) {
            let Some(revision) = self.commits.iter().position(|own| own.id == commit.id) else {
                continue;
            };
            let plain = Tree::plain(&commit);
            // Where it can be put in, it is not there.
            let moved = readable(self.job.moved(&culprit, &plain))?.flatten();
            if revision == 0 || moved.is_none_or(|tree| tree == plain) {
                continue;
            }
            let tree = self.failing_tree(revision)?.unwrap_or(plain);
            let passes = test(self.lab, self.job, &tree)?.outcome == Outcome::Pass;
            return Ok(passes.then_some(revision));
        }
        Ok(None)
    }
}

/// Lines that define something, in most languages.
static DEFINITION: LazyLock<Regex> = LazyLock::new(|| {
    let word = r"(?m)^[ \t]*(?:\w+[ \t]+)*(?:def|class|function|func|fn|sub|struct|interface|enum)[ \t]+(\w+)";
    let call = r"(?m)^(?:[\w*]+[ \t*]+)*(\w+)[ \t]*\([^;\n]*$";
    Regex::new(&format!("{word}|{call}")).expect("a constant")
});

impl HistoryJob {
    /// Whether the command names a file of the tree.
    fn is_named(&self, path: &str) -> bool {
        let words = self.test.command.words.iter();
        let mut paths = words.filter_map(|word| tree_path(word));
        paths.any(|named| path == named || path.ends_with(&format!("/{named}")))
    }

    /// What the test uses and the fix takes out: then the test may pass because it tests nothing any more.
    pub fn loss(&self, fix: &Tree) -> Result<Option<String>, Stop> {
        let stop = |error| broken(&error);
        let patch = self.patch_of(fix).map_err(stop)?;
        let (mut gone, mut there) = (BTreeSet::new(), BTreeSet::new());
        for change in &patch.backport.space().difference().changes {
            for (side, names) in [(&change.old, &mut gone), (&change.new, &mut there)] {
                let text = side.as_ref().map(|(_, state)| &*state.content);
                let text = String::from_utf8_lossy(text.unwrap_or_default()).into_owned();
                names.extend(defined(&text));
            }
        }
        let mut test = String::new();
        let carried = self
            .carried
            .iter()
            .filter_map(|path| self.today.state(path).ok()?);
        for state in carried {
            test.push_str(&String::from_utf8_lossy(&state.content));
        }
        for file in self.test.command.files(&self.start).unwrap_or_default() {
            // What cannot be read tells nothing.
            test.push_str(&String::from_utf8_lossy(
                &file::read(&file, file::BIGGEST_INPUT).unwrap_or_default(),
            ));
        }
        let words: BTreeSet<&str> = test
            .split(|character: char| !character.is_alphanumeric() && character != '_')
            .collect();
        let lost = gone
            .difference(&there)
            .find(|name| words.contains(name.as_str()));
        Ok(lost.map(|name| {
            format!(
                "the fix takes out {name}, which the test names: see that it still tests something"
            )
        }))
    }
}

/// The names that a text defines.
fn defined(text: &str) -> BTreeSet<String> {
    let names = DEFINITION.captures_iter(text);
    let names = names.filter_map(|found| found.get(1).or_else(|| found.get(2)));
    let is_word = |name: &&str| !["if", "for", "while", "switch", "return", "catch"].contains(name);
    let names = names.map(|name| name.as_str()).filter(is_word);
    names.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definitions_are_told_from_calls() {
        let text = "long tax_of(long amount) {\n  tax_rest(1);\n}\ndouble() {\n}\nif (x) {\nclass Order:\n    def pay(self):\n\
                    export async function load(\npub fn walk(\ntax_of(3);\n";
        let names: Vec<String> = defined(text).into_iter().collect();
        assert_eq!(names, ["Order", "double", "load", "pay", "tax_of", "walk"]);
    }
}
