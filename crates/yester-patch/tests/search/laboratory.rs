//! A repository whose revisions are judged by their text, without running anything.

use std::collections::HashSet;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use tempfile::TempDir;
use yester_core::{
    Answer, Candidate, Entry, Hash, Lab, Outcome, Phase, ProvingLab, Space, Stop, Subset, Tester,
    first_in_order,
};
use yester_patch::idd::{WalkLab, WalkNews};
use yester_patch::regression::{BrokenBy, Home, StepLab};
use yester_patch::{Commit, FileOutline, Outliner, Repository};

/// Runs git in a directory.
pub fn git(place: &Path, words: &[&str]) -> String {
    let output = Command::new("git")
        .args(["-c", "user.name=Ann", "-c", "user.email=ann@example.org"])
        .args(["-c", "commit.gpgsign=false"])
        .args(words)
        .current_dir(place)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .output()
        .expect("git is installed");
    assert!(output.status.success(), "{words:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout)
        .trim_end()
        .to_owned()
}

/// A repository in which a file has one text after the other, each a commit.
pub fn repository(texts: &[&str]) -> (TempDir, Repository) {
    let place = tempfile::tempdir().expect("a temporary directory");
    git(place.path(), &["init", "--quiet", "--initial-branch=main"]);
    for (number, text) in texts.iter().enumerate() {
        fs::write(place.path().join("file"), text).expect("room");
        git(place.path(), &["add", "--all"]);
        git(
            place.path(),
            &["commit", "--quiet", "-m", &number.to_string()],
        );
    }
    let repository = Repository::around(place.path()).expect("a repository");
    (place, repository)
}

/// Judges the file by its text. A candidate without it has that of the base.
pub struct TextLab {
    pub base: String,
    pub judge: fn(&str) -> Outcome,
    seen: HashSet<Hash>,
    /// What the search has told.
    pub news: Vec<String>,
}

impl TextLab {
    pub fn new(base: &str, judge: fn(&str) -> Outcome) -> TextLab {
        TextLab {
            base: base.to_owned(),
            judge,
            seen: HashSet::new(),
            news: Vec::new(),
        }
    }

    pub fn outcome(&self, candidate: &Candidate) -> Outcome {
        let Candidate::Tree(entries) = candidate else {
            return Outcome::Unresolved;
        };
        match entries.get("file") {
            None => (self.judge)(&self.base),
            Some(Entry::File { content, .. }) => (self.judge)(&String::from_utf8_lossy(content)),
            Some(_) => Outcome::Unresolved,
        }
    }
}

struct TextTester<'a> {
    lab: &'a mut TextLab,
    space: &'a dyn Space,
}

impl Tester for TextTester<'_> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        Ok(match self.space.render(subset) {
            Err(infeasible) => Answer::infeasible(infeasible),
            Ok(candidate) => {
                self.lab.seen.insert(candidate.hash());
                Answer::known(self.lab.outcome(&candidate))
            }
        })
    }

    fn first(
        &mut self,
        candidates: &mut dyn Iterator<Item = Subset>,
        wanted: Outcome,
    ) -> Result<Option<usize>, Stop> {
        first_in_order(self, candidates, wanted)
    }

    fn foresee(&mut self, _: &mut dyn Iterator<Item = Subset>) {}
}

impl Lab for TextLab {
    fn tester<'a>(&'a mut self, space: &'a dyn Space) -> Box<dyn Tester + 'a> {
        Box::new(TextTester { lab: self, space })
    }

    fn enter(&mut self, _: Phase) {}
}

impl ProvingLab for TextLab {
    type Run = ();

    fn test_clean(&mut self, candidates: &[&Candidate]) -> Result<Vec<(Outcome, ())>, Stop> {
        let candidates = candidates.iter();
        Ok(candidates.map(|one| (self.outcome(one), ())).collect())
    }
}

impl WalkLab for TextLab {
    fn answered(&self) -> u64 {
        self.seen.len() as u64
    }

    fn tell(&mut self, news: WalkNews<'_>) {
        self.news.extend(match news {
            WalkNews::Tested { .. } => None,
            WalkNews::Border(border) => Some(format!(
                "{:?} at {}",
                border.direction, border.commit.subject
            )),
            WalkNews::CameBack(commit) => Some(format!("gone at {}", commit.subject)),
        });
    }
}

impl StepLab for TextLab {
    fn read_any_step(&mut self) {
        self.news.push("any step".to_owned());
    }

    fn learn_passing(&mut self, _: &Candidate) -> bool {
        false
    }

    fn read_all(&mut self) {
        self.news.push("all".to_owned());
    }

    fn read_step(&mut self, home: &Home) {
        let last = home.suspects.last().expect("a step has commits");
        self.news.push(format!("step {}", last.subject));
    }

    fn leave_step(&mut self, later: &Commit) {
        self.news.push(format!("gone at {}", later.subject));
    }

    fn tell(&mut self, _: &[(Commit, Outcome)], _: &[Commit]) {}

    fn start_with(&mut self, _: &BrokenBy) {}
}

/// Somebody who knows no language.
pub fn ignorant() -> Arc<dyn Outliner> {
    Arc::new(Ignorant)
}

struct Ignorant;

impl Outliner for Ignorant {
    fn outline(&self, _: &str, _: &[u8]) -> Option<FileOutline> {
        None
    }

    fn faults(&self, _: &str, _: &[u8], _: &[u8]) -> Vec<u32> {
        Vec::new()
    }
}
