use super::*;
use crate::example::{chain, evil};
use crate::{LineagePart, StoryPatch};

#[test]
fn a_patch_is_a_fix_line_by_line() {
    let text = "diff --git a/x.c b/x.c
--- a/x.c
+++ b/x.c
@@ -2,5 +2,3 @@ f()
 one
-two
--- a/not a file
+2
 three
-four
@@ -20,0 +20,2 @@
+new
++++ b/line
";
    let patch = StoryPatch {
        role: PatchRole::Fix,
        path: "fix.patch".to_owned(),
        base: String::new(),
        text: Some(text.to_owned()),
        changes: Vec::new(),
    };
    let fix = fix(&patch).expect("a fix");
    let replacements = fix["artifactChanges"][0]["replacements"].as_array();
    let replacements: Vec<(u64, u64, &str)> = replacements
        .expect("replacements")
        .iter()
        .map(|one| {
            let region = &one["deletedRegion"];
            (
                region["startLine"].as_u64().expect("a line"),
                region["endLine"].as_u64().expect("a line"),
                one["insertedContent"]["text"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    assert_eq!(
        replacements,
        [(3, 5, "2\n"), (6, 7, ""), (21, 21, "new\n+++ b/line\n")]
    );
}

#[test]
fn a_patch_that_deletes_a_file_is_no_fix() {
    let text =
        "diff --git a/x b/x\ndeleted file mode 100644\n--- a/x\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n";
    let patch = StoryPatch {
        role: PatchRole::Fix,
        path: String::new(),
        base: String::new(),
        text: Some(text.to_owned()),
        changes: Vec::new(),
    };
    assert_eq!(fix(&patch), None);
}

#[test]
fn lines_that_something_was_kept_of_are_numbered_as_people_do() {
    let part = |begin, end, gone| LineagePart { begin, end, gone };
    let lineage = Lineage {
        text: b"one\ntwo\nthree\nfour\n".to_vec(),
        parts: vec![
            part(0, 4, Some(0)),
            part(4, 6, None),
            part(6, 7, Some(1)),
            part(7, 10, None),
            part(10, 14, Some(0)),
            part(14, 15, None),
            part(15, 19, Some(0)),
        ],
        steps: 2,
    };
    assert_eq!(kept_lines(&lineage), [2, 3, 4]);
}

#[test]
fn text_of_strangers_is_no_link_and_every_step_has_a_place() {
    let text = evil().sarif();
    let log: Value = serde_json::from_str(&text).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 3);
    for result in results {
        let steps = &result["codeFlows"][0]["threadFlows"][0]["locations"];
        for step in steps.as_array().expect("a flow") {
            assert!(
                step["location"]["physicalLocation"]["region"]["startLine"].as_u64() >= Some(1)
            );
            assert!(step["location"]["message"]["text"].is_string());
        }
    }
    assert!(results[0]["fixes"][0]["artifactChanges"].is_array());
    assert_eq!(message("[a](javascript:b)")["text"], "[a]\\(javascript:b)");
    assert_eq!(uri("a b/%.c"), "a%20b/%25.c");
}

#[test]
fn each_step_of_a_chain_has_its_results() {
    let log: Value = serde_json::from_str(&chain().sarif()).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    let rules: Vec<&str> = results
        .iter()
        .map(|result| result["ruleId"].as_str().expect("a rule"))
        .collect();
    assert_eq!(
        rules,
        [
            "yester/changes",
            "yester/explain",
            "yester/explain",
            "yester/explain",
            "yester/reduce",
        ]
    );
    let input = &results[4]["locations"][0]["physicalLocation"];
    assert_eq!(input["artifactLocation"]["uri"], "in.txt");
    assert_eq!(input["region"]["startLine"], 2);
    // Values are in the messages of the steps: that is what viewers show.
    let flow = &results[1]["codeFlows"][0]["threadFlows"][0]["locations"];
    let told: Vec<&str> = flow
        .as_array()
        .expect("steps")
        .iter()
        .map(|step| step["location"]["message"]["text"].as_str().expect("text"))
        .collect();
    assert_eq!(told, ["reads it", "old version: true, new version: false"]);
}
