//! What was found, as sections of the page: one for the answer, or one for each step that has led to it.

use askama::Template;

use super::{beside, chart, listing, safe};
use crate::story::{CommitRole, PatchRole, StoryInput, StoryPatch, StoryPlace};
use crate::{Dossier, Lineage, Story, grouped};

/// A section of the page.
pub(super) struct Section {
    pub id: String,
    pub name: String,
    pub html: String,
}

/// What speaks for an answer, and what against it.
#[derive(Template)]
#[template(path = "proofs.html")]
pub(super) struct Proofs {
    proofs: Vec<String>,
    doubts: Vec<String>,
}

impl Proofs {
    pub fn html(proofs: &[String], doubts: &[String]) -> String {
        let safe = |texts: &[String]| texts.iter().map(|text| safe(text)).collect();
        let proofs = Proofs {
            proofs: safe(proofs),
            doubts: safe(doubts),
        };
        proofs.render().expect("a list in memory")
    }
}

#[derive(Template)]
#[template(path = "story.html")]
struct StoryView {
    id: String,
    title: String,
    why: String,
    /// What the page does not say above already: of a step.
    headline: String,
    proofs: String,
    commits: Vec<CommitView>,
    patches: Vec<PatchView>,
    input: Option<InputView>,
    places: Vec<PlaceView>,
    sources: Vec<SourceView>,
    made_inputs: Vec<MadeView>,
    drawing: String,
}

struct CommitView {
    short: String,
    class: &'static str,
    role: &'static str,
    subject: String,
    author: String,
    date: String,
}

struct PatchView {
    class: &'static str,
    word: &'static str,
    path: String,
    purpose: String,
    changes: Vec<ChangeView>,
    listing: String,
}

struct ChangeView {
    place: String,
    what: String,
    role: &'static str,
    class: &'static str,
    commit: String,
}

struct InputView {
    path: String,
    size: String,
    listing: String,
    kept: String,
    original: String,
}

struct PlaceView {
    number: usize,
    /// The anchor of its line, if that is on the page.
    anchor: String,
    title: String,
    r#where: String,
    function: String,
    version: String,
    line: String,
    seen: String,
    values: Vec<ValueView>,
    /// The numbers of places with the same values.
    same: Vec<usize>,
    steps: Vec<StepView>,
    notes: Vec<String>,
}

struct SourceView {
    name: String,
    listing: String,
}

struct ValueView {
    run: String,
    value: String,
}

struct StepView {
    number: usize,
    class: &'static str,
    /// The anchor of its line, if that is on the page.
    anchor: String,
    r#where: String,
    what: String,
}

struct MadeView {
    title: String,
    difference: String,
    effects: Vec<String>,
}

/// The sections that tell what a run has found.
pub(super) fn sections(dossier: &Dossier) -> Vec<Section> {
    let story = &dossier.story;
    let mut sections = Vec::new();
    if !is_empty(story) {
        let view = view(story, "cause", "The cause", dossier.lineage.as_ref());
        sections.push(section(view, "Cause"));
    }
    for (index, step) in story.steps.iter().enumerate() {
        let name = capitalised(&step.command);
        // The same command may have had two parts in it.
        let id = format!("step{}", index + 1);
        let title = format!("Step {}: yester {}", index + 1, step.command);
        // The input that is reduced is that of one step, which shows where its parts were.
        let lineage = dossier.lineage.as_ref();
        let lineage = lineage.filter(|_| step.story.input.is_some() && story.input.is_none());
        let mut view = view(&step.story, &id, &safe(&title), lineage);
        view.why = safe(&step.why);
        view.headline = safe(&step.story.headline);
        view.proofs = Proofs::html(&step.story.proofs, &step.story.doubts);
        sections.push(section(view, &safe(&name)));
    }
    sections
}

fn section(view: StoryView, name: &str) -> Section {
    Section {
        html: view.render().expect("a section in memory"),
        id: view.id,
        name: name.to_owned(),
    }
}

/// Whether there is nothing to show of it but its sentences.
fn is_empty(story: &Story) -> bool {
    story.input.is_none()
        && story.commits.is_empty()
        && story.sources.is_empty()
        && story.patches.is_empty()
        && story.places.is_empty()
        && story.made_inputs.is_empty()
        && story.patch_sizes.is_empty()
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

fn view(story: &Story, id: &str, title: &str, lineage: Option<&Lineage>) -> StoryView {
    let numbered = story.places.iter().enumerate();
    StoryView {
        id: id.to_owned(),
        title: title.to_owned(),
        why: String::new(),
        headline: String::new(),
        proofs: String::new(),
        commits: story
            .commits
            .iter()
            .map(|commit| CommitView {
                short: short(&commit.id),
                class: class_of(commit.role),
                role: commit.role.word(),
                subject: safe(&commit.subject),
                author: safe(&commit.author),
                date: safe(&commit.date),
            })
            .collect(),
        patches: story
            .patches
            .iter()
            .enumerate()
            .map(|(index, patch)| patch_view(index, patch, story, id))
            .collect(),
        input: story
            .input
            .as_ref()
            .map(|input| input_view(input, lineage, id)),
        places: numbered
            .map(|(index, place)| place_view(index, place, story, id))
            .collect(),
        sources: story
            .sources
            .iter()
            .map(|source| SourceView {
                name: safe(&source.name()),
                listing: listing::source(source, &story.places, id),
            })
            .collect(),
        made_inputs: story
            .made_inputs
            .iter()
            .map(|made| MadeView {
                title: safe(&made.title),
                difference: safe(&made.difference),
                effects: made.effects.iter().map(|effect| safe(effect)).collect(),
            })
            .collect(),
        drawing: chart::patch_sizes(&story.patch_sizes),
    }
}

pub(super) fn short(id: &str) -> String {
    // An id is a part of an anchor.
    let letters = id.chars().filter(char::is_ascii_alphanumeric);
    letters.take(10).collect()
}

fn class_of(role: CommitRole) -> &'static str {
    match role {
        CommitRole::Culprit | CommitRole::Bad => "culprit",
        CommitRole::Good => "good",
        CommitRole::Suspect | CommitRole::Skipped | CommitRole::Author | CommitRole::Merge => {
            "other"
        }
    }
}

fn patch_view(index: usize, patch: &StoryPatch, story: &Story, id: &str) -> PatchView {
    // One commit is named above, once.
    let mut commits: Vec<usize> = patch.changes.iter().filter_map(|one| one.commit).collect();
    commits.dedup();
    let changes = patch.changes.iter().map(|change| ChangeView {
        place: format!("{}:{}", safe(&change.file), change.line),
        what: safe(&change.what),
        role: match change.is_cause {
            Some(true) => "cause",
            Some(false) => "prerequisite",
            None => "",
        },
        class: if change.is_cause == Some(true) {
            "cause"
        } else {
            "needed"
        },
        commit: change
            .commit
            .filter(|_| commits.len() > 1)
            .and_then(|index| story.commits.get(index))
            .map(|commit| short(&commit.id))
            .unwrap_or_default(),
    });
    let base = match patch.base.as_str() {
        "" => String::new(),
        base => format!(" It applies to {}.", safe(base)),
    };
    PatchView {
        class: match patch.role {
            PatchRole::Culprit => "culprit",
            _ => "other",
        },
        word: patch.role.word(),
        path: safe(&patch.path),
        purpose: format!("This patch {}.{base}", patch.role.purpose()),
        changes: changes.collect(),
        listing: patch
            .text
            .as_deref()
            .map(|text| listing::patch(text, patch, &format!("{id}-patch{}", index + 1)))
            .unwrap_or_default(),
    }
}

fn input_view(input: &StoryInput, lineage: Option<&Lineage>, id: &str) -> InputView {
    let kept = lineage.map(|lineage| {
        format!(
            "{} of its {} bytes were kept as they are. They are marked.",
            grouped(lineage.kept() as u64),
            grouped(lineage.text.len() as u64)
        )
    });
    InputView {
        path: safe(&input.path),
        size: format!(
            "{} bytes of {}",
            grouped(input.bytes),
            grouped(input.original_bytes)
        ),
        listing: input
            .text
            .as_deref()
            .map(|text| listing::text(text, "the reduced input", &format!("{id}-left")))
            .unwrap_or_default(),
        kept: kept.unwrap_or_default(),
        original: lineage
            .map(|lineage| listing::original(lineage, &format!("{id}-in")))
            .unwrap_or_default(),
    }
}

fn place_view(index: usize, place: &StoryPlace, story: &Story, id: &str) -> PlaceView {
    let column = match place.column {
        0 => String::new(),
        column => format!(":{column}"),
    };
    let steps = place.steps.iter().zip(1..).map(|(step, number)| StepView {
        number,
        class: if step.is_before { "before" } else { "after" },
        anchor: story
            .sources
            .iter()
            .find(|source| source.has(&place.version, &step.file, step.line))
            .map(|source| listing::anchor(source, step.line, id))
            .unwrap_or_default(),
        r#where: safe(&format!("{}:{}", step.file, step.line)),
        what: safe(&step.what),
    });
    let own = story.sources.iter();
    let own = own.filter(|source| source.has(&place.version, &place.file, place.line));
    let values = place.values.iter().map(|value| ValueView {
        run: safe(&value.run),
        value: safe(&value.value),
    });
    PlaceView {
        number: index + 1,
        anchor: own
            .map(|source| listing::anchor(source, place.line, id))
            .next()
            .unwrap_or_default(),
        title: safe(&place.title),
        r#where: safe(&format!("{}:{}{column}", place.file, place.line)),
        function: safe(&place.function),
        version: safe(&place.version),
        line: listing::place(place),
        values: values.collect(),
        same: beside::with_same_values(index, &story.places),
        seen: safe(&place.seen),
        steps: steps.collect(),
        notes: place.notes.iter().map(|note| safe(note)).collect(),
    }
}
