//! A run as Markdown, for an issue tracker or an agent: the answer, the evidence, the commands.
//!
//! Text of strangers is either code, in a fence that is longer than any in the text, or has every
//! sign escaped that Markdown, HTML or an issue tracker could take for its own.

use std::fmt::Write as _;

use crate::{
    Dossier, RunState, Story, StoryCommand, StoryPatch, StoryPlace, count, grouped, seconds,
    visible, visible_line,
};

/// An issue has room for 65,536 characters; a person reads fewer.
const MOST_PATCH: usize = 12_000;
const MOST_INPUT: usize = 4_000;
const MOST_OUTPUT: usize = 2_000;
/// So many of one kind are listed.
const MOST_LISTED: usize = 10;

impl Dossier {
    /// The run as Markdown.
    pub fn markdown(&self) -> String {
        let mut text = format!("## {}\n\n", prose(&self.headline()));
        let trials = count(self.trials.len() as u64, "trial");
        let mut facts = vec![
            format!("yester {}", self.command),
            self.state.word().to_owned(),
            format!("{trials}, {}", seconds(self.seconds)),
        ];
        if !self.failure.is_empty() {
            facts.push(format!("failure: {}", code(&self.failure)));
        }
        let _ = writeln!(text, "{}", facts.join(" · "));
        if !self.story.headline.is_empty() && !self.reason.is_empty() {
            let _ = write!(text, "\n{}\n", prose(&self.reason));
        }
        evidence(&mut text, &self.story);
        found(&mut text, &self.story, "###");
        for (index, step) in self.story.steps.iter().enumerate() {
            let _ = write!(
                text,
                "\n### {}. {}: {}\n\n{}\n",
                index + 1,
                prose(&step.command),
                prose(&step.story.headline),
                prose(&step.why)
            );
            evidence(&mut text, &step.story);
            found(&mut text, &step.story, "####");
        }
        self.last_output(&mut text);
        self.command_listing(&mut text);
        text
    }

    /// What the failing test printed last: the message that people search for.
    fn last_output(&self, text: &mut String) {
        let mut failing = self.trials.iter().rev().filter(|trial| {
            trial.outcome == Some(crate::TrialOutcome::Fail) || trial.why == "baseline"
        });
        let Some(trial) = failing.find(|trial| !trial.output.trim().is_empty()) else {
            return;
        };
        let output = visible(&trial.output);
        let shown = end(output.trim_end(), MOST_OUTPUT);
        let _ = write!(
            text,
            "\n### Output of trial {} ({})\n\n{}",
            trial.number,
            prose(&trial.ending),
            fenced(shown, "text")
        );
    }

    fn command_listing(&self, text: &mut String) {
        let call = StoryCommand {
            what: "the call of this run".to_owned(),
            words: self.call.clone(),
        };
        let resume = match (&self.resume, self.state) {
            (Some(words), RunState::Stopped | RunState::Killed) => Some(StoryCommand {
                what: "goes on with it".to_owned(),
                words: words.clone(),
            }),
            _ => None,
        };
        let of_steps = self.story.steps.iter();
        let of_steps = of_steps.flat_map(|step| step.story.commands.iter());
        let all = self.story.commands.iter().chain(of_steps);
        let all = all.chain([&call]).chain(&resume);
        let mut listing = String::new();
        for command in all.filter(|command| !command.words.is_empty()) {
            let _ = writeln!(
                listing,
                "# {}\n{}",
                visible_line(&command.what),
                visible_line(&command.words)
            );
        }
        if !listing.is_empty() {
            let _ = write!(text, "\n### Commands\n\n{}", fenced(&listing, "sh"));
        }
    }
}

/// What speaks for an answer, and what against it.
fn evidence(text: &mut String, story: &Story) {
    if !story.proofs.is_empty() {
        text.push('\n');
    }
    for proof in &story.proofs {
        let _ = writeln!(text, "- ✓ {}", prose(proof));
    }
    if !story.doubts.is_empty() {
        text.push('\n');
    }
    for doubt in story.doubts.iter().take(MOST_LISTED) {
        let _ = writeln!(text, "- ⚠ {}", prose(doubt));
    }
}

/// What was found, below headings of this level.
fn found(text: &mut String, story: &Story, level: &str) {
    if !story.commits.is_empty() {
        let _ = write!(text, "\n{level} Commits\n\n");
    }
    for commit in story.commits.iter().take(MOST_LISTED) {
        let _ = writeln!(
            text,
            "- **{}** {} {} ({}, {})",
            commit.role.word(),
            code(&commit.id[..commit.id.len().min(10)]),
            prose(&commit.subject),
            prose(&commit.author),
            prose(&commit.date)
        );
    }
    for patch in &story.patches {
        patch_found(text, patch, story, level);
    }
    if let Some(input) = &story.input {
        let _ = write!(
            text,
            "\n{level} The reduced input: {}\n\n{} of {} bytes\n",
            code(&input.path),
            grouped(input.bytes),
            grouped(input.original_bytes)
        );
        if let Some(content) = &input.text {
            block(text, content, MOST_INPUT, "");
        }
    }
    if !story.places.is_empty() {
        let _ = write!(
            text,
            "\n{level} Places in the source, the likeliest first\n\n"
        );
    }
    for (index, place) in story.places.iter().take(MOST_LISTED).enumerate() {
        place_found(text, index + 1, place);
    }
    for made in story.made_inputs.iter().take(MOST_LISTED) {
        let _ = write!(
            text,
            "\n{level} {}\n\n{}",
            prose(&made.title),
            fenced(&visible(&made.difference), "text")
        );
        for effect in &made.effects {
            let _ = writeln!(text, "- {}", prose(effect));
        }
    }
}

fn patch_found(text: &mut String, patch: &StoryPatch, story: &Story, level: &str) {
    let _ = write!(
        text,
        "\n{level} {}: {}\n\nThis patch {}.\n",
        patch.role.word(),
        code(&patch.path),
        patch.role.purpose()
    );
    if !patch.changes.is_empty() {
        text.push('\n');
    }
    // One commit is named above, once.
    let mut commits: Vec<usize> = patch.changes.iter().filter_map(|one| one.commit).collect();
    commits.dedup();
    for change in patch.changes.iter().take(MOST_LISTED) {
        let role = match change.is_cause {
            Some(true) => " — **cause**",
            Some(false) => " — prerequisite",
            None => "",
        };
        let commit = change.commit.filter(|_| commits.len() > 1);
        let commit = commit.and_then(|index| story.commits.get(index));
        let commit =
            commit.map(|commit| format!(", {}", code(&commit.id[..commit.id.len().min(10)])));
        let _ = writeln!(
            text,
            "- {} {}{role}{}",
            code(&format!("{}:{}", change.file, change.line)),
            prose(&change.what),
            commit.unwrap_or_default()
        );
    }
    if patch.changes.len() > MOST_LISTED {
        let more = grouped((patch.changes.len() - MOST_LISTED) as u64);
        let _ = writeln!(text, "- and {more} more");
    }
    if let Some(content) = &patch.text {
        block(text, content, MOST_PATCH, "diff");
    }
}

fn place_found(text: &mut String, number: usize, place: &StoryPlace) {
    let version = match place.version.as_str() {
        "" => String::new(),
        version => format!(" ({version} version)"),
    };
    let function = match place.function.as_str() {
        "" => String::new(),
        function => format!(" in {}", code(function)),
    };
    let _ = writeln!(
        text,
        "{number}. {}{version}{function}: {}",
        code(&format!("{}:{}", place.file, place.line)),
        prose(&place.title)
    );
    if !place.source.is_empty() {
        let _ = writeln!(text, "   {}", code(place.source.trim()));
    }
    for note in std::iter::once(&place.seen).chain(&place.notes) {
        if !note.is_empty() {
            let _ = writeln!(text, "   - {}", prose(note));
        }
    }
    for step in place.steps.iter().take(MOST_LISTED) {
        let _ = writeln!(
            text,
            "   - {} {}",
            code(&format!("{}:{}", step.file, step.line)),
            prose(&step.what)
        );
    }
}

/// Text of which Markdown takes nothing for its own, in one line.
fn prose(text: &str) -> String {
    let mut safe = String::new();
    let line = visible_line(text);
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if "\\`*_[]<>|~&".contains(letter) {
            safe.push('\\');
        }
        safe.push(letter);
        // An issue tracker would tell a person, or link another issue; behind an empty comment it does not.
        let is_next = letters.peek().is_some_and(|next| next.is_alphanumeric());
        if "@#".contains(letter) && is_next {
            safe.push_str("<!-- -->");
        }
    }
    // A list, a heading or a rule begins a line.
    if safe.starts_with(['#', '-', '+', '=']) {
        safe.insert(0, '\\');
    }
    safe
}

/// Text as code in a line.
fn code(text: &str) -> String {
    let text = visible_line(text);
    let ticks = "`".repeat(longest_run(&text) + 1);
    // One blank at each end is taken off again.
    let blank = if text.contains('`') || text.starts_with(' ') {
        " "
    } else {
        ""
    };
    if text.is_empty() {
        return String::new();
    }
    format!("{ticks}{blank}{text}{blank}{ticks}")
}

/// Text as a block of code.
fn fenced(text: &str, language: &str) -> String {
    let fence = "`".repeat(longest_run(text).max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{fence}{language}\n{text}{end}{fence}\n")
}

/// The beginning of a text as a block of code.
fn block(text: &mut String, content: &str, most: usize, language: &str) {
    let content = visible(content);
    let shown = start(&content, most);
    let _ = write!(text, "\n{}", fenced(shown, language));
    if shown.len() < content.len() {
        let left_out = grouped((content.len() - shown.len()) as u64);
        let _ = writeln!(text, "\nThe file has {left_out} bytes more.");
    }
}

/// The longest run of backticks.
fn longest_run(text: &str) -> usize {
    let runs = text.split(|letter| letter != '`').map(str::len);
    runs.max().unwrap_or_default()
}

/// The beginning of a text, whole lines if there are any.
fn start(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let cut = &text[..text.floor_char_boundary(most)];
    &cut[..cut.rfind('\n').map_or(cut.len(), |at| at + 1)]
}

/// The end of a text, whole lines if there are any.
fn end(text: &str, most: usize) -> &str {
    if text.len() <= most {
        return text;
    }
    let cut = &text[text.ceil_char_boundary(text.len() - most)..];
    &cut[cut.find('\n').map_or(0, |at| at + 1)..]
}

#[cfg(test)]
mod tests {
    use pulldown_cmark::{Event, Parser, Tag};

    use crate::example::{EVIL, chain, evil};

    #[test]
    fn text_of_strangers_is_text() {
        let text = evil().markdown();
        let mut headings = Vec::new();
        let mut shown = String::new();
        for event in Parser::new(&text) {
            match event {
                Event::Start(Tag::Heading { level, .. }) => headings.push(level as u8),
                // The empty comment that keeps a name from being told.
                Event::InlineHtml(html) => assert_eq!(&*html, "<!-- -->"),
                Event::Html(_) | Event::Start(Tag::Link { .. } | Tag::Image { .. }) => {
                    panic!("{event:?} in {text}")
                }
                Event::Text(piece) | Event::Code(piece) => shown.push_str(&piece),
                _ => {}
            }
        }
        assert_eq!(headings, [2, 3, 3, 3, 3, 3, 3, 3]);
        assert!(shown.contains("</script><script>alert(1)"), "{shown}");
        for hidden in ['\u{1b}', '\u{202e}', '\0', '\r'] {
            assert!(!text.contains(hidden), "{hidden:?}");
        }
    }

    #[test]
    fn a_fence_is_longer_than_any_in_the_text() {
        assert_eq!(
            super::fenced("a\n````\nb", "c"),
            "`````c\na\n````\nb\n`````\n"
        );
        assert_eq!(super::code("a``b"), "``` a``b ```");
    }

    #[test]
    fn nobody_is_told_and_no_issue_linked() {
        assert_eq!(
            super::prose("thanks @joe, see #12"),
            "thanks @<!-- -->joe, see #<!-- -->12"
        );
        assert_eq!(super::prose("# not a heading"), "\\# not a heading");
        assert_eq!(
            super::prose("a <b> [c](d) *e*"),
            "a \\<b\\> \\[c\\](d) \\*e\\*"
        );
    }

    #[test]
    fn the_steps_of_a_chain_have_headings_in_order() {
        let text = chain().markdown();
        let headings = text.lines().filter(|line| line.starts_with('#'));
        let headings: Vec<&str> = headings
            .filter(|line| line.starts_with("##") && !line.starts_with("# "))
            .collect();
        assert_eq!(
            headings,
            [
                "## “Add weights” (0123456789) broke it, in x.c:3",
                "### 1. changes: “Add weights” (0123456789) broke it: 2 of 40 changed lines in 1 file",
                "#### Commits",
                "#### culprit: `culprit.patch`",
                "### 2. reduce: 2 of the 9 bytes of in.txt make it fail",
                "#### The reduced input: `in.reduced.txt`",
                "### 3. explain: x.c:3: this branch decides",
                "#### Places in the source, the likeliest first",
                "### Commands",
            ]
        );
        assert!(text.contains("git apply fix.patch\n"));
    }

    #[test]
    fn a_long_report_is_still_an_issue() {
        let mut dossier = evil();
        let patch = &mut dossier.story.patches[0];
        patch.text = Some(EVIL.repeat(10_000));
        let change = patch.changes[0].clone();
        patch.changes = vec![change; 10_000];
        let place = dossier.story.places[0].clone();
        dossier.story.places = vec![place; 1000];
        dossier.trials[0].why = "baseline".to_owned();
        dossier.trials[0].output = EVIL.repeat(10_000);
        let text = dossier.markdown();
        assert!(text.len() < 65_536, "{} bytes", text.len());
        assert!(text.contains("and 9,990 more"));
    }
}
