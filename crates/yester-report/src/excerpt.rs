//! A line of the source with what is to be said about it.

use annotate_snippets::{AnnotationKind, Level, Renderer, Snippet};

use crate::{visible, visible_line};

/// A line of the source, and what is said above, beside and below it.
pub(crate) struct Excerpt<'a> {
    pub title: String,
    /// What stands beside the part of the line that is meant.
    pub label: String,
    pub source: &'a str,
    pub file: &'a str,
    pub line: u32,
    /// That part, in bytes.
    pub span: (usize, usize),
    /// What stands below it, each in a line of its own.
    pub notes: Vec<String>,
}

impl<'a> Excerpt<'a> {
    /// The same as one of a list.
    pub fn numbered(self, number: usize) -> Excerpt<'a> {
        Excerpt {
            title: format!("{number}. {}", self.title),
            ..self
        }
    }

    pub fn text(&self) -> String {
        let safe = |text: &str| visible_line(text).into_owned();
        let (title, label) = (safe(&self.title), safe(&self.label));
        let (source, path) = (safe(self.source), safe(self.file));
        // What was escaped has moved what is behind it.
        let (begin, end) = if source == self.source {
            self.span
        } else {
            (source.len() - source.trim_start().len(), source.len())
        };
        let mut group = Level::NOTE.no_name().primary_title(title).element(
            Snippet::source(source.as_str())
                .line_start(self.line as usize)
                .path(path.as_str())
                .annotation(
                    AnnotationKind::Primary
                        .span(begin..end)
                        .label(label.as_str()),
                ),
        );
        for note in &self.notes {
            group = group.element(Level::NOTE.no_name().message(safe(note)));
        }
        let mut text = Renderer::plain().render(&[group]);
        text.push('\n');
        visible(&text).into_owned()
    }
}

/// The part of a line that a place is about, in bytes: from its column to where the expression ends.
pub(crate) fn span(line: &str, column: u32, kind: &str) -> (usize, usize) {
    // A value has the column of its operator: the whole statement is meant.
    let begin = match kind {
        "branch" => (column as usize).saturating_sub(1).min(line.len()),
        _ => line.len() - line.trim_start().len(),
    };
    let begin = (0..=begin)
        .rev()
        .find(|at| line.is_char_boundary(*at))
        .unwrap_or(0);
    let mut depth = 0_i32;
    let mut end = line.len();
    for (at, character) in line[begin..].char_indices() {
        let rest = &line[begin + at..];
        match character {
            '(' | '[' => depth += 1,
            // A parenthesis may end a part of the expression only: `(*p)->key != k`.
            ')' | ']' if depth == 0 => {
                let next = rest[1..].trim_start();
                let goes_on = next.starts_with(|one| "-.[=!<>+*/%&|^".contains(one))
                    && !["&&", "||", "//", "/*"]
                        .iter()
                        .any(|end| next.starts_with(end));
                if !goes_on {
                    end = begin + at;
                    break;
                }
            }
            ')' | ']' => depth -= 1,
            ';' | '{' if depth == 0 => {
                end = begin + at;
                break;
            }
            _ if depth == 0
                && kind == "branch"
                && ["&&", "||", "?"].iter().any(|end| rest.starts_with(end)) =>
            {
                end = begin + at;
                break;
            }
            _ => {}
        }
    }
    let end = begin + line[begin..end].trim_end().len();
    (begin, end.max(begin))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_underline_ends_where_the_condition_ends() {
        let underlined = |line: &str, column: u32, kind: &str| {
            let (begin, end) = span(line, column, kind);
            line[begin..end].to_owned()
        };
        assert_eq!(
            underlined("    if (a != 1 && b != 2)", 9, "branch"),
            "a != 1"
        );
        assert_eq!(
            underlined("    while ((*p)->key != k) {", 13, "branch"),
            "*p)->key != k"
        );
        assert_eq!(underlined("if(k>7) puts(\"x\");", 4, "branch"), "k>7");
        assert_eq!(
            underlined("    return w > 10 ? 1 : 2;", 12, "branch"),
            "w > 10"
        );
        assert_eq!(underlined("    x = f(a) + 1;", 7, "value"), "x = f(a) + 1");
        // A column that is not in the line, as a wrong #line may have it.
        assert_eq!(underlined("x", 99, "branch"), "");
    }
}
