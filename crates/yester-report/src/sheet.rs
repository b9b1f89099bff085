use crate::{visible, visible_line};

/// The text of a report. Every line stays one line, whatever it holds.
#[derive(Default)]
pub struct Sheet {
    text: String,
}

impl Sheet {
    /// Adds one line.
    pub fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str(&visible_line(line.as_ref()));
        self.text.push('\n');
    }

    /// Adds text that has lines of its own, and ends the last of them.
    pub(crate) fn block(&mut self, text: &str) {
        self.text.push_str(&visible(text));
        if !text.is_empty() && !text.ends_with('\n') {
            self.text.push('\n');
        }
    }

    /// All of it.
    pub fn finish(self) -> String {
        self.text
    }
}
