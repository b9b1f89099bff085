use std::ops::Deref;

use serde::Serialize;

use crate::StoryPlace;
use crate::excerpt::span;

/// A line of the source, wherever a report names one.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Spot {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column.
    pub column: u32,
    /// The function.
    pub function: String,
    /// The text of the line, if it could be read.
    #[serde(skip)]
    pub source: Option<String>,
}

/// A place in the source with what was seen there, whichever command has found it.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Place {
    /// What is there: `branch`, `value`, `statement`, `operator`, `call`, `definition`, `line` or `crash`.
    pub kind: &'static str,
    /// Where it is.
    #[serde(flatten)]
    pub spot: Spot,
    /// The variable, the function that is called, or the operator, as far as it is known.
    pub name: String,
    /// What it was.
    pub was: String,
    /// What it becomes.
    pub becomes: String,
    /// How it was found.
    pub evidence: &'static str,
}

impl Deref for Place {
    type Target = Spot;

    fn deref(&self) -> &Spot {
        &self.spot
    }
}

impl Spot {
    /// The line of the source; nothing if it could not be read.
    pub(crate) fn text(&self) -> &str {
        self.source.as_deref().unwrap_or_default()
    }
}

impl Place {
    /// The same place with the column that an excerpt of it shows: a value is its whole statement.
    #[must_use]
    pub fn at_shown_column(mut self) -> Place {
        if self.kind != "operator" && !self.text().is_empty() {
            let (begin, _) = span(self.text(), self.column, self.kind);
            self.spot.column = begin as u32 + 1;
        }
        self
    }

    /// The same for every format, without what was seen.
    pub(crate) fn story(&self) -> StoryPlace {
        StoryPlace {
            here: None,
            file: self.file.clone(),
            line: self.line,
            column: self.column,
            function: self.function.clone(),
            evidence: self.evidence.to_owned(),
            source: self.text().to_owned(),
            ..StoryPlace::default()
        }
    }
}
