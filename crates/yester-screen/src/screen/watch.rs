//! All of the terminal: the size over time, what each pass gained, the last improvements, and the best so far.

use unicode_width::UnicodeWidthStr;
use yester_core::{Candidate, Entry};
use yester_report::{amount, count, grouped, percent, visible_line};

use super::curve::curve;
use super::difference::changed_lines;
use super::line::{cut, line, short};
use super::situation::Situation;

/// A line of the view.
pub struct WatchLine {
    pub text: String,
    pub colour: Option<&'static str>,
}

const HEADING: Option<&str> = Some("\x1b[1m");
const CURVE: Option<&str> = Some("\x1b[36m");
const REMOVED: Option<&str> = Some("\x1b[31m");
const ADDED: Option<&str> = Some("\x1b[32m");

/// A view of this many columns and rows.
struct View {
    width: usize,
    lines: Vec<WatchLine>,
}

/// The lines of the view in a window of this size.
pub fn lines(situation: &Situation, (width, height): (usize, usize)) -> Vec<WatchLine> {
    let mut view = View {
        width,
        lines: Vec::new(),
    };
    view.head(situation);
    // The rest is shared out: the curve, the passes, the improvements, and whatever is left for the best.
    let room = height.saturating_sub(2);
    view.curve(situation, room / 4);
    view.passes(situation, room / 4);
    view.improvements(situation, room / 4);
    view.best(situation, height);
    view.lines.truncate(height);
    view.lines
}

impl View {
    fn add(&mut self, text: &str, colour: Option<&'static str>) {
        // A tab would be as wide as the terminal likes.
        let text = visible_line(text).replace('\t', "    ");
        self.lines.push(WatchLine {
            text: cut(&text, self.width),
            colour,
        });
    }

    fn head(&mut self, situation: &Situation) {
        let right = format!(
            "{} · {}",
            count(situation.trials(), "trial"),
            short(situation.elapsed())
        );
        let room = self.width.saturating_sub(right.width() + 1);
        let call = cut(&visible_line(&situation.call), room);
        let gap = " ".repeat(room.saturating_sub(call.width()) + 1);
        self.add(&format!("{call}{gap}{right}"), HEADING);
        let now = line(situation, self.width);
        self.add(&now, None);
    }

    fn curve(&mut self, situation: &Situation, height: usize) {
        if situation.original == 0 || height == 0 {
            return;
        }
        let labels = [situation.original, situation.best].map(grouped);
        let label_width = labels.iter().map(|label| label.width()).max().unwrap_or(0);
        let width = self.width.saturating_sub(label_width + 1);
        let rows = curve(&situation.sizes, situation.elapsed(), width, height);
        let last = rows.len() - 1;
        for (row, dots) in rows.into_iter().enumerate() {
            let label = match row {
                _ if row == last && last > 0 => &labels[1],
                0 => &labels[0],
                _ => "",
            };
            self.add(&format!("{label:>label_width$} {dots}"), CURVE);
        }
    }

    fn passes(&mut self, situation: &Situation, height: usize) {
        let mut gains = situation.passes.gains();
        gains.sort_by_key(|gain| u64::MAX - gain.removed);
        if gains.is_empty() || height == 0 {
            return;
        }
        let unit = situation.unit;
        self.add(&format!("gained by each pass ({unit})"), HEADING);
        for gain in gains.iter().take(height.saturating_sub(1).max(1)) {
            let rate = percent(gain.succeeded, gain.tried);
            let numbers = format!(
                "{:>11}  {rate} of {} work",
                grouped(gain.removed),
                grouped(gain.tried)
            );
            let room = self.width.saturating_sub(numbers.width() + 1).min(30);
            let name = cut(&gain.pass, room);
            let gap = " ".repeat(room.saturating_sub(name.width()));
            self.add(&format!("{name}{gap} {numbers}"), None);
        }
    }

    fn improvements(&mut self, situation: &Situation, height: usize) {
        if situation.improvements.is_empty() || height == 0 {
            return;
        }
        let end = self.lines.len() + height.max(2);
        let each = (height / 3).max(1);
        for improvement in situation.improvements.iter().rev() {
            if self.lines.len() >= end {
                break;
            }
            let removed = amount(improvement.removed, situation.unit);
            self.add(&format!("−{removed}, {}", improvement.pass), HEADING);
            for changed in changed_lines(improvement).iter().take(each) {
                if self.lines.len() >= end {
                    break;
                }
                let (sign, colour) = if changed.is_added {
                    ('+', ADDED)
                } else {
                    ('-', REMOVED)
                };
                self.add(&format!("{sign} {}", changed.text), colour);
            }
        }
    }

    fn best(&mut self, situation: &Situation, height: usize) {
        if situation.candidate.is_none() && situation.improvements.is_empty() {
            return;
        }
        let best = format!("best so far: {}", amount(situation.best, situation.unit));
        self.add(&best, HEADING);
        let room = height.saturating_sub(self.lines.len());
        match &situation.candidate {
            None => self.add("(too big to be shown)", None),
            Some(Candidate::File(text)) => {
                let text = String::from_utf8_lossy(text);
                text.lines()
                    .take(room)
                    .for_each(|line| self.add(line, None));
            }
            Some(Candidate::Tree(entries)) => {
                let there = entries.iter().filter(|(_, entry)| **entry != Entry::Absent);
                there.take(room).for_each(|(path, _)| self.add(path, None));
            }
        }
    }
}
