use sha2::{Digest, Sha256};

use super::*;
use crate::example::{chain, evil};
use crate::story::{Story, StoryInput};
use crate::{Lineage, LineagePart};

fn hash(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut encoded = String::new();
    for group in Sha256::digest(text).chunks(3) {
        let bits = group
            .iter()
            .fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - group.len()));
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place) & 63) as usize];
            encoded.push(if place <= group.len() {
                letter as char
            } else {
                '='
            });
        }
    }
    format!("sha256-{encoded}")
}

#[test]
fn the_policy_allows_the_style_and_the_script_of_the_page() {
    assert_eq!(STYLE_HASH, hash(STYLE));
    assert_eq!(SCRIPT_HASH, hash(SCRIPT));
}

#[test]
fn text_of_strangers_breaks_out_of_nothing() {
    let page = evil().html();
    let script = page.matches("<script>").count();
    assert_eq!((script, page.matches("</script>").count()), (1, 1));
    assert!(!page.contains("<b>"), "markup of a stranger");
    assert!(!page.contains("\" onload"), "an attribute of a stranger");
    for hidden in ['\u{1b}', '\u{202e}', '\0', '\r'] {
        assert!(!page.contains(hidden), "{hidden:?} is on the page");
    }
    assert!(page.contains("&lt;script"), "the text itself is shown");
}

fn trials(number: u64) -> Vec<DossierTrial> {
    let trials = (1..=number).map(|number| DossierTrial {
        number,
        why: "search".to_owned(),
        pass: "removing lines".to_owned(),
        difference: "without “something”, “else” and 3 more".to_owned(),
        outcome: Some(TrialOutcome::Pass),
        ending: "exit 1".to_owned(),
        bytes: 1_000_000 - number,
        seconds: 0.123,
        output: format!("error: something is wrong in line {number}\n").repeat(40),
        candidate: String::new(),
    });
    trials.collect()
}

#[test]
fn ten_thousand_trials_take_less_than_two_megabytes() {
    let dossier = Dossier {
        trials: trials(10_000),
        unit: "bytes".to_owned(),
        original_size: Some(1_000_000),
        ..Dossier::default()
    };
    let page = dossier.html();
    assert!(page.len() < 2_000_000, "{} bytes", page.len());
    assert!(page.contains("<tr id=t1>") && page.contains("<tr id=t10000>"));
}

#[test]
fn trials_that_are_not_listed_are_counted() {
    let dossier = Dossier {
        trials: trials(20_010),
        ..Dossier::default()
    };
    let page = dossier.html();
    assert!(page.contains("10 of the search are not listed here"));
    assert!(page.len() < 4_000_000, "{} bytes", page.len());
}

#[test]
fn a_line_of_ten_megabytes_is_cut_around_what_was_kept() {
    let mut input = vec![b'x'; 10 << 20];
    input[5 << 20] = b'!';
    let dossier = Dossier {
        story: Story {
            input: Some(StoryInput {
                path: "in".to_owned(),
                original: "in".to_owned(),
                bytes: 1,
                original_bytes: 10 << 20,
                text: None,
            }),
            ..Story::default()
        },
        lineage: Some(Lineage {
            parts: [
                (0, 5 << 20, Some(0)),
                (5 << 20, (5 << 20) + 1, None),
                ((5 << 20) + 1, 10 << 20, Some(0)),
            ]
            .map(|(begin, end, gone)| LineagePart { begin, end, gone })
            .to_vec(),
            text: input,
            steps: 1,
        }),
        ..Dossier::default()
    };
    let page = dossier.html();
    assert!(page.contains("<mark>!</mark>"));
    assert!(page.len() < 100_000, "{} bytes", page.len());
}

/// Where these texts stand on the page; one that is not there is an error.
#[track_caller]
fn places(page: &str, texts: &[&str]) -> Vec<usize> {
    let find = |text: &&str| {
        page.find(*text)
            .unwrap_or_else(|| panic!("{text} is missing"))
    };
    texts.iter().map(find).collect()
}

#[test]
fn the_steps_of_a_chain_are_sections_in_order_with_all_they_have_found() {
    let page = chain().html();
    let order = places(
        &page,
        &[
            "<h1 id=\"headline\">“Add weights” (0123456789) broke it, in x.c:3</h1>",
            "<li><a href=\"#step1\">changes</a>",
            "<li><a href=\"#step3\">explain</a>",
            "git apply fix.patch",
            "<section id=\"step1\"",
            "v1.0 passes",
            "id=\"step1-commit-0123456789\"",
            "<section id=\"step2\"",
            "id=\"step2-left-1\"",
            "<mark>b</mark>",
            "<section id=\"step3\"",
            "id=\"step3-place-1\"",
            "id=\"step3-place-1-1\"",
            "id=\"step3-new-x.c-3\"",
            "<h2 id=\"sure-title\"",
            "changes: v1.0 with the culprit fails",
            "reduce: no single byte was tried",
        ],
    );
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn a_cause_is_told_beside_its_lines_and_the_commit_once() {
    let page = chain().html();
    assert_eq!(page.matches("without it, it passes").count(), 1);
    assert_eq!(page.matches("Ada").count(), 1);
}

#[test]
fn a_value_leads_to_the_places_that_have_the_same() {
    let page = chain().html();
    let second = &page[page.find("id=\"step3-place-2\"").expect("a place")..];
    let same = second
        .find("The same values are at")
        .expect("there are some");
    let link = second
        .find("<a href=\"#step3-place-3\">place 3</a>")
        .expect("a link");
    assert!(same < link && link < second.find("id=\"step3-place-3\"").expect("the next"));
    // Two conditions that are both true have nothing to do with each other.
    assert_eq!(page.matches("The same values are at").count(), 2);
}

#[test]
fn a_changed_line_is_shown_with_what_it_was_and_its_values() {
    let page = chain().html();
    let order = places(
        &page,
        &[
            "id=\"step3-new-x.c-3-old1\"",
            "<code>was;</code>",
            "id=\"step3-new-x.c-3\"",
            "old version <b>true</b>",
            "new version <b>false</b>",
            "id=\"step3-new-x.c-4\"",
            ">1.1</a> reads it",
        ],
    );
    assert!(order.is_sorted(), "{order:?}");
}

#[test]
fn tested_versions_are_on_a_line_each_with_a_shape_of_its_own() {
    let version = |position: usize, outcome| DossierVersion {
        position: Some(position),
        of: 9,
        id: format!("{position}000000000000"),
        date: "2026-03-06T12:00:00Z".to_owned(),
        subject: format!("Version {position}"),
        outcome,
    };
    let dossier = Dossier {
        versions: vec![
            version(0, TrialOutcome::Pass),
            version(4, TrialOutcome::Unresolved),
            version(8, TrialOutcome::Fail),
        ],
        ..Dossier::default()
    };
    let page = dossier.html();
    let order = places(
        &page,
        &[
            "<circle cx=\"88.0\"",
            "class=\"dot s-unresolved\"",
            "<path d=\"M867.0 16.0h16.0v16.0h-16.0z\" class=\"dot s-fail\"",
            "<td>2026-03-06</td><td class=\"text\">Version 0</td>",
            "<td>2026-03-06</td><td class=\"text\">Version 8</td>",
        ],
    );
    assert!(order.is_sorted(), "{order:?}");
}
