//! The repositories of `bench/history` are what they claim to be.

use std::fs;

use yester_bench::history::{GeneratedRepository, ProjectLanguage, RepositoryName, SIZES};

/// How many revisions are looked at besides those around the bug. `bench/history --check` looks at more.
const FEW: usize = 3;

fn name(language: ProjectLanguage, seed: usize) -> RepositoryName {
    RepositoryName {
        language,
        commits: SIZES[0],
        seed,
    }
}

#[test]
fn the_same_seed_gives_the_same_commits_and_another_one_others() {
    let place = tempfile::tempdir().expect("a directory");
    for language in ProjectLanguage::ALL {
        let generate = |seed: usize, directory: &str| {
            let directory = place.path().join(directory);
            GeneratedRepository::generate(name(language, seed), &directory).expect("a repository")
        };
        let one = generate(1, "one");
        let again = generate(1, "again");
        let other = generate(2, "other");
        assert_eq!(one.truth, again.truth, "{language:?}");
        assert_ne!(one.truth.head, other.truth.head, "{language:?}");
    }
}

#[test]
fn with_the_api_a_test_passes_up_to_the_bug_and_fails_from_there_on() {
    let place = tempfile::tempdir().expect("a directory");
    for language in ProjectLanguage::ALL {
        let name = name(language, 2);
        let directory = place.path().join(name.to_string());
        let repository = GeneratedRepository::generate(name, &directory).expect("a repository");
        repository
            .check(FEW)
            .unwrap_or_else(|message| panic!("{name}: {message}"));
    }
}

#[test]
fn a_history_has_exactly_as_many_commits_as_its_name_says() {
    let place = tempfile::tempdir().expect("a directory");
    for commits in [SIZES[0], SIZES[1]] {
        let name = RepositoryName {
            language: ProjectLanguage::C,
            commits,
            seed: 1,
        };
        let repository = GeneratedRepository::generate(name, place.path()).expect("a repository");
        let marks = fs::read_to_string(place.path().join("marks")).expect("the marks");
        assert_eq!(marks.lines().count(), commits, "{name}");
        assert!(marks.contains(&repository.truth.guilty), "{name}");
    }
}
