//! ddmin over hunks as in the textbook: no grouping, no prediction, no parser, one trial at a time in a new tree.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

use yester_core::{
    Answer, Breakage, BreakageKind, Candidate, Entry, Grouping, Limit, Outcome, Space, Stop,
    Subset, Tester, ddmin, first_in_order,
};
use yester_patch::{AtomSet, ChangeSpace, DeltaLevel, Version, VersionDifference};

use crate::regression::Regression;

/// What came out of it.
#[derive(Debug)]
pub struct Plain {
    /// How often the test, or the build before it, was run.
    pub trials: u64,
    /// How many of these runs were neither like the good version nor like the bad one.
    pub unresolved: u64,
    /// How long it took.
    pub wall: Duration,
    /// Files, hunks and lines of the smallest set that fails.
    pub size: [u64; 3],
    /// Whether it came to its end.
    pub finished: bool,
    /// The outcome of the good version with that set, and of the bad version without it.
    pub verified: [Outcome; 2],
}

struct PlainTester<'a> {
    regression: &'a Regression,
    good: &'a Version,
    space: &'a ChangeSpace,
    end: Instant,
    best: Subset,
    trials: u64,
    unresolved: u64,
}

impl PlainTester<'_> {
    fn outcome(&self, subset: &Subset) -> Result<Option<Outcome>, Stop> {
        let Ok(Candidate::Tree(entries)) = self.space.render(subset) else {
            return Ok(None);
        };
        let tree = tempfile::tempdir().map_err(broken)?;
        self.good.materialise(tree.path()).map_err(broken)?;
        for (path, entry) in &entries {
            put(&tree.path().join(path), entry).map_err(broken)?;
        }
        self.regression
            .try_out(tree.path())
            .map(Some)
            .map_err(broken)
    }
}

impl Tester for PlainTester<'_> {
    fn test(&mut self, subset: &Subset) -> Result<Answer, Stop> {
        if Instant::now() >= self.end {
            return Err(Stop::Limit(Limit::Time));
        }
        let Some(outcome) = self.outcome(subset)? else {
            return Ok(Answer::known(Outcome::Unresolved));
        };
        self.trials += 1;
        match outcome {
            Outcome::Fail if subset.len() < self.best.len() => self.best = subset.clone(),
            Outcome::Unresolved => self.unresolved += 1,
            _ => {}
        }
        Ok(Answer::known(outcome))
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

/// Searches for at most `limit`.
pub fn run(regression: &Regression, limit: Duration) -> Result<Plain, Stop> {
    let start = Instant::now();
    let [good, bad] = regression.versions().map_err(broken)?;
    let difference = VersionDifference::between(&good, &bad).map_err(broken)?;
    let space = ChangeSpace::new(difference, DeltaLevel::Hunk, None);
    let all = Subset::full(space.len());
    let mut tester = PlainTester {
        regression,
        good: &good,
        space: &space,
        end: start + limit,
        best: all.clone(),
        trials: 0,
        unresolved: 0,
    };
    let baseline = [Subset::empty(space.len()), all.clone()];
    for (subset, wanted) in baseline.iter().zip([Outcome::Pass, Outcome::Fail]) {
        let outcome = tester.test(subset)?.outcome;
        assert_eq!(outcome, wanted, "the case was checked before");
    }
    let finished = match ddmin(&mut tester, &Grouping::flat(space.len()), &all) {
        Ok(_) => true,
        Err(Stop::Limit(_)) => false,
        Err(stop) => return Err(stop),
    };
    let wall = start.elapsed();
    let best = tester.best.clone();
    let mut verified = [Outcome::Unresolved; 2];
    for (outcome, subset) in verified.iter_mut().zip([&best, &all.difference(&best)]) {
        *outcome = tester.outcome(subset)?.unwrap_or(Outcome::Unresolved);
    }
    Ok(Plain {
        trials: tester.trials,
        unresolved: tester.unresolved,
        wall,
        size: size(space.difference(), &space.atoms(&best)),
        finished,
        verified,
    })
}

/// How many files, hunks and lines some atoms are.
pub fn size(difference: &VersionDifference, atoms: &AtomSet) -> [u64; 3] {
    let spans = difference.spans(atoms);
    let mut files: Vec<&str> = spans.iter().map(|span| span.path.as_str()).collect();
    files.dedup();
    let lines = atoms.iter().map(|atom| difference.weight(atom)).sum();
    [files.len() as u64, spans.len() as u64, lines]
}

fn put(place: &Path, entry: &Entry) -> io::Result<()> {
    if fs::symlink_metadata(place).is_ok_and(|metadata| !metadata.is_dir()) {
        fs::remove_file(place)?;
    }
    if let Some(around) = place.parent().filter(|_| *entry != Entry::Absent) {
        fs::create_dir_all(around)?;
    }
    match entry {
        Entry::Absent => Ok(()),
        Entry::Symlink(target) => {
            let target = String::from_utf8_lossy(target).into_owned();
            std::os::unix::fs::symlink(target, place)
        }
        Entry::File {
            content,
            executable,
        } => {
            fs::write(place, content)?;
            let mode = if *executable { 0o755 } else { 0o644 };
            fs::set_permissions(place, fs::Permissions::from_mode(mode))
        }
    }
}

fn broken(error: impl std::error::Error + Send + Sync + 'static) -> Stop {
    Stop::Broken(Breakage {
        kind: BreakageKind::Other,
        message: error.to_string(),
    })
}
