//! What may be to blame: all code but what the user leaves out. A test's own code comes last: it fails since something else is wrong.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Component, Path, PathBuf};

use super::profile::{InterventionPlace, Profile};

/// Directories that have nothing but tests.
const TEST_DIRECTORIES: [&str; 9] = [
    "test",
    "tests",
    "testing",
    "testsuite",
    "testcases",
    "unittest",
    "unittests",
    "spec",
    "t",
];
/// What files and functions of tests are called, or how the first or last word of their names reads.
const TEST_WORDS: [&str; 8] = [
    "test",
    "tests",
    "unittest",
    "unittests",
    "selftest",
    "testsuite",
    "testcase",
    "spec",
];
/// Functions with which tests look at results, in files that have tests.
const CHECK_WORDS: [&str; 5] = ["check", "expect", "assert", "verify", "fail"];

/// Which code may be to blame.
#[derive(Clone, Debug, Default)]
pub struct Blame {
    /// Where the tree lies whose files these are.
    pub root: PathBuf,
    /// Only code in these files and directories of the tree; none is all.
    pub only: Vec<PathBuf>,
    /// No code in these.
    pub not: Vec<PathBuf>,
}

impl Blame {
    /// Of a tree that the user calls `tree` and that lies in `root` now.
    #[must_use]
    pub fn new(root: &Path, tree: &Path, only: &[PathBuf], not: &[PathBuf]) -> Blame {
        let in_tree = |paths: &[PathBuf]| {
            let paths = paths.iter().map(|path| {
                let path = path.strip_prefix(tree).unwrap_or(path).components();
                path.filter(|one| *one != Component::CurDir).collect()
            });
            paths.collect()
        };
        Blame {
            root: root.to_owned(),
            only: in_tree(only),
            not: in_tree(not),
        }
    }

    /// The files of these runs, if the user leaves out all of them.
    #[must_use]
    pub fn all_left_out(&self, profiles: &[Profile]) -> Option<BTreeSet<PathBuf>> {
        let places = || profiles.iter().flat_map(|profile| &profile.places);
        if places().any(|place| self.covers(place)) {
            return None;
        }
        Some(
            places()
                .map(|place| self.in_tree(place).to_owned())
                .collect(),
        )
    }

    /// Whether the code of a place may be to blame.
    #[must_use]
    pub fn covers(&self, place: &InterventionPlace) -> bool {
        let path = self.in_tree(place);
        let is_in = |list: &[PathBuf]| list.iter().any(|one| path.starts_with(one));
        (self.only.is_empty() || is_in(&self.only)) && !is_in(&self.not)
    }

    /// The path of a place's file in the tree.
    fn in_tree<'a>(&self, place: &'a InterventionPlace) -> &'a Path {
        let path = Path::new(&place.file);
        path.strip_prefix(&self.root).unwrap_or(path)
    }

    /// The functions of a run that belong to the test itself, by their files. If everything does, nothing is said.
    #[must_use]
    pub fn test_functions<'a>(&self, profile: &'a Profile) -> BTreeSet<(&'a str, &'a str)> {
        let mut of_file: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        let mut paths: BTreeMap<&str, &Path> = BTreeMap::new();
        for place in profile.places.iter().filter(|place| self.covers(place)) {
            let functions = of_file.entry(&place.file).or_default();
            functions.insert(&place.function);
            paths.insert(&place.file, self.in_tree(place));
        }
        let mut found = BTreeSet::new();
        let mut count = 0;
        for (file, functions) in &of_file {
            count += functions.len();
            let is_test_file = is_test_path(paths[file]);
            let has_tests = functions.iter().any(|one| is_test_function(one));
            let is_test = |function: &&&str| {
                is_test_file
                    || is_test_function(function)
                    || has_tests && (**function == "main" || is_check(function))
            };
            found.extend(functions.iter().filter(is_test).map(|one| (*file, *one)));
        }
        if found.len() == count {
            return BTreeSet::new();
        }
        found
    }
}

/// Whether the name of a file, or of a directory that it is in, says that it is one of tests.
fn is_test_path(path: &Path) -> bool {
    let name = |one: &Path| one.to_string_lossy().to_ascii_lowercase();
    let directories = path.parent().into_iter().flat_map(Path::components);
    let mut directories = directories.map(|one| name(Path::new(one.as_os_str())));
    directories.any(|one| TEST_DIRECTORIES.contains(&one.as_str()))
        || path
            .file_stem()
            .is_some_and(|stem| has_test_word(&name(Path::new(stem))))
}

fn is_test_function(function: &str) -> bool {
    has_test_word(&function.to_ascii_lowercase())
}

/// Whether the first or the last word of a name is one of tests.
fn has_test_word(name: &str) -> bool {
    let mut words = name.split(|one: char| !one.is_ascii_alphanumeric());
    let ends = [words.next(), words.next_back()];
    let without_number = |word: &str| {
        word.trim_end_matches(|one: char| one.is_ascii_digit())
            .to_owned()
    };
    let mut ends = ends.into_iter().flatten().map(without_number);
    ends.any(|word| TEST_WORDS.contains(&word.as_str()))
}

fn is_check(function: &str) -> bool {
    let name = function.to_ascii_lowercase();
    CHECK_WORDS.iter().any(|word| name.starts_with(word))
}

#[cfg(test)]
mod tests {
    use super::super::profile::PlaceKind;
    use super::*;

    fn profile(functions: &[(&str, &str)]) -> Profile {
        let place = |(file, function): &(&str, &str)| InterventionPlace {
            file: format!("/built/{file}"),
            ..InterventionPlace::example(PlaceKind::Branch, function, "")
        };
        Profile {
            places: functions.iter().map(place).collect(),
            ..Profile::default()
        }
    }

    fn blame() -> Blame {
        Blame {
            root: "/built".into(),
            ..Blame::default()
        }
    }

    fn tests_of(functions: &[(&str, &str)]) -> Vec<String> {
        let profile = profile(functions);
        let found = blame().test_functions(&profile);
        found
            .into_iter()
            .map(|(_, function)| function.to_owned())
            .collect()
    }

    #[test]
    fn code_of_tests_is_known_by_its_files_and_functions() {
        let all = [
            ("src/sum.c", "sum"),
            ("src/sum.c", "test"),
            ("tests/all.c", "main"),
            ("smoke_test.c", "run"),
            ("src/latest.c", "latest"),
            ("src/contest.c", "attest"),
        ];
        assert_eq!(tests_of(&all), ["run", "test", "main"]);
    }

    #[test]
    fn main_and_checks_belong_to_the_tests_of_their_file() {
        let all = [
            ("suite.c", "main"),
            ("suite.c", "test_sum"),
            ("suite.c", "check_equal"),
            ("suite.c", "helper"),
            ("sum.c", "check_range"),
        ];
        assert_eq!(tests_of(&all), ["check_equal", "main", "test_sum"]);
    }

    #[test]
    fn a_program_that_is_nothing_but_a_test_is_to_blame_itself() {
        assert_eq!(tests_of(&[("test.c", "main"), ("test.c", "sum")]), [""; 0]);
    }

    #[test]
    fn the_user_says_what_is_left_out() {
        let profile = profile(&[
            ("src/sum.c", "sum"),
            ("lib/list.c", "list"),
            ("src/io/read.c", "read"),
        ]);
        let covered = |only: &[&str], not: &[&str]| {
            let paths = |list: &[&str]| list.iter().map(PathBuf::from).collect();
            let blame = Blame {
                only: paths(only),
                not: paths(not),
                ..blame()
            };
            let places = profile.places.iter().filter(|place| blame.covers(place));
            places
                .map(|place| place.function.as_str())
                .collect::<Vec<_>>()
        };
        assert_eq!(covered(&[], &[]), ["sum", "list", "read"]);
        assert_eq!(covered(&["src"], &[]), ["sum", "read"]);
        assert_eq!(covered(&["src"], &["src/io"]), ["sum"]);
        assert_eq!(covered(&["lib/list.c"], &[]), ["list"]);
    }
}
