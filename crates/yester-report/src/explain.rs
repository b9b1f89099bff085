use std::collections::BTreeSet;
use std::ops::Deref;

use serde::Serialize;

use crate::changed_source::ChangedSource;
use crate::excerpt::{Excerpt, span};
use crate::sheet::Sheet;
use crate::{Lost, Place, Report, SourceText, Spot, count, seconds, visible_line};

/// The report of `yester explain`.
pub type ExplainReport = Report<ExplainResult>;

/// Why two versions differ on one input.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ExplainResult {
    /// The versions in the user's words, the old one first.
    #[serde(skip)]
    pub words: [String; 2],
    /// The places that make them differ, the best first.
    pub places: Vec<ExplainPlace>,
    /// The input that the first place was found by, if it was found by one.
    pub alternate_input: Option<AlternateInput>,
    /// All alternate inputs that keep the path of one version and leave that of the other, the best first.
    pub alternates: Vec<AlternateInput>,
    /// How the first place was found: `new`, by inputs that only the new version treats differently; `old`, by inputs that only the
    /// old version does; `predicates`, the same with comparisons of variables; `values`, by what the versions assign; `none`.
    pub method: &'static str,
    /// What the old version does on the input.
    pub old: ShownBehaviour,
    /// What the new version does.
    pub new: ShownBehaviour,
    /// Where a version that crashes did its last step.
    pub crashes: Vec<CrashPlace>,
    /// What was not followed. A difference that goes through it is seen only in what both versions do.
    pub lost: Vec<Lost>,
    /// Reasons to look twice.
    pub notes: Vec<String>,
    /// The files that the places are in.
    #[serde(skip)]
    pub sources: Vec<SourceText>,
}

/// A place that makes the versions differ.
///
/// It is a `branch`, a `value` that is assigned, passed or returned, a `call` that only one version makes, or the `definition` of a
/// macro or table that has changed and that the place before it uses. What it was is on your input for a branch that an alternate
/// input turns, in the old version otherwise; what it becomes is on the alternate input, or in the new version. The evidence is
/// `alternate` for a branch that goes another way on an alternate input, `versions` for what differs between the versions on your
/// input, and `intervention` for one that makes the new version do what the old one does.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainPlace {
    /// The version that it is in: `old` or `new`.
    pub version: &'static str,
    /// Where, and what differs.
    #[serde(flatten)]
    pub place: Place,
    /// The number of the alternate input, from 0, if the evidence is one.
    pub alternate: Option<usize>,
    /// Whether the line is among the changed ones.
    pub changed: bool,
    /// The corresponding line in the other version, if there is one.
    pub other_line: Option<u32>,
    /// The text of that line, if it is another one.
    #[serde(skip)]
    pub other_source: Option<String>,
}

/// The last step that a run did before a signal killed it.
#[derive(Clone, Debug, Serialize)]
pub struct CrashPlace {
    /// The version: `old` or `new`.
    pub version: &'static str,
    /// Where it was. The crash is there or a little later.
    #[serde(flatten)]
    pub spot: Spot,
    /// How the run ended.
    pub ending: String,
}

impl Deref for CrashPlace {
    type Target = Spot;

    fn deref(&self) -> &Spot {
        &self.spot
    }
}

/// An input that was made.
#[derive(Clone, Debug, Default, Serialize)]
pub struct AlternateInput {
    /// The parts of the input that differ from yours.
    pub changes: Vec<ChangedSource>,
    /// How many bytes differ.
    pub bytes: usize,
    /// The version whose path it leaves: `old` or `new`.
    pub leaves: &'static str,
    /// The version whose path it keeps, if it keeps one.
    pub keeps: Option<&'static str>,
    /// How many branches that version evaluates differently.
    pub branches: usize,
    /// Whether both versions do the same on it.
    pub agrees: bool,
    /// What the old version does on it.
    pub old: ShownBehaviour,
    /// What the new version does.
    pub new: ShownBehaviour,
    /// Where it was written.
    pub file: Option<String>,
}

/// What a run shows to the outside.
#[derive(Clone, Debug, Default, Serialize)]
pub struct ShownBehaviour {
    /// How it ended.
    pub ending: String,
    /// The beginning and the end of what it printed.
    pub stdout: String,
    /// The same of its standard error.
    pub stderr: String,
    /// Whether that is all of it.
    pub whole: bool,
}

impl ShownBehaviour {
    /// All of it in one line.
    pub(crate) fn short(&self) -> String {
        let text = match (self.stdout.is_empty(), self.stderr.is_empty()) {
            (true, true) => "nothing".to_owned(),
            (false, _) => quoted(&self.stdout),
            (true, false) => format!("{} on its standard error", quoted(&self.stderr)),
        };
        format!("prints {text}, {}", self.ending)
    }
}

/// The longest text that is shown in one line.
const WIDEST: usize = 60;

/// A text in quotes, in one line, cut where it is long.
fn quoted(text: &str) -> String {
    let shown: String = text.chars().take(WIDEST).collect();
    let cut = if shown.len() < text.len() { "…" } else { "" };
    format!("{shown:?}{cut}")
}

impl ExplainReport {
    /// The report as text.
    pub fn text(&self) -> String {
        let Some(result) = &self.result else {
            return String::new();
        };
        let mut sheet = Sheet::default();
        sheet.line(format!(
            "old      {} {}",
            result.words[0],
            result.old.short()
        ));
        sheet.line(format!(
            "new      {} {}",
            result.words[1],
            result.new.short()
        ));
        if result.old.whole
            && result.new.whole
            && let Some(difference) = first_difference(&result.old.stdout, &result.new.stdout)
        {
            sheet.line(format!("differ   {difference}"));
        }
        for crash in &result.crashes {
            let source = crash.text().trim();
            sheet.line(format!(
                "crash    {}:{} in {}: the last step of the {} version before {}: {source}",
                crash.file, crash.line, crash.function, crash.version, crash.ending
            ));
        }
        for lost in &result.lost {
            let place = match lost.place.as_str() {
                "" => String::new(),
                place => format!(" ({place})"),
            };
            sheet.line(format!("lost     {}{place}", lost.what));
        }
        for note in &result.notes {
            sheet.line(format!("note     {note}"));
        }
        if result.places.is_empty() {
            sheet.line("no place was found; --by interventions tries which single change to the run makes the new version do what the old one does");
        }
        let mut text = sheet.finish();
        for (index, place) in result.places.iter().enumerate() {
            text.push('\n');
            text.push_str(&place.text(index + 1));
        }
        let mut sheet = Sheet::default();
        let named: BTreeSet<usize> = result
            .places
            .iter()
            .filter_map(|one| one.alternate)
            .collect();
        for index in &named {
            sheet.line("");
            result.alternates[*index].lines(index + 1, &mut sheet);
        }
        if result.alternates.len() > named.len() {
            let more = result.alternates.len() - named.len();
            sheet.line("");
            let more = count(more as u64, "more alternate input");
            sheet.line(format!("{more}; --json has them"));
        }
        sheet.line("");
        sheet.line(format!(
            "took     {}, {}",
            count(self.trials.run, "run"),
            seconds(self.seconds)
        ));
        if !self.next.is_empty() {
            sheet.line(format!("next     {}", self.next));
        }
        self.tell_page(&mut sheet);
        text.push_str(&sheet.finish());
        text
    }
}

/// The first line that differs, if one does and there is more than one.
fn first_difference(old: &str, new: &str) -> Option<String> {
    if old.lines().count().max(new.lines().count()) < 2 {
        return None;
    }
    let (mut old, mut new) = (old.lines(), new.lines());
    for number in 1.. {
        match (old.next(), new.next()) {
            (None, None) => return None,
            (one, other) if one == other => {}
            (one, other) => {
                let shown = |line: Option<&str>| line.map_or("nothing".to_owned(), quoted);
                return Some(format!(
                    "first in line {number}: {} became {}",
                    shown(one),
                    shown(other)
                ));
            }
        }
    }
    None
}

impl Deref for ExplainPlace {
    type Target = Place;

    fn deref(&self) -> &Place {
        &self.place
    }
}

impl ExplainPlace {
    /// Whether only one version does anything there.
    fn is_alone(&self) -> bool {
        [&self.was, &self.becomes]
            .iter()
            .any(|one| one.starts_with("not done"))
    }

    /// What it means, in a few words.
    pub(crate) fn title(&self) -> String {
        let what = match (self.kind, self.evidence) {
            _ if self.is_alone() => "only one version does this at this point",
            (_, "intervention") => {
                "an intervention here makes the new version do what the old one does"
            }
            ("branch", "alternate") => "this branch decides",
            ("value", "alternate") => "this comparison decides",
            ("branch", _) => "this branch goes another way",
            ("definition", _) => "this is used there and has changed",
            ("line", _) => "what differs depends on this",
            _ => "this value differs",
        };
        let changed = if self.changed {
            ", in a changed line"
        } else {
            ""
        };
        visible_line(&format!("{what}{changed}")).into_owned()
    }

    fn text(&self, number: usize) -> String {
        self.excerpt().numbered(number).text()
    }

    /// The line of the source with what is to be said about it.
    pub(crate) fn excerpt(&self) -> Excerpt<'_> {
        let is_alone = self.is_alone();
        let label = match self.evidence {
            "alternate" => format!(
                "{}{} on your input, {} on alternate input {}",
                self.named(),
                self.was,
                self.becomes,
                self.alternate.unwrap_or_default() + 1
            ),
            "intervention" => format!("{}{}, changed to {}", self.named(), self.was, self.becomes),
            _ if is_alone => format!(
                "{} in the old version, {} in the new one",
                self.was, self.becomes
            ),
            _ if matches!(self.kind, "definition" | "line") => format!("was {}", self.was),
            _ => format!(
                "{}{} in the old version{}, {} in the new one",
                self.named(),
                self.was,
                self.elsewhere(),
                self.becomes
            ),
        };
        let source = self.place.text();
        Excerpt {
            title: self.title(),
            label,
            source,
            file: &self.file,
            line: self.line,
            span: span(source, self.column, self.kind),
            notes: vec![format!("{}{}", self.whereabouts(), self.missing_at())],
        }
    }

    fn whereabouts(&self) -> String {
        match self.function.as_str() {
            "" => format!("in the {} version", self.version),
            function => format!("in {function}, in the {} version", self.version),
        }
    }

    /// Where the new version does not have what only the old one does.
    fn missing_at(&self) -> String {
        match self.other_line {
            Some(line) if self.is_alone() && self.version == "old" && self.changed => {
                format!("; the new one has line {line} there")
            }
            Some(line) if self.is_alone() && self.version == "old" => {
                format!("; it is line {line} of the new one")
            }
            _ => String::new(),
        }
    }

    /// What the other version has there, if that is something else.
    fn elsewhere(&self) -> String {
        match (self.other_line, &self.other_source) {
            (Some(line), Some(text)) => format!(" (line {line}: {})", text.trim()),
            _ => String::new(),
        }
    }

    fn named(&self) -> String {
        match self.name.as_str() {
            "" => String::new(),
            name => format!("{name} is "),
        }
    }
}

impl AlternateInput {
    fn lines(&self, number: usize, sheet: &mut Sheet) {
        let differs = count(self.bytes as u64, "byte");
        sheet.line(format!(
            "alternate input {number}: differs from yours in {differs}; {}",
            match self.keeps {
                Some(kept) => format!(
                    "the {kept} version takes the same path as on yours, the {} one another",
                    self.leaves
                ),
                None => format!("the {} version takes another path", self.leaves),
            }
        ));
        for change in &self.changes {
            change.tell(["yours", "new"], sheet);
        }
        for effect in self.effects() {
            sheet.line(format!("  {effect}"));
        }
    }

    /// What the versions do on it.
    pub(crate) fn effects(&self) -> Vec<String> {
        if self.agrees {
            let both = self.old.short().replacen("prints", "print", 1);
            return vec![format!("both versions {both}")];
        }
        vec![
            format!("the old version {}", self.old.short()),
            format!("the new version {}", self.new.short()),
        ]
    }
}
