use super::source::around;
use super::{MadeInput, Story, StoryPlace, StoryValue, sentences};
use crate::{AlternateInput, ExplainPlace, ExplainReport, count};

impl ExplainReport {
    /// What every format tells of it.
    pub fn story(&self) -> Story {
        let Some(result) = &self.result else {
            return Story::default();
        };
        let headline = match result.places.first() {
            Some(best) => format!("{}:{}: {}", best.place.file, best.place.line, best.title()),
            None => "no place was found that makes the two versions differ".to_owned(),
        };
        let [old, new] = &result.words;
        let proofs = sentences([
            format!("{old} {}", result.old.short()),
            format!("{new} {}", result.new.short()),
        ]);
        let crashes = result.crashes.iter().map(|crash| {
            format!(
                "the last step of the {} version before {} is {}:{}",
                crash.version, crash.ending, crash.file, crash.line
            )
        });
        let lost = result
            .lost
            .iter()
            .map(|lost| format!("not followed: {} {}", lost.what, lost.place));
        let places: Vec<StoryPlace> = result.places.iter().map(ExplainPlace::story).collect();
        Story {
            headline,
            sources: around(&result.sources, &places),
            proofs,
            doubts: crashes
                .chain(lost)
                .chain(result.notes.iter().cloned())
                .collect(),
            places,
            made_inputs: result.alternates.iter().enumerate().map(made).collect(),
            ..Story::default()
        }
    }
}

impl ExplainPlace {
    fn story(&self) -> StoryPlace {
        let excerpt = self.excerpt();
        let alternate;
        let runs = match self.evidence {
            "alternate" => {
                alternate = format!("alternate input {}", self.alternate.unwrap_or_default() + 1);
                ["your input", &alternate]
            }
            "intervention" => ["new version", "with the intervention"],
            _ => ["old version", "new version"],
        };
        StoryPlace {
            here: None,
            values: StoryValue::both((runs[0], &self.was), (runs[1], &self.becomes)),
            title: excerpt.title,
            version: self.version.to_owned(),
            seen: excerpt.label,
            span: excerpt.span,
            ..self.place.story()
        }
    }
}

fn made((index, input): (usize, &AlternateInput)) -> MadeInput {
    let shown = input
        .changes
        .iter()
        .map(|change| change.shown(["yours", "new"]));
    MadeInput {
        title: format!(
            "alternate input {}: differs from yours in {}",
            index + 1,
            count(input.bytes as u64, "byte")
        ),
        difference: shown.collect::<Vec<_>>().join("\n"),
        effects: input.effects(),
    }
}
