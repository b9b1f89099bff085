use sha2::{Digest, Sha256};

use super::*;
use crate::example::evil;
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
