//! A run as SARIF 2.1.0, for code scanning and editors.
//!
//! Every place is a result of its own, with a code flow from the input to the output where that is
//! known: viewers show code flows, and most of them no related locations. A culprit is a result at
//! its lines, with the repairing patch as its fix.

mod fix;
#[cfg(test)]
mod test;

use serde_json::{Value, json};

use self::fix::fix;
use crate::{Dossier, Lineage, PatchRole, RunState, Story, StoryPatch, StoryPlace, visible};

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

impl Dossier {
    /// The run as SARIF.
    pub fn sarif(&self) -> String {
        let mut results = Vec::new();
        story_results(&mut results, &self.command, &self.story);
        for step in &self.story.steps {
            story_results(&mut results, &step.command, &step.story);
        }
        let stories = std::iter::once(&self.story);
        let steps = self.story.steps.iter().map(|step| &step.story);
        results.extend(
            stories
                .chain(steps)
                .filter_map(|story| self.input_result(story)),
        );
        let mut commands: Vec<&str> = results
            .iter()
            .filter_map(|result| result["ruleId"].as_str())
            .collect();
        commands.sort_unstable();
        commands.dedup();
        let rules: Vec<Value> = commands.into_iter().map(rule).collect();
        let mut invocation = json!({
            "executionSuccessful": self.state == RunState::Found,
            "exitCodeDescription": self.state.word(),
        });
        if !self.call.is_empty() {
            invocation["commandLine"] = json!(safe(&self.call));
        }
        if self.state != RunState::Found {
            let notification = json!({ "level": "warning", "message": message(&self.headline()) });
            invocation["toolExecutionNotifications"] = json!([notification]);
        }
        let log = json!({
            "$schema": SCHEMA,
            "version": "2.1.0",
            "runs": [{
                "tool": { "driver": { "name": "yester", "version": self.yester, "rules": rules } },
                "invocations": [invocation],
                "columnKind": "unicodeCodePoints",
                "results": results,
            }],
        });
        let mut text = serde_json::to_string_pretty(&log).expect("plain data");
        text.push('\n');
        text
    }

    /// What is left of an input, at the first of its lines that something was kept of.
    fn input_result(&self, story: &Story) -> Option<Value> {
        let input = story.input.as_ref()?;
        let lines = self.lineage.as_ref().map(kept_lines).unwrap_or_default();
        let region = |line: u64| json!({ "startLine": line });
        let (path, lines) = match lines.first() {
            Some(_) if !input.original.is_empty() => (&input.original, lines),
            _ => (&input.path, vec![1]),
        };
        let steps = lines.iter().take(MOST_STEPS).map(|line| {
            let told = format!("a part of line {line} was kept");
            json!({ "location": location(path, region(*line), Some(&told)) })
        });
        let flow = json!([{ "threadFlows": [{ "locations": steps.collect::<Vec<_>>() }] }]);
        let mut sentences = vec![story.headline.clone()];
        sentences.extend(story.proofs.iter().cloned());
        Some(json!({
            "ruleId": "yester/reduce",
            "level": "error",
            "message": message(&sentences.join("\n")),
            "locations": [location(path, region(lines[0]), None)],
            "codeFlows": flow,
        }))
    }
}

/// A code flow is to be read.
const MOST_STEPS: usize = 100;

/// The numbers of the lines that something was kept of.
fn kept_lines(lineage: &Lineage) -> Vec<u64> {
    let mut lines = Vec::new();
    let (mut line, mut at) = (1, 0);
    for part in lineage.parts.iter().filter(|part| part.gone.is_none()) {
        let breaks = |text: &[u8]| text.iter().filter(|byte| **byte == b'\n').count() as u64;
        line += breaks(&lineage.text[at..part.begin]);
        let last = line + breaks(&lineage.text[part.begin..part.end - 1]);
        lines.extend(
            (line..=last)
                .filter(|line| lines.last() != Some(line))
                .collect::<Vec<_>>(),
        );
        (line, at) = (last, part.end - 1);
    }
    lines
}

/// A rule for each command: what its results mean.
fn rule(id: &str) -> Value {
    let meaning = match id {
        "yester/reduce" => "The part of an input that makes a program fail",
        "yester/changes" => "The changes between two versions that broke the program",
        "yester/history" => "The commit that broke a test, and the fix",
        "yester/explain" => "Where two versions of a program begin to differ",
        "yester/flip" => "An intervention that makes a failing run pass",
        _ => "A branch that a run took",
    };
    json!({
        "id": id,
        "name": id.rsplit('/').next(),
        "shortDescription": { "text": meaning },
    })
}

/// The results of one command.
fn story_results(results: &mut Vec<Value>, command: &str, story: &Story) {
    let rule = format!("yester/{command}");
    let fixes: Vec<Value> = story.patches.iter().filter_map(fix).collect();
    for patch in story
        .patches
        .iter()
        .filter(|patch| patch.role == PatchRole::Culprit)
    {
        if let Some(result) = culprit(&rule, story, patch, &fixes) {
            results.push(result);
        }
    }
    for (rank, place) in story.places.iter().enumerate() {
        results.push(place_result(&rule, rank, place));
    }
}

fn culprit(rule: &str, story: &Story, patch: &StoryPatch, fixes: &[Value]) -> Option<Value> {
    let changes = patch.changes.iter().map(|change| {
        let commit = change.commit.and_then(|index| story.commits.get(index));
        let mut told = change.what.clone();
        match change.is_cause {
            Some(true) => told.push_str(", the cause"),
            Some(false) => told.push_str(", a prerequisite"),
            None => {}
        }
        if let Some(commit) = commit {
            told = format!(
                "{told} ({} {})",
                &commit.id[..commit.id.len().min(10)],
                commit.subject
            );
        }
        let region = json!({ "startLine": change.shown_line().max(1) });
        location(&change.file, region, Some(&told))
    });
    let locations: Vec<Value> = changes.collect();
    let first = locations.first()?.clone();
    let steps = locations.iter().take(MOST_STEPS);
    let steps: Vec<Value> = steps
        .map(|location| json!({ "location": location }))
        .collect();
    let mut sentences = vec![story.headline.clone()];
    sentences.extend(story.proofs.iter().cloned());
    let mut result = json!({
        "ruleId": rule,
        "level": "error",
        "message": message(&sentences.join("\n")),
        "locations": [first],
        "codeFlows": [{ "threadFlows": [{ "locations": steps }] }],
    });
    if !fixes.is_empty() {
        result["fixes"] = json!(fixes);
    }
    Some(result)
}

fn place_result(rule: &str, rank: usize, place: &StoryPlace) -> Value {
    let mut sentences = vec![place.title.clone()];
    let more = std::iter::once(&place.seen).chain(&place.notes);
    sentences.extend(more.filter(|one| !one.is_empty()).cloned());
    if !place.version.is_empty() {
        sentences.push(format!("in the {} version", place.version));
    }
    let mut region = json!({ "startLine": place.shown_line().max(1) });
    if place.column > 0 {
        region["startColumn"] = json!(place.column);
    }
    if !place.source.is_empty() {
        region["snippet"] = json!({ "text": safe(&place.source) });
    }
    let mut own = location(&place.file, region, None);
    if !place.function.is_empty() {
        own["logicalLocations"] = json!([{ "name": safe(&place.function), "kind": "function" }]);
    }
    let values: Vec<String> = place
        .values
        .iter()
        .map(|value| format!("{}: {}", value.run, value.value))
        .collect();
    let told = match (place.seen.as_str(), &values[..]) {
        ("", []) => place.title.clone(),
        ("", values) => values.join(", "),
        (seen, _) => seen.to_owned(),
    };
    let mut here = own.clone();
    here["message"] = message(&told);
    let step = |step: &crate::PlaceStep| {
        let region = json!({ "startLine": step.line.max(1) });
        json!({ "location": location(&step.file, region, Some(&step.what)) })
    };
    let before = place.steps.iter().filter(|one| one.is_before).map(step);
    let after = place.steps.iter().filter(|one| !one.is_before).map(step);
    let here = std::iter::once(json!({ "location": here, "importance": "essential" }));
    let flow: Vec<Value> = before.chain(here).chain(after).collect();
    json!({
        "ruleId": rule,
        "level": if rank == 0 { "error" } else { "warning" },
        "message": message(&sentences.join("\n")),
        "locations": [own],
        "codeFlows": [{ "threadFlows": [{ "locations": flow }] }],
    })
}

fn location(file: &str, region: Value, told: Option<&str>) -> Value {
    let mut location = json!({
        "physicalLocation": { "artifactLocation": { "uri": uri(file) }, "region": region },
    });
    if let Some(told) = told {
        location["message"] = message(told);
    }
    location
}

fn message(text: &str) -> Value {
    // A message may have links, which look like this.
    json!({ "text": safe(text).replace("](", "]\\(") })
}

fn safe(text: &str) -> String {
    visible(text).into_owned()
}

/// A path as a URI: relative ones are below the root of the sources.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    }
    let path = path.strip_prefix("./").unwrap_or(path);
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(byte as char);
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
