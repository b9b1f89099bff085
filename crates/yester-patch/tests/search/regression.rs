//! A version that passes and one that fails.

use yester_core::Outcome;
use yester_patch::regression::{ComparedVersions, Proof, RegressionSearch};
use yester_patch::{
    AtomSet, ChangeSpace, CommitTrees, DeltaLevel, Effort, Entries, History, Version,
    VersionDifference, ZellerAlgorithm,
};

use crate::laboratory::{TextLab, ignorant, repository};

/// What breaks it needs its definition.
fn judge(text: &str) -> Outcome {
    let (calls, defines) = (text.contains("call\n"), text.contains("define\n"));
    if !calls {
        Outcome::Pass
    } else if defines {
        Outcome::Fail
    } else {
        Outcome::Unresolved
    }
}

const TEXTS: [&str; 4] = [
    "1\n2\n3\n4\n5\n6\n7\n8\n9\n",
    "1\ndefine\n2\n3\n4\n5\n6\n7\n8\n9\n",
    "1\ndefine\n2\n3\nfour\n5\n6\n7\ncall\n8\n9\n",
    "1\ndefine\n2\n3\nfour\n5\n6\n7\ncall\n8\n9\n10\n",
];

/// The lines of the answer, and what the search has told.
fn search(algorithm: Option<ZellerAlgorithm>) -> (Vec<String>, Vec<String>) {
    let (_place, repository) = repository(&TEXTS);
    let version = |revision: &str| Version::revision(&repository, revision).expect("a version");
    let (good, bad) = (version("HEAD~3"), version("HEAD"));
    let difference = VersionDifference::between(&good, &bad).expect("a difference");
    let outliner = ignorant();
    let space = ChangeSpace::new(difference, DeltaLevel::File, Some(outliner.clone()));
    let history = History::between(&repository, "HEAD~3", "HEAD").expect("a history");
    let commits = CommitTrees::new(history).expect("trees");
    let versions = ComparedVersions {
        good: &good,
        bad: &bad,
        space: &space,
        beyond: &Entries::new(),
        commits: Some(&commits),
        repository: Some(&repository),
        carried: &[],
        only: &[],
        outliner: &outliner,
    };
    let search = RegressionSearch {
        versions,
        read: None,
        effort: Effort::Lines,
        algorithm,
        is_for_all: false,
    };
    let none = AtomSet::empty(space.all().universe());
    let mut lab = TextLab::new(TEXTS[0], judge);
    let culprit = search.culprit(&mut lab, &none).expect("nobody stops it");
    let mut proof = Proof::default();
    let holds = versions.prove(&mut lab, &culprit, &none, &mut proof);
    assert!(holds.expect("nobody stops it"));
    assert!(matches!(proof.without, Some((Outcome::Pass, ()))));
    assert!(proof.fix.is_some());
    let lines = culprit.space.difference().spans(&culprit.atoms);
    let lines = lines
        .iter()
        .map(|span| TEXTS[3].lines().nth(span.new.start as usize));
    let lines = lines.map(|line| line.expect("a line").to_owned()).collect();
    (lines, lab.news)
}

#[test]
fn the_step_that_broke_it_is_searched() {
    let (lines, news) = search(None);
    assert_eq!(lines, ["call"]);
    assert_eq!(news, ["any step", "all", "step 2"]);
}

#[test]
fn the_algorithms_of_the_paper_search_all_changes() {
    // No half fails by itself, so that dd unites what it finds in both.
    let (lines, news) = search(Some(ZellerAlgorithm::Dd));
    assert_eq!(lines, ["define", "call"]);
    assert!(news.is_empty());
    // dd+ leaves what passes applied. With that, it is the call alone.
    let (lines, _) = search(Some(ZellerAlgorithm::DdPlus));
    assert_eq!(lines, ["call"]);
}
