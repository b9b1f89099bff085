//! `--ask`: the user says whether a run is right.

use std::collections::HashMap;
use std::io;

use yester_core::Outcome;
use yester_path::{JudgedRun, ProgramInput};
use yester_run::Ending;

use crate::error::RecordError;
use crate::recorder::Seen;

/// So many lines of input and output are shown.
const MOST_LINES: usize = 20;
/// So many questions are asked. Who has answered that many wants to see what there is.
const MOST_QUESTIONS: usize = 20;

/// Shows a person a text that ends with a question. The answer, or nothing if nobody answers.
pub type AskPerson = fn(&str) -> io::Result<Option<String>>;

/// Asks the user.
pub struct Asker {
    ask: AskPerson,
    known: HashMap<(ProgramInput, Ending, String), Outcome>,
    asked: usize,
    /// There are no answers any more.
    is_over: bool,
}

impl Asker {
    /// Asks in this way.
    pub fn new(ask: AskPerson) -> Asker {
        Asker {
            ask,
            known: HashMap::new(),
            asked: 0,
            is_over: false,
        }
    }

    /// What the user says of a run.
    ///
    /// # Errors
    /// If the question cannot be shown.
    pub fn outcome(&mut self, run: &JudgedRun<'_, Seen>) -> Result<Outcome, RecordError> {
        let observation = run.observation;
        let key = (
            run.input.clone(),
            observation.ending.clone(),
            observation.stdout.digest.clone(),
        );
        if let Some(outcome) = self.known.get(&key) {
            return Ok(*outcome);
        }
        if self.is_over || self.asked == MOST_QUESTIONS {
            return Ok(Outcome::Unresolved);
        }
        self.asked += 1;
        let answer = self
            .answer(&question(run))
            .map_err(RecordError::io("ask"))?;
        self.is_over = answer.is_none();
        let outcome = answer.unwrap_or(Outcome::Unresolved);
        self.known.insert(key, outcome);
        Ok(outcome)
    }

    /// None if nobody answers.
    fn answer(&self, question: &str) -> io::Result<Option<Outcome>> {
        let mut text = question.to_owned();
        loop {
            text.push_str("is this right? [y]es, [n]o, [?] cannot tell: ");
            let Some(answer) = (self.ask)(&text)? else {
                return Ok(None);
            };
            match answer.as_str() {
                "y" | "yes" => return Ok(Some(Outcome::Pass)),
                "n" | "no" => return Ok(Some(Outcome::Fail)),
                "?" => return Ok(Some(Outcome::Unresolved)),
                _ => text.clear(),
            }
        }
    }
}

fn question(run: &JudgedRun<'_, Seen>) -> String {
    let mut text = String::from("\n");
    let arguments = run.input.arguments.iter();
    let arguments: Vec<_> = arguments.map(|one| one.to_string_lossy()).collect();
    if !arguments.is_empty() {
        text.push_str(&format!("arguments: {}\n", arguments.join(" ")));
    }
    if let Some(stdin) = &run.input.stdin {
        text.push_str(&part("standard input", stdin));
    }
    for (path, content) in &run.input.files {
        text.push_str(&part(&path.display().to_string(), content));
    }
    let observation = run.observation;
    text.push_str(&part("output", observation.stdout.text().as_bytes()));
    if observation.stderr.bytes > 0 {
        text.push_str(&part("errors", observation.stderr.text().as_bytes()));
    }
    text.push_str(&format!("ending: {}\n", observation.ending));
    text
}

/// The beginning of a text, under its title.
fn part(title: &str, content: &[u8]) -> String {
    let content = String::from_utf8_lossy(content);
    let mut text = format!("{title}:\n");
    for line in content.lines().take(MOST_LINES) {
        text.push_str(&format!("    {line}\n"));
    }
    let more = content.lines().count().saturating_sub(MOST_LINES);
    if more > 0 {
        text.push_str(&format!("    ({more} more lines)\n"));
    }
    text
}
