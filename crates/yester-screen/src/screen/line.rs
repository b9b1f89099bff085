//! The situation in one line, as wide as the window at most.

use std::time::Duration;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};
use yester_report::{amount, count, grouped, percent, seconds, visible_line};
use yester_run::StepLimit;

use super::situation::{REVISIONS, Situation, Waiting};

/// A trial that takes longer is worth a word.
const LONG: Duration = Duration::from_secs(2);

/// Stands between the parts of a line.
const GAP: &str = " · ";

/// Parts of this rank and above stay as long as the first of them can be cut to this many columns.
const ESSENTIAL: u8 = 7;
const SHORTEST: usize = 8;

/// One part of a line. Parts of a lower rank go first where there is no room for all.
struct Part {
    rank: u8,
    text: String,
    /// What stays at its end if it is cut.
    end: String,
}

/// The line for a window of this width.
pub fn line(situation: &Situation, width: usize) -> String {
    let mut parts = parts(situation);
    loop {
        let whole = |part: &Part| visible_line(&part.text).into_owned() + &part.end;
        let line = parts.iter().map(whole).collect::<Vec<_>>().join(GAP);
        match &parts[..] {
            _ if line.width() <= width => return line,
            [only] => {
                let text = cut(
                    &visible_line(&only.text),
                    width.saturating_sub(only.end.width()),
                );
                return cut(&format!("{text}{}", only.end), width);
            }
            _ => {}
        }
        let least = parts.iter().map(|part| part.rank).min();
        let room = (width + parts[0].text.width()).saturating_sub(line.width());
        if least >= Some(ESSENTIAL) && room >= SHORTEST {
            parts[0].text = cut(&parts[0].text, room);
            continue;
        }
        parts.retain(|part| Some(part.rank) != least);
    }
}

fn parts(situation: &Situation) -> Vec<Part> {
    let part = |rank, text| Part {
        rank,
        text,
        end: String::new(),
    };
    let elapsed = situation.elapsed();
    if let Some(Waiting { what, time, limit }) = situation.waiting() {
        let limit = limit.map(|StepLimit { flag, time }| match time {
            Some(time) => part(2, format!("{flag} ends it ({})", span(time))),
            None => part(2, format!("{flag} TIME ends it")),
        });
        let mut parts = vec![Part {
            end: format!(", {}", whole(time)),
            ..part(3, what.to_owned())
        }];
        parts.extend(limit);
        // The beginning of a call needs no second clock.
        if elapsed > time.as_secs_f64() + 1.0 {
            parts.push(part(1, format!("{} in all", short(elapsed))));
        }
        return parts;
    }
    let Some(phase) = &situation.phase else {
        return vec![part(1, format!("preparing, {}", short(elapsed)))];
    };
    let (original, best) = (situation.original, situation.best);
    let gone = original.saturating_sub(best);
    let mut parts = vec![part(9, phase.what.to_owned())];
    if original == 0 {
        // Nothing is made smaller.
        if phase.ideas > 0 {
            let ideas = grouped(phase.ideas.max(phase.tried));
            parts.push(part(8, format!("{} of {ideas}", grouped(phase.tried))));
        }
    } else if situation.unit == REVISIONS {
        // Nothing is left of a history when the walk is over.
        let (gone, original) = (grouped(gone), grouped(original));
        parts.push(part(8, format!("{gone} of {original} revisions behind")));
    } else {
        parts.push(part(8, format!("{} removed", percent(gone, original))));
        let left = format!("{} left", amount(best, situation.unit));
        parts.push(part(6, left));
    }
    if let Some((time, limit)) = situation.slowest().filter(|(time, _)| *time >= LONG) {
        let text = format!("a trial runs for {} of {}", whole(time), span(limit));
        parts.push(part(5, text));
    }
    if phase.tried > 0 {
        let rate = percent(phase.succeeded, phase.tried);
        parts.push(part(2, format!("{rate} of {} work", grouped(phase.tried))));
    }
    if let Some(rest) = phase.rest() {
        parts.push(part(4, format!("about {} for this pass", short(rest))));
    }
    parts.push(part(3, count(situation.trials(), "trial")));
    parts.push(part(7, short(elapsed)));
    parts
}

/// A time that has passed, which nobody wants to know in hundredths.
fn whole(time: Duration) -> String {
    short(time.as_secs_f64())
}

/// A time span in whole seconds at least.
pub fn short(time: f64) -> String {
    match time {
        0.0..10.0 => format!("{time:.0} s"),
        _ => seconds(time),
    }
}

/// A limit, which may be none.
fn span(limit: Duration) -> String {
    match limit.as_secs() {
        // The limits of tests without any.
        86_400.. => "no limit".to_owned(),
        _ => short(limit.as_secs_f64()),
    }
}

/// As much of a text as fits into so many columns.
pub fn cut(text: &str, width: usize) -> String {
    if text.width() <= width {
        return text.to_owned();
    }
    let mut room = width.saturating_sub(1);
    let mut short = String::new();
    for character in text.chars() {
        let columns = character.width().unwrap_or(0);
        if columns > room {
            break;
        }
        room -= columns;
        short.push(character);
    }
    if width > 0 {
        short.push('…');
    }
    short
}

#[cfg(test)]
mod tests {
    use yester_core::{Outcome, Phase};
    use yester_run::{Event, RunStart, Step};

    use super::*;

    fn situation() -> Situation {
        let mut situation = Situation::new("yester reduce".to_owned(), false);
        situation.take_in(&Event::Run(RunStart {
            directory: ".yester/run",
            target: "input",
            test: "test",
            size: 1_000_000,
            unit: "bytes",
            baseline: "running the command on the whole input",
            whole: None,
            wanted: Outcome::Fail,
        }));
        situation.take_in(&Event::Phase(Phase {
            what: "removing parts",
            deltas: 99,
        }));
        for _ in 0..40 {
            situation.take_in(&Event::Answered(Outcome::Pass));
        }
        situation.best = 12_345;
        situation
    }

    #[test]
    fn the_essential_part_fits_into_any_window() {
        let situation = situation();
        for width in [200, 80, 60, 40, 20, 5, 1, 0] {
            assert!(line(&situation, width).width() <= width, "{width}");
        }
        let wide = line(&situation, 200);
        for part in [
            "12,345 bytes left",
            "0% of 40 work",
            "about 0 s for this pass",
            "0 trials",
        ] {
            assert!(wide.contains(part), "{part}: {wide}");
        }
        for width in [80, 40] {
            let line = line(&situation, width);
            assert!(line.starts_with("removing parts · 99% removed"), "{line}");
        }
        assert_eq!(line(&situation, 30), "removing … · 99% removed · 0 s");
    }

    #[test]
    fn wide_characters_and_what_a_terminal_obeys_are_cut_by_columns() {
        assert_eq!(cut("漢字漢字", 5), "漢字…");
        let mut situation = situation();
        situation.take_in(&Event::Step(Step {
            what: "reading a\x1b[2J漢字",
            limit: None,
        }));
        assert_eq!(line(&situation, 60), r"reading a\x1b[2J漢字, 0 s");
        assert_eq!(line(&situation, 18), r"reading a\x1…, 0 s");
    }
}
