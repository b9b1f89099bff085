use serde::{Serialize, Serializer};

use crate::{
    CommitRole, PatchRole, Report, Sheet, Status, Story, StoryCommit, StoryInput, StoryPatch,
    StoryPlace, StoryStep, count, grouped, percent, seconds,
};

/// The report of `yester why`.
pub type WhyReport = Report<WhyResult>;

/// The code of a test that does not fail.
const PASSES: &str = "not_failing";

/// What the steps have found, one after the other.
#[derive(Clone, Debug, Default, Serialize)]
pub struct WhyResult {
    /// The version that passes, in the user's words. Nothing if none is known.
    pub good: Option<String>,
    /// The version that fails.
    pub bad: String,
    /// What was called, in order; with `--steps`, what would be.
    pub steps: Vec<WhyStep>,
    /// Whether nothing was called, since only the steps were asked for.
    pub is_plan: bool,
    /// The commit that broke it.
    pub commit: Option<StoryCommit>,
    /// The patch that breaks the version that passes.
    pub culprit_patch: Option<String>,
    /// The patch that makes the version that fails pass.
    pub fix_patch: Option<String>,
    /// The smaller input.
    #[serde(serialize_with = "without_text")]
    pub input: Option<StoryInput>,
    /// Whether the smaller input passes without the culprit, in every run that checked it.
    pub input_passes_without: Option<bool>,
    /// The branch or value that is to blame.
    pub place: Option<WhyPlace>,
}

/// One call of another command.
#[derive(Clone, Debug, Default, Serialize)]
pub struct WhyStep {
    /// The command.
    pub command: String,
    /// Why it was called, or why not.
    pub why: String,
    /// Its words, quoted for a shell. Empty if it was not called.
    pub call: String,
    /// How it ended. Nothing if it was not called.
    pub status: Option<Status>,
    /// What it has found, or why it has found nothing.
    pub headline: String,
    /// How many runs it took.
    pub trials: u64,
    /// How long it took.
    pub seconds: f64,
    /// The directory of its run.
    pub run: Option<String>,
    /// What every format tells of it.
    #[serde(skip)]
    pub story: Story,
}

/// The place that is to blame.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WhyPlace {
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The line in the version that was looked into, where that is another one.
    #[serde(skip)]
    pub there: Option<u32>,
    /// The column.
    pub column: u32,
    /// The function, if it is known.
    pub function: String,
    /// What it means, in a few words.
    pub title: String,
    /// What was seen there.
    pub seen: String,
    /// Whether the culprit changes this line.
    pub is_changed: bool,
}

impl WhyResult {
    /// The answer in a sentence for each of its parts.
    fn headline(&self) -> String {
        let mut sentences = Vec::new();
        let blame = self.steps.iter().find(|step| {
            step.is_answer() && ["changes", "history"].contains(&step.command.as_str())
        });
        sentences.extend(blame.map(|step| step.story.headline.clone()));
        if let Some(input) = &self.input {
            sentences.push(format!(
                "{} of {} bytes of the input show it",
                grouped(input.bytes),
                grouped(input.original_bytes)
            ));
        }
        if let Some(place) = &self.place {
            let place = place.name();
            sentences.push(format!("the place to look at is {place}"));
        }
        if sentences.is_empty() {
            return "nothing was found".to_owned();
        }
        sentences.join("; ")
    }

    fn patch(&self, role: PatchRole) -> Option<&StoryPatch> {
        let patches = self.steps.iter().flat_map(|step| &step.story.patches);
        patches.into_iter().find(|patch| patch.role == role)
    }

    /// Takes what the answer needs from what the steps tell.
    pub fn gather(&mut self, changed: &dyn Fn(&StoryPlace) -> bool) {
        let stories = || self.steps.iter().map(|step| &step.story);
        self.commit = stories()
            .flat_map(|story| &story.commits)
            .find(|commit| commit.role == CommitRole::Culprit)
            .cloned();
        self.input = stories().find_map(|story| story.input.clone());
        let mut places = stories().flat_map(|story| story.places.first());
        self.place = places.next().map(|place| WhyPlace {
            file: place.file.clone(),
            line: place.shown_line(),
            there: place.here.map(|_| place.line),
            column: place.column,
            function: place.function.clone(),
            title: place.title.clone(),
            seen: place.seen.clone(),
            is_changed: changed(place),
        });
        let path = |role| self.patch(role).map(|patch| patch.path.clone());
        (self.culprit_patch, self.fix_patch) = (path(PatchRole::Culprit), path(PatchRole::Fix));
    }
}

impl WhyPlace {
    /// File, line and function.
    fn name(&self) -> String {
        let WhyPlace {
            file,
            line,
            function,
            ..
        } = self;
        let there = match self.there {
            Some(there) if there != *line => format!(" (line {there} of the culprit)"),
            _ => String::new(),
        };
        if function.is_empty() {
            format!("{file}:{line}{there}")
        } else {
            format!("{file}:{line} in {function}{there}")
        }
    }
}

impl WhyStep {
    /// Whether it has found something, or the best so far.
    pub fn is_answer(&self) -> bool {
        let has_best = matches!(
            self.status,
            Some(Status::Found | Status::Unproved | Status::Limit | Status::Interrupted)
        );
        has_best && self.story != Story::default()
    }

    /// Whether it was called and has not come to its end.
    pub fn is_cut_short(&self) -> bool {
        matches!(self.status, Some(Status::Limit | Status::Interrupted))
    }
}

impl WhyReport {
    /// The answer in ten lines, from the commit to the branch.
    pub fn text(&self) -> String {
        let Some(result) = &self.result else {
            return String::new();
        };
        let mut sheet = Sheet::default();
        if result.is_plan {
            for (index, step) in result.steps.iter().enumerate() {
                sheet.line(format!("{}. {:<9}{}", index + 1, step.command, step.why));
                if !step.call.is_empty() {
                    sheet.line(format!("            {}", step.call));
                }
            }
            return sheet.finish();
        }
        if !result.steps.iter().any(WhyStep::is_answer) {
            // A test that passes is an error, which says it all.
            let is_failing = self.error.as_ref().is_none_or(|error| error.code != PASSES);
            if is_failing {
                tell_missing(result, &mut sheet);
            }
            return sheet.finish();
        }
        let test = self.input.as_ref().map_or("", |input| &input.test);
        let passes = match &result.good {
            Some(good) => format!("passes at {good} and fails at {}", result.bad),
            None => format!("fails at {}", result.bad),
        };
        sheet.line(format!("why      {test} {passes}"));
        self.tell_commit(result, &mut sheet);
        self.tell_input(result, &mut sheet);
        self.tell_place(result, &mut sheet);
        tell_missing(result, &mut sheet);
        let cut = result.steps.iter().filter(|step| step.is_cut_short());
        let cut: Vec<&str> = cut.map(|step| step.command.as_str()).collect();
        let so_far = if cut.is_empty() {
            String::new()
        } else {
            format!(", {} cut short", cut.join(" and "))
        };
        let steps = result.steps.iter().filter(|step| step.status.is_some());
        sheet.line(format!(
            "took     {} in {}, {}{so_far}",
            count(self.trials.run, "trial"),
            count(steps.count() as u64, "step"),
            seconds(self.seconds),
        ));
        if !self.next.is_empty() {
            sheet.line(format!("next     {}", self.next));
        }
        self.tell_page(&mut sheet);
        sheet.finish()
    }

    fn tell_commit(&self, result: &WhyResult, sheet: &mut Sheet) {
        if let Some(commit) = &result.commit {
            let StoryCommit {
                id,
                author,
                date,
                subject,
                ..
            } = commit;
            let id = &id[..id.len().min(10)];
            sheet.line(format!("commit   {id} {date} {author}: {subject}"));
        }
        if let Some(culprit) = result.patch(PatchRole::Culprit) {
            let mut places: Vec<String> = Vec::new();
            for change in &culprit.changes {
                places.push(format!("{}:{}", change.file, change.shown_line()));
            }
            let more = match places.len().saturating_sub(3) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            places.truncate(3);
            let fix = match &result.fix_patch {
                Some(fix) => format!(", {fix} fixes {}", result.bad),
                None => String::new(),
            };
            sheet.line(format!(
                "lines    {}{more}: {} breaks {}{fix}",
                places.join(", "),
                culprit.path,
                culprit.base,
            ));
        } else if let Some(step) = result.steps.iter().find(|step| step.is_answer())
            && result.commit.is_none()
        {
            sheet.line(format!("{:<9}{}", step.command, step.headline));
        }
    }

    fn tell_input(&self, result: &WhyResult, sheet: &mut Sheet) {
        let Some(input) = &result.input else { return };
        let gone = input.original_bytes.saturating_sub(input.bytes);
        let without = match result.input_passes_without {
            Some(true) => "; it still passes without the culprit",
            _ => "",
        };
        sheet.line(format!(
            "input    {}: {} of {} bytes ({} removed){without}",
            input.path,
            grouped(input.bytes),
            grouped(input.original_bytes),
            percent(gone, input.original_bytes),
        ));
    }

    fn tell_place(&self, result: &WhyResult, sheet: &mut Sheet) {
        let Some(place) = &result.place else { return };
        // Explain says so itself.
        let is_told = place.title.contains("changed line");
        let changed = if place.is_changed && !is_told {
            ", which the culprit changes"
        } else {
            ""
        };
        sheet.line(format!(
            "place    {}{changed}: {}",
            place.name(),
            place.title
        ));
        if !place.seen.is_empty() {
            sheet.line(format!("         {}", place.seen));
        }
    }

    /// What every format tells of it.
    pub fn story(&self) -> Story {
        let Some(result) = &self.result else {
            return Story::default();
        };
        let missing = result.steps.iter().filter(|step| !step.is_answer());
        let missing = missing.map(|step| format!("{}: {}", step.command, step.headline));
        let so_far = match self.status {
            Status::Found | Status::Unproved => Vec::new(),
            _ => vec!["not all steps have come to their end".to_owned()],
        };
        let answers = result.steps.iter().filter(|step| step.is_answer());
        Story {
            headline: match &self.error {
                // A test that passes is nothing to debug, and that is all there is to say.
                Some(error) if error.code == PASSES => error.message.clone(),
                _ => result.headline(),
            },
            proofs: match (result.input_passes_without, &result.input) {
                (Some(true), Some(input)) => vec![format!(
                    "{} fails with the culprit and passes without it",
                    input.path
                )],
                _ => Vec::new(),
            },
            doubts: so_far.into_iter().chain(missing).collect(),
            steps: answers
                .map(|step| StoryStep {
                    command: step.command.clone(),
                    why: step.why.clone(),
                    story: step.story.clone(),
                })
                .collect(),
            ..Story::default()
        }
    }
}

/// The steps that have found nothing, and why.
fn tell_missing(result: &WhyResult, sheet: &mut Sheet) {
    let steps = result.steps.iter();
    for step in steps.filter(|step| !step.is_answer()) {
        sheet.line(format!("{:<9}no: {}", step.command, step.headline));
    }
}

/// The text of an input is in the report of the step that has found it.
fn without_text<S: Serializer>(
    input: &Option<StoryInput>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    #[derive(Serialize)]
    struct Input<'a> {
        path: &'a str,
        bytes: u64,
        original_bytes: u64,
    }
    let input = input.as_ref().map(|input| Input {
        path: &input.path,
        bytes: input.bytes,
        original_bytes: input.original_bytes,
    });
    input.serialize(serializer)
}
