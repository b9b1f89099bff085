//! Real repositories for `bench/history`: directories with a bundle, a test and what is known of them.
//!
//! Their `truth.txt` is written for people. Of its lines these are read: `B (truth)` with the guilty commit, and `trials`
//! with `at most N for the answer` and `M more for the fix`.

use std::fs;
use std::path::{Path, PathBuf};

/// What is known of a case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealTruth {
    /// The commit that brought the bug.
    pub guilty: String,
    /// How many trials the answer may take.
    pub most_trials: u64,
    /// How many more the fix may take.
    pub most_fix_trials: u64,
}

impl RealTruth {
    /// Reads what is known.
    pub fn parse(text: &str) -> Result<RealTruth, String> {
        let line = |start: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(start));
            line.ok_or(format!("its truth has no line '{start}'"))
        };
        let guilty = line("B (truth)")?
            .split_whitespace()
            .next()
            .filter(|word| word.len() >= 7 && word.chars().all(|sign| sign.is_ascii_hexdigit()))
            .ok_or("its truth names no commit")?;
        let trials = line("trials")?;
        Ok(RealTruth {
            guilty: guilty.to_owned(),
            most_trials: number_before(trials, "for the answer")?,
            most_fix_trials: number_before(trials, "more for the fix")?,
        })
    }
}

/// The last number before some words.
fn number_before(text: &str, words: &str) -> Result<u64, String> {
    let before = text.split(words).next().filter(|before| *before != text);
    before
        .and_then(|before| before.split_whitespace().last()?.parse().ok())
        .ok_or(format!("its truth has no number of trials {words}"))
}

/// A case on disk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RealCase {
    /// What its directory is called.
    pub name: String,
    /// The repository.
    pub bundle: PathBuf,
    /// The test.
    pub test: PathBuf,
    /// What is known of it.
    pub truth: RealTruth,
}

impl RealCase {
    /// The cases in a directory, by name. Directories without a bundle are none.
    pub fn all(directory: &Path) -> Result<Vec<RealCase>, String> {
        let text = |error: std::io::Error| format!("{}: {error}", directory.display());
        let mut cases = Vec::new();
        for entry in fs::read_dir(directory).map_err(text)? {
            let path = entry.map_err(text)?.path().canonicalize().map_err(text)?;
            let files = fs::read_dir(&path).into_iter().flatten().flatten();
            let bundle = files.map(|file| file.path()).find(|file| {
                file.extension()
                    .is_some_and(|extension| extension == "bundle")
            });
            let Some(bundle) = bundle else { continue };
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let truth = fs::read_to_string(path.join("truth.txt"))
                .map_err(|error| error.to_string())
                .and_then(|text| RealTruth::parse(&text))
                .map_err(|message| format!("{name}: {message}"))?;
            cases.push(RealCase {
                name: name.into_owned(),
                bundle,
                test: path.join("test.sh"),
                truth,
            });
        }
        cases.sort_by(|one, other| one.name.cmp(&other.name));
        Ok(cases)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_truth_has_a_commit_and_two_numbers() {
        let text = "HEAD (bad)   abc1234 (2021-05-03)\nB (truth)    0123456789abcdef  2017-01-06  Check it.; 8+/8- lines\ntrials       at most 80 for the answer (the walk), 40 more for the fix at HEAD\n";
        assert_eq!(
            RealTruth::parse(text),
            Ok(RealTruth {
                guilty: "0123456789abcdef".to_owned(),
                most_trials: 80,
                most_fix_trials: 40,
            })
        );
    }

    #[test]
    fn a_truth_without_a_commit_or_a_number_is_an_error() {
        assert!(
            RealTruth::parse("trials at most 80 for the answer, 40 more for the fix\n").is_err()
        );
        assert!(
            RealTruth::parse("B (truth)  0123456\ntrials  at most some for the answer\n").is_err()
        );
        assert!(
            RealTruth::parse(
                "B (truth)  somewhere\ntrials  80 for the answer, 40 more for the fix\n"
            )
            .is_err()
        );
    }
}
