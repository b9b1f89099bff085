//! A version that passes and one that fails.

use yester_core::Outcome;
use yester_patch::regression::{ComparedVersions, Fix, Proof, RegressionSearch};
use yester_patch::{
    AtomSet, ChangeSpace, CommitTrees, DeltaLevel, Effort, Entries, History, Version,
    VersionDifference, WholeFix, ZellerAlgorithm,
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

/// The lines of the answer, what the search has told, and what the proof has shown.
fn search(
    algorithm: Option<ZellerAlgorithm>,
    texts: [&str; 4],
) -> (Vec<String>, Vec<String>, Proof<()>) {
    let (_place, repository) = repository(&texts);
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
    let mut lab = TextLab::new(texts[0], judge);
    let culprit = search.culprit(&mut lab, &none).expect("nobody stops it");
    let mut proof = Proof::default();
    let holds = versions.prove(&mut lab, &culprit, &none, &mut proof);
    assert!(holds.expect("nobody stops it"));
    assert!(matches!(proof.without, Some((Outcome::Pass, ()))));
    assert!(proof.fix.is_some());
    let lines = culprit.space.difference().spans(&culprit.atoms);
    let lines = lines
        .iter()
        .map(|span| texts[3].lines().nth(span.new.start as usize));
    let lines = lines.map(|line| line.expect("a line").to_owned()).collect();
    (lines, lab.news, proof)
}

#[test]
fn the_step_that_broke_it_is_searched() {
    let (lines, news, proof) = search(None, TEXTS);
    assert_eq!(lines, ["call"]);
    assert_eq!(news, ["any step", "all", "step 2"]);
    // The other line that the commit changed is far from it.
    assert!(matches!(proof.whole, WholeFix::Same));
}

#[test]
fn what_else_the_commit_changed_there_is_taken_back_if_that_passes() {
    let with = |text: &str| TEXTS[2].replace("7\n", "seven\n") + text;
    let texts = [TEXTS[0], TEXTS[1], &with(""), &with("10\n")];
    let (lines, _, proof) = search(None, texts);
    assert_eq!(lines, ["call"]);
    let lines = |fix: &Fix| fix.step.lines();
    assert_eq!(proof.fix.as_ref().map(lines), Some(1));
    assert_eq!(proof.whole.passing().map(lines), Some(3));

    // Not if a later commit has changed it.
    let later = with("").replace("seven\n", "Seven\n");
    let (_, _, proof) = search(None, [TEXTS[0], TEXTS[1], &with(""), &later]);
    assert!(proof.fix.is_some());
    assert!(matches!(proof.whole, WholeFix::Conflict));
}

#[test]
fn the_algorithms_of_the_paper_search_all_changes() {
    // No half fails by itself, so that dd unites what it finds in both.
    let (lines, news, proof) = search(Some(ZellerAlgorithm::Dd), TEXTS);
    assert_eq!(lines, ["define", "call"]);
    assert!(news.is_empty());
    assert!(matches!(proof.whole, WholeFix::Unknown));
    // dd+ leaves what passes applied. With that, it is the call alone.
    let (lines, ..) = search(Some(ZellerAlgorithm::DdPlus), TEXTS);
    assert_eq!(lines, ["call"]);
}
