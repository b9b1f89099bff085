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
                original: text(),
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
                        here: None,
                        file: text(),
                        line: 7,
                        removed: 1,
                        added: 2,
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
                here: None,
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
                values: vec![
                    StoryValue {
                        run: text(),
                        value: text(),
                    };
                    2
                ],
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
        versions: vec![DossierVersion {
            position: Some(0),
            of: 1,
            id: text(),
            date: text(),
            subject: text(),
            outcome: TrialOutcome::Fail,
        }],
        also_seen: vec![SeenFailure {
            failure: text(),
            seen: 2,
            path: text(),
        }],
        passes: vec![PassGain {
            pass: text(),
            tried: 1,
            succeeded: 1,
            removed: 1,
            seconds: 0.1,
        }],
        trials: vec![DossierTrial {
            number: 1,
            why: text(),
            pass: text(),
            difference: text(),
            ending: text(),
            output: text(),
            ..DossierTrial::default()
        }],
        ..Dossier::default()
    }
}

/// A run of several commands: the commit, its lines, a smaller input, the branch.
pub fn chain() -> Dossier {
    let step = |command: &str, why: &str, story: Story| StoryStep {
        command: command.to_owned(),
        why: why.to_owned(),
        story,
    };
    let changes = Story {
        headline: "“Add weights” (0123456789) broke it: 2 of 40 changed lines in 1 file".to_owned(),
        proofs: vec!["v1.0 with the culprit fails".to_owned()],
        commands: vec![StoryCommand {
            what: "on HEAD takes it out".to_owned(),
            words: "git apply fix.patch".to_owned(),
        }],
        commits: vec![StoryCommit {
            id: "0123456789abcdef0123456789abcdef01234567".to_owned(),
            author: "Ada".to_owned(),
            date: "2026-03-06".to_owned(),
            subject: "Add weights".to_owned(),
            role: CommitRole::Culprit,
        }],
        patches: vec![StoryPatch {
            role: PatchRole::Culprit,
            path: "culprit.patch".to_owned(),
            base: "v1.0".to_owned(),
            text: Some(
                "--- a/x.c\n+++ b/x.c\n@@ -2,3 +2,4 @@\n one\n-was;\n+more;\n+lines;\n end\n"
                    .to_owned(),
            ),
            changes: vec![StoryChange {
                here: None,
                file: "x.c".to_owned(),
                line: 3,
                removed: 1,
                added: 2,
                what: "1 line changed".to_owned(),
                is_cause: Some(true),
                commit: Some(0),
            }],
        }],
        ..Story::default()
    };
    let reduce = Story {
        headline: "2 of the 9 bytes of in.txt make it fail".to_owned(),
        doubts: vec!["no single byte was tried".to_owned()],
        input: Some(StoryInput {
            path: "in.reduced.txt".to_owned(),
            original: "in.txt".to_owned(),
            bytes: 2,
            original_bytes: 9,
            text: Some("b\n".to_owned()),
        }),
        ..Story::default()
    };
    let place = |line: u32, was: &str, becomes: &str| StoryPlace {
        here: None,
        title: format!("line {line} differs"),
        version: "new".to_owned(),
        file: "x.c".to_owned(),
        line,
        function: "weigh".to_owned(),
        source: "    if (weight > 10)".to_owned(),
        span: (8, 19),
        values: [("old version", was), ("new version", becomes)]
            .map(|(run, value)| StoryValue {
                run: run.to_owned(),
                value: value.to_owned(),
            })
            .to_vec(),
        steps: vec![PlaceStep {
            file: "x.c".to_owned(),
            line: 4,
            what: "reads it".to_owned(),
            is_before: true,
        }],
        ..StoryPlace::default()
    };
    let explain = Story {
        headline: "x.c:3: this branch decides".to_owned(),
        places: vec![
            place(3, "true", "false"),
            place(5, "960", "610"),
            place(4, "960", "610"),
        ],
        sources: vec![StorySource {
            version: "new".to_owned(),
            file: "x.c".to_owned(),
            lines: (1..=5)
                .map(|number| (number, format!("line {number};")))
                .collect(),
            added: [3].into(),
            removed: vec![(3, "was;".to_owned())],
        }],
        ..Story::default()
    };
    Dossier {
        name: "why-1".to_owned(),
        state: RunState::Found,
        command: "why".to_owned(),
        call: "yester why v1.0 -- ./test.sh in.txt".to_owned(),
        story: Story {
            headline: "“Add weights” (0123456789) broke it, in x.c:3".to_owned(),
            steps: vec![
                step("changes", "v1.0 passes", changes),
                step("reduce", "the test names in.txt", reduce),
                step("explain", "it is a C program", explain),
            ],
            ..Story::default()
        },
        lineage: Lineage::follow(b"a\nb\nc\nd\n".to_vec(), [b"b\n".to_vec()]),
        ..Dossier::default()
    }
}
