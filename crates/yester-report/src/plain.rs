//! A run as text for a terminal.

use crate::{Dossier, RunState, Sheet, count, seconds};

impl Dossier {
    /// The report that the run has printed, or what there is instead of one.
    pub fn plain(&self) -> String {
        if !self.text.is_empty() {
            return self.text.clone();
        }
        let mut sheet = Sheet::default();
        sheet.line(format!("{:<9}{}", self.state.word(), self.headline()));
        let mut line = |name: &str, value: &str| {
            if !value.is_empty() {
                sheet.line(format!("{name:<9}{value}"));
            }
        };
        line("call", &self.call);
        let mut took = count(self.trials.len() as u64, "trial");
        if self.seconds > 0.0 {
            took = format!("{took}, {}", seconds(self.seconds));
        }
        line("took", &took);
        for doubt in &self.story.doubts {
            line("note", doubt);
        }
        if self.state != RunState::Running {
            line("resume", self.resume.as_deref().unwrap_or_default());
        }
        if let Some(input) = &self.story.input {
            line("best", &input.path);
        }
        for step in &self.story.steps {
            line(&step.command, &step.story.headline);
        }
        sheet.finish()
    }
}
