use super::source::around;
use super::{MadeInput, PlaceStep, Story, StoryPlace, StoryValue, sentences};
use crate::{FlipLink, FlipPlace, FlipReport, count, grouped, visible_line};

impl FlipReport {
    /// What every format tells of it.
    pub fn story(&self) -> Story {
        let Some(result) = &self.result else {
            return Story::default();
        };
        let is_passing = result.places.iter().any(|place| place.passes);
        let headline = match result.places.first() {
            Some(best) if is_passing => format!(
                "{}:{}: {}, {}",
                best.place.file,
                best.place.line,
                best.what(),
                best.effect(result.tests)
            ),
            Some(_) => "nothing makes the run pass, but more of its output can be right".to_owned(),
            None => "nothing that was tried makes the run pass".to_owned(),
        };
        let passing = result.places.iter().filter(|place| place.passes).count() as u64;
        let proofs = sentences([
            format!(
                "{} seen, each in a run of its own",
                count(passing, "passing intervention")
            ),
            if result.exhausted {
                "everything that there is to try was tried".to_owned()
            } else {
                String::new()
            },
        ]);
        let mut doubts = result.notes.clone();
        if result.left > 0 {
            doubts.push(format!(
                "{} were not tried",
                count(result.left, "intervention")
            ));
        }
        doubts.push(
            "which of these places is wrong is for you to say: each makes the run pass".to_owned(),
        );
        let places: Vec<StoryPlace> = result
            .places
            .iter()
            .map(|place| place.story(result.tests))
            .collect();
        Story {
            headline,
            sources: around(&result.sources, &places),
            proofs: if passing > 0 { proofs } else { Vec::new() },
            doubts,
            commands: super::changes::steps(&self.next),
            places,
            made_inputs: result
                .places
                .iter()
                .filter_map(FlipPlace::made_input)
                .collect(),
            ..Story::default()
        }
    }
}

impl FlipPlace {
    fn story(&self, tests: u64) -> StoryPlace {
        let excerpt = self.excerpt(tests);
        let dependences = self.dependences.iter();
        let steps = dependences.flat_map(|one| {
            let before = one.from_input.iter().map(|link| step(link, true));
            before.chain(one.to_output.iter().map(|link| step(link, false)))
        });
        StoryPlace {
            here: None,
            seen: excerpt.label,
            values: StoryValue::both(
                ("failing run", &self.was),
                (
                    if self.passes {
                        "passing run"
                    } else {
                        "better run"
                    },
                    &self.becomes,
                ),
            ),
            title: excerpt.title,
            steps: steps.collect(),
            notes: self.remarks(tests),
            span: excerpt.span,
            ..self.place.story()
        }
    }

    fn made_input(&self) -> Option<MadeInput> {
        let changes = self.input.as_ref()?;
        let shown = changes
            .iter()
            .map(|change| change.shown(["yours", "passes"]));
        Some(MadeInput {
            title: format!("{}:{}: {}", self.place.file, self.place.line, self.what()),
            difference: shown.collect::<Vec<_>>().join("\n"),
            effects: vec!["the run passes".to_owned()],
        })
    }
}

fn step(link: &FlipLink, is_before: bool) -> PlaceStep {
    let perhaps = if link.certain { "" } else { "perhaps " };
    let left_out = match link.left_out {
        0 => String::new(),
        left_out => format!(" ({} before it not shown)", grouped(left_out)),
    };
    PlaceStep {
        file: link.file.clone(),
        line: link.line,
        what: visible_line(&format!("{perhaps}{}{left_out}", link.does)).into_owned(),
        is_before,
    }
}
