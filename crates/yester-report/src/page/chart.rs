//! The drawings of the page, as SVG: no script, no style of their own, and a text for those who do not see them.

use std::fmt::Write as _;

use crate::story::PatchSize;
use crate::{Dossier, DossierVersion, Lineage, SizeStep, TrialOutcome, count, grouped, percent};

/// A drawing with its caption.
pub(super) struct Figure {
    pub caption: String,
    pub drawing: String,
    pub legend: Vec<(&'static str, &'static str)>,
}

const WIDTH: f64 = 900.0;
/// Left of it there is room for numbers.
const LEFT: f64 = 78.0;
const RIGHT: f64 = 885.0;

/// How the answer was found, as far as it can be drawn.
pub(super) fn figures(dossier: &Dossier) -> Vec<Figure> {
    let curve = size_curve(dossier);
    let map = dossier.lineage.as_ref().map(fate_map);
    let strip = outcome_strip(dossier);
    let line = version_line(dossier);
    [line, curve, map, strip].into_iter().flatten().collect()
}

/// A drawing of this height with a text for those who do not see it, which has no markup in it.
fn svg(height: f64, text: &str, content: &str) -> String {
    format!(
        "<svg viewBox=\"0 0 {WIDTH} {height}\" role=\"img\" aria-label=\"{text}\"><title>{text}</title>{content}</svg>"
    )
}

/// The size of the best so far over the trials.
fn size_curve(dossier: &Dossier) -> Option<Figure> {
    let original = dossier.original_size?;
    let last = dossier.sizes.last()?;
    let trials = (dossier.trials.len() as u64).max(last.trials).max(1);
    let is_logarithmic = original > 20 * last.size.max(1);
    let (top, bottom) = (12.0, 232.0);
    let scale = |size: u64| {
        let share = if is_logarithmic {
            (size as f64 + 1.0).ln() / (original as f64 + 1.0).ln()
        } else {
            size as f64 / original.max(1) as f64
        };
        bottom - (bottom - top) * share
    };
    let across = |trials_then: u64| LEFT + (RIGHT - LEFT) * trials_then as f64 / trials as f64;
    let mut content = String::new();
    for size in ticks(original, is_logarithmic) {
        let y = scale(size);
        let _ = write!(
            content,
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{RIGHT}\"/><text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            y + 4.0,
            grouped(size)
        );
    }
    let mut line = format!("M{LEFT} {:.1}", scale(original));
    for step in thinned(&dossier.sizes) {
        let _ = write!(line, "H{:.1}V{:.1}", across(step.trials), scale(step.size));
    }
    let _ = write!(line, "H{RIGHT}");
    let _ = write!(
        content,
        "<path class=\"area\" d=\"{line}V{bottom}H{LEFT}Z\"/><path class=\"curve\" d=\"{line}\"/>"
    );
    let _ = write!(
        content,
        "<text x=\"{LEFT}\" y=\"252\">0</text><text x=\"{RIGHT}\" y=\"252\" text-anchor=\"end\">{}</text>",
        count(trials, "trial")
    );
    let unit = &dossier.unit;
    let kind = if is_logarithmic {
        ", on a logarithmic scale"
    } else {
        ""
    };
    let text = format!(
        "from {} {unit} to {} in {}",
        grouped(original),
        grouped(last.size),
        count(trials, "trial")
    );
    Some(Figure {
        caption: format!("Size of the best so far, in {unit}{kind}"),
        drawing: svg(260.0, &text, &content),
        legend: Vec::new(),
    })
}

/// The sizes at which there is a line.
fn ticks(original: u64, is_logarithmic: bool) -> Vec<u64> {
    if !is_logarithmic {
        return (0..=4).map(|part| original * part / 4).collect();
    }
    let mut ticks = vec![0];
    let mut size = 1;
    while size < original {
        ticks.push(size);
        size = size.saturating_mul(10);
    }
    // Too near to the top, the last one and the original would be written over each other.
    if ticks.last().is_some_and(|last| *last > original / 3) {
        ticks.pop();
    }
    ticks.push(original);
    // Zero and one are nearly the same place.
    ticks.retain(|tick| *tick != 1);
    ticks
}

/// Not more steps than can be told apart.
fn thinned(sizes: &[SizeStep]) -> Vec<SizeStep> {
    let every = sizes.len().div_ceil(1500).max(1);
    let last = sizes.len().saturating_sub(1);
    let kept = sizes
        .iter()
        .enumerate()
        .filter(|(index, _)| index % every == 0 || *index == last);
    kept.map(|(_, step)| SizeStep::of(step.trials, step.size))
        .collect()
}

/// In so many pieces an input is drawn.
const PIECES: usize = 400;

/// Which part of the input went when.
fn fate_map(lineage: &Lineage) -> Figure {
    let length = lineage.text.len().max(1);
    let mut fates: Vec<Option<Option<usize>>> = vec![None; PIECES];
    for part in &lineage.parts {
        let first = part.begin * PIECES / length;
        let last = ((part.end - 1) * PIECES / length).min(PIECES - 1);
        for fate in &mut fates[first..=last] {
            // A piece in which anything was kept is kept; otherwise it went when its last part went.
            *fate = Some(match (*fate, part.gone) {
                (Some(None), _) | (_, None) => None,
                (Some(Some(one)), Some(other)) => Some(one.max(other)),
                (None, gone) => gone,
            });
        }
    }
    let class = |fate: &Option<usize>| match fate {
        None => "kept".to_owned(),
        Some(step) => format!("g{}", step * 8 / lineage.steps.max(1)),
    };
    let classes: Vec<String> = fates.iter().flatten().map(class).collect();
    let mut content = String::new();
    let width = (RIGHT - LEFT) / PIECES as f64;
    let mut at = 0;
    for run in classes.chunk_by(|one, other| one == other) {
        let (x, wide) = (LEFT + at as f64 * width, run.len() as f64 * width);
        let _ = write!(
            content,
            "<rect class=\"{}\" x=\"{x:.1}\" y=\"8\" width=\"{wide:.1}\" height=\"44\"/>",
            run[0]
        );
        at += run.len();
    }
    let _ = write!(
        content,
        "<text x=\"{LEFT}\" y=\"70\">first byte</text><text x=\"{RIGHT}\" y=\"70\" text-anchor=\"end\">byte {}</text>",
        grouped(lineage.text.len() as u64)
    );
    let kept = lineage.kept() as u64;
    let text = format!(
        "{} of {} bytes ({}) were kept; the others went in {}",
        grouped(kept),
        grouped(lineage.text.len() as u64),
        percent(kept, lineage.text.len() as u64),
        count(lineage.steps as u64, "step")
    );
    Figure {
        caption: "Which part of the input went when".to_owned(),
        drawing: svg(80.0, &text, &content),
        legend: vec![
            ("g0", "went first"),
            ("g7", "went last"),
            ("kept", "was kept"),
        ],
    }
}

/// The versions of the history that were tested, side by side, each with a thread to where it is in the history. Their
/// outcomes differ in shape too.
fn version_line(dossier: &Dossier) -> Option<Figure> {
    let on_line = |version: &&DossierVersion| version.position.is_some();
    let versions: Vec<&DossierVersion> = dossier.versions.iter().filter(on_line).collect();
    let last = versions.last()?;
    let share = |part: usize, of: usize| {
        LEFT + 10.0 + (RIGHT - LEFT - 20.0) * part as f64 / of.saturating_sub(1).max(1) as f64
    };
    // Where nothing was tested, nothing is to be seen.
    let first = versions[0].position.unwrap_or_default();
    let size = (400.0 / versions.len() as f64).clamp(2.0, 8.0);
    let side = 2.2 * size;
    let mut content = format!("<path class=\"bar\" d=\"M{LEFT} 76H{RIGHT}v6H{LEFT}z\"/>");
    let mut counts = [0, 0, 0];
    for (rank, version) in versions.iter().enumerate() {
        let x = share(rank, versions.len());
        let position = version.position.unwrap_or_default();
        let place = share(position - first, last.of - first);
        let (number, class, shape) = match version.outcome {
            TrialOutcome::Pass => (
                0,
                "s-pass",
                format!("<circle cx=\"{x:.1}\" cy=\"24\" r=\"{size:.1}\""),
            ),
            TrialOutcome::Fail => (
                1,
                "s-fail",
                format!(
                    "<path d=\"M{:.1} {:.1}h{2:.1}v{2:.1}h-{2:.1}z\"",
                    x - size,
                    24.0 - size,
                    2.0 * size
                ),
            ),
            TrialOutcome::Unresolved => (
                2,
                "s-unresolved",
                format!(
                    "<path d=\"M{x:.1} {:.1}l{:.1} {side:.1}h-{side:.1}z\"",
                    22.0 - size,
                    side / 2.0
                ),
            ),
        };
        counts[number] += 1;
        let letters = version.id.chars().filter(char::is_ascii_alphanumeric);
        let short: String = letters.take(10).collect();
        let end = if shape.starts_with("<circle") {
            "</circle>"
        } else {
            "</path>"
        };
        let _ = write!(
            content,
            "<path class=\"thread\" d=\"M{x:.1} 36C{x:.1} 56 {place:.1} 56 {place:.1} 76\"/>\
             {shape} class=\"dot {class}\"><title>{short}: {}</title>{end}",
            version.outcome.word(),
        );
    }
    let _ = write!(
        content,
        "<text x=\"{LEFT}\" y=\"100\">version {}</text><text x=\"{RIGHT}\" y=\"100\" text-anchor=\"end\">{}, the newest</text>",
        grouped(first as u64 + 1),
        grouped(last.of as u64)
    );
    let [passed, failed, silent] = counts;
    let text = format!(
        "of {}, {} passed, {} failed, {} gave no verdict",
        count(versions.len() as u64, "tested version"),
        grouped(passed),
        grouped(failed),
        grouped(silent)
    );
    Some(Figure {
        caption: "Versions of the history that were tested, and where they are in it".to_owned(),
        drawing: svg(108.0, &text, &content),
        legend: vec![
            ("s-pass round", "pass"),
            ("s-fail", "fail"),
            ("s-unresolved corner", "no verdict"),
        ],
    })
}

/// In so many columns trials are drawn.
const COLUMNS: usize = 300;

/// The outcomes of the trials, in order.
fn outcome_strip(dossier: &Dossier) -> Option<Figure> {
    let trials = &dossier.trials;
    // Where no run is judged by itself, there is nothing to see.
    if trials.iter().all(|trial| trial.outcome.is_none()) {
        return None;
    }
    let columns = trials.len().min(COLUMNS);
    let width = (RIGHT - LEFT) / columns as f64;
    let mut content = String::new();
    let kinds = [
        ("s-pass", Some(TrialOutcome::Pass)),
        ("s-fail", Some(TrialOutcome::Fail)),
        ("s-unresolved", Some(TrialOutcome::Unresolved)),
        ("s-none", None),
    ];
    for column in 0..columns {
        let from = column * trials.len() / columns;
        let group = &trials[from..(column + 1) * trials.len() / columns];
        let mut y = 8.0;
        for (class, outcome) in kinds {
            let number = group
                .iter()
                .filter(|trial| trial.outcome == outcome)
                .count();
            let height = 44.0 * number as f64 / group.len() as f64;
            if number > 0 {
                let x = LEFT + column as f64 * width;
                let _ = write!(
                    content,
                    "<rect class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.2}\" height=\"{height:.1}\"/>"
                );
            }
            y += height;
        }
    }
    let _ = write!(
        content,
        "<text x=\"{LEFT}\" y=\"70\">first trial</text><text x=\"{RIGHT}\" y=\"70\" text-anchor=\"end\">trial {}</text>",
        grouped(trials.len() as u64)
    );
    let of = |outcome| {
        trials
            .iter()
            .filter(|trial| trial.outcome == outcome)
            .count() as u64
    };
    let text = format!(
        "{} passed, {} failed, {} gave no verdict, {} were not judged",
        grouped(of(Some(TrialOutcome::Pass))),
        grouped(of(Some(TrialOutcome::Fail))),
        grouped(of(Some(TrialOutcome::Unresolved))),
        grouped(of(None))
    );
    Some(Figure {
        caption: "Outcomes of the trials, in order".to_owned(),
        drawing: svg(80.0, &text, &content),
        legend: vec![
            ("s-pass", "pass"),
            ("s-fail", "fail"),
            ("s-unresolved", "no verdict"),
            ("s-none", "not judged"),
        ],
    })
}

/// The size of the patch that keeps a test running, over the revisions at which another one was needed.
pub(super) fn patch_sizes(sizes: &[PatchSize]) -> String {
    if sizes.is_empty() {
        return String::new();
    }
    let most = sizes.iter().map(|size| size.before.max(size.after)).max();
    let most = (most.unwrap_or_default() as f64 + 1.0).ln();
    let from = 210.0;
    let wide = |lines: u64| (RIGHT - 60.0 - from) * (lines as f64 + 1.0).ln() / most;
    let mut content = String::new();
    for (row, size) in sizes.iter().enumerate() {
        let y = 8.0 + 24.0 * row as f64;
        let letters = size.revision.chars().filter(char::is_ascii_alphanumeric);
        let revision: String = letters.take(10).collect();
        let day = size
            .date
            .chars()
            .filter(|one| one.is_ascii_digit() || *one == '-');
        let day: String = day.collect();
        let arrow = if size.is_forward { "→" } else { "←" };
        let _ = write!(
            content,
            "<text x=\"4\" y=\"{:.0}\">{arrow} {day} {revision}</text>\
             <rect class=\"before\" x=\"{from}\" y=\"{y:.0}\" width=\"{:.1}\" height=\"16\"/>\
             <rect class=\"after\" x=\"{from}\" y=\"{y:.0}\" width=\"{:.1}\" height=\"16\"/>\
             <text x=\"{:.1}\" y=\"{:.0}\">{} of {}</text>",
            y + 13.0,
            wide(size.before),
            wide(size.after),
            from + wide(size.before) + 6.0,
            y + 13.0,
            grouped(size.after),
            grouped(size.before),
        );
    }
    let text = format!(
        "The patch was made anew at {}; at the last it has {}",
        count(sizes.len() as u64, "revision"),
        count(sizes.last().map_or(0, |size| size.after), "line"),
    );
    format!(
        "<figure><figcaption>Lines of the patch that keeps the test running, of all that differ (logarithmic)</figcaption>\
         <div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"Patch sizes over revisions\">{}</div></figure>",
        svg(12.0 + 24.0 * sizes.len() as f64, &text, &content)
    )
}
