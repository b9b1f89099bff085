//! No version that passes is known.

use yester_core::Outcome;
use yester_patch::idd::{NoGoodRevision, Origin, TestedHistory, Tree, forward_port, iterate};
use yester_patch::{FileState, Repository, RevisionTrees, Version};

use crate::laboratory::{TextLab, ignorant, repository};

/// Only a text with the interface can be tested.
fn judge(text: &str) -> Outcome {
    if !text.contains("interface\n") {
        Outcome::Unresolved
    } else if text.contains("wrong\n") {
        Outcome::Fail
    } else {
        Outcome::Pass
    }
}

fn history(repository: &Repository, is_plain: bool) -> TestedHistory {
    let newest = repository.resolve("HEAD").expect("a revision");
    let revisions = repository.commits(&["--first-parent", &newest]);
    let revisions = revisions.expect("commits");
    let oldest = &revisions[revisions.len() - 1];
    let today = Version::revision(repository, "HEAD").expect("a version");
    TestedHistory {
        repository: repository.clone(),
        trees: RevisionTrees::new(repository, &revisions[0].id, &oldest.id).expect("trees"),
        revisions,
        is_oldest_named: false,
        today,
        carried: Vec::new(),
        pinned: Vec::new(),
        outliner: ignorant(),
        named: Vec::new(),
        is_plain,
        first_parent: false,
    }
}

fn text(tree: &Tree) -> String {
    let state: Option<&FileState> = tree.overlay["file"].as_ref();
    String::from_utf8_lossy(&state.expect("a file").content).into_owned()
}

/// Walks back and forward. Gives what was found, the newest revision with the fix, and what was told.
fn walk(texts: &[&str], is_plain: bool) -> (Origin, Option<Tree>, Vec<String>) {
    let (_place, repository) = repository(texts);
    let history = history(&repository, is_plain);
    let mut lab = TextLab::new(texts[texts.len() - 1], judge);
    let origin = iterate(&history, &mut lab, None).expect("nobody stops it");
    let fix = forward_port(&history, &mut lab, None, &origin).expect("nobody stops it");
    (origin, fix, lab.news)
}

const YOUNG_INTERFACE: [&str; 5] = [
    "right\n2\n3\n4\n5\n",
    "wrong\n2\n3\n4\n5\n",
    "wrong\n2\n3\n4\nfive\n",
    "wrong\n2\n3\n4\nfive\ninterface\n",
    "wrong\n2\nthree\n4\nfive\ninterface\n",
];

#[test]
fn a_bug_is_found_behind_the_revision_that_brought_what_the_test_needs() {
    for is_plain in [false, true] {
        let (origin, fix, news) = walk(&YOUNG_INTERFACE, is_plain);
        let broken = origin.broken.expect("the first revision passes");
        assert_eq!((&*broken.good.subject, &*broken.bad.subject), ("0", "1"));
        assert_eq!(text(&broken.passing), "right\n2\n3\n4\n5\ninterface\n");
        assert_eq!(judge(&text(&broken.with_culprit())), Outcome::Fail);
        let fix = text(&fix.expect("a fix"));
        assert_eq!(judge(&fix), Outcome::Pass);
        assert!(fix.ends_with("2\nthree\n4\nfive\ninterface\n"), "{fix}");
        assert_eq!(news[0], "Back at 2");
        assert_eq!(origin.way.len(), 4);
    }
}

#[test]
fn a_bug_that_came_back_is_blamed_on_its_return() {
    let texts = [
        "right\ninterface\n3\n4\n5\n",
        "wrong\ninterface\n3\n4\n5\n",
        "right\ninterface\n3\n4\n5\n",
        "wrong\ninterface\n3\n4\n5\n",
        "wrong\ninterface\n3\n4\nfive\n",
    ];
    let (origin, ..) = walk(&texts, false);
    let broken = origin.broken.expect("some revisions pass");
    assert_eq!((&*broken.good.subject, &*broken.bad.subject), ("2", "3"));
}

#[test]
fn it_is_said_when_all_revisions_fail() {
    let texts = ["wrong\ninterface\n1\n", "wrong\ninterface\n2\n"];
    let (origin, fix, _) = walk(&texts, false);
    assert!(origin.broken.is_none() && fix.is_none());
    let reason = origin.reason.expect("there is nothing");
    assert!(matches!(reason, NoGoodRevision::AllFail(oldest) if oldest.subject == "0"));
}
