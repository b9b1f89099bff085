//! A run for tests.

use crate::*;

/// Text that tries to break out of wherever it is put.
pub const EVIL: &str =
    "</script><script>alert(1)</script>\u{1b}[2J\" onload=\"x' --><b>&amp;\u{202e}\0\r\n]]>";

const PATCH: &str = "diff --git a/x.c b/x.c
--- a/x.c
+++ b/x.c
@@ -2,4 +2,4 @@
 one
-EVIL
+two
 three
@@ -9,0 +10 @@
+```
";

/// A run in which every text is a stranger's.
pub fn evil() -> Dossier {
    let text = || EVIL.to_owned();
    let input = EVIL.as_bytes().to_vec();
    Dossier {
        name: text(),
        state: RunState::Found,
        reason: text(),
        story: Story {
            headline: text(),
            proofs: vec![text()],
            doubts: vec![text()],
            commands: vec![StoryCommand {
                what: text(),
                words: text(),
            }],
            input: Some(StoryInput {
                path: text(),
                bytes: 1,
                original_bytes: 2,
                text: Some(text()),
            }),
            commits: vec![StoryCommit {
                id: text(),
                author: text(),
                date: text(),
                subject: text(),
                role: CommitRole::Culprit,
            }],
            patches: [PatchRole::Culprit, PatchRole::Fix]
                .map(|role| StoryPatch {
                    role,
                    path: text(),
                    base: text(),
                    text: Some(PATCH.replace("EVIL", EVIL)),
                    changes: vec![StoryChange {
                        file: text(),
                        line: 7,
                        what: text(),
                        is_cause: Some(true),
                        commit: Some(0),
                    }],
                })
                .to_vec(),
            made_inputs: vec![MadeInput {
                title: text(),
                difference: text(),
                effects: vec![text()],
            }],
            places: vec![StoryPlace {
                title: text(),
                file: text(),
                function: text(),
                seen: text(),
                source: text(),
                span: (1, 3),
                line: 3,
                column: 5,
                steps: vec![PlaceStep {
                    file: text(),
                    line: 2,
                    what: text(),
                    is_before: true,
                }],
                notes: vec![text()],
                ..StoryPlace::default()
            }],
            ..Story::default()
        },
        call: text(),
        resume: Some(text()),
        target: text(),
        test: text(),
        failure: text(),
        lineage: Lineage::follow(input, [b"</script>".to_vec()]),
        trials: vec![DossierTrial {
            number: 1,
            why: text(),
            ending: text(),
            output: text(),
            ..DossierTrial::default()
        }],
        ..Dossier::default()
    }
}
