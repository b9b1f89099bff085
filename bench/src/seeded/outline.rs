//! The functions of a small C or C++ program, and which call which.

use std::ops::RangeInclusive;

/// What looks like a call and is none.
const KEYWORDS: [&str; 6] = ["if", "while", "for", "switch", "return", "sizeof"];

/// A function of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutlinedFunction {
    /// Its name, without class and parameters.
    pub name: String,
    /// From the line of its name to that of its last bracket.
    pub lines: RangeInclusive<u32>,
    /// The names of what it calls.
    pub calls: Vec<String>,
}

/// The functions of a program.
#[derive(Clone, Debug, Default)]
pub struct Outline {
    /// In the order of the text.
    pub functions: Vec<OutlinedFunction>,
}

#[derive(Clone, Copy, PartialEq)]
struct Word<'a> {
    text: &'a str,
    line: u32,
}

impl Outline {
    /// Reads a text that compiles.
    pub fn of(text: &str) -> Outline {
        let plain = without_literals(text);
        let words = words(&plain);
        let mut functions = Vec::new();
        let mut at = 0;
        while at < words.len() {
            match function_at(&words, at) {
                Some((function, end)) => {
                    functions.push(function);
                    at = end;
                }
                None => at += 1,
            }
        }
        Outline { functions }
    }

    /// The function that a line belongs to.
    pub fn at(&self, line: u32) -> Option<&OutlinedFunction> {
        let mut functions = self.functions.iter();
        functions.find(|function| function.lines.contains(&line))
    }

    /// Whether one of two functions calls the other.
    pub fn are_neighbours(&self, one: &str, other: &str) -> bool {
        self.calls(one, other) || self.calls(other, one)
    }

    fn calls(&self, caller: &str, callee: &str) -> bool {
        let mut functions = self.functions.iter();
        functions.any(|function| {
            function.name == caller && function.calls.iter().any(|name| name == callee)
        })
    }
}

/// The function whose body begins at a word, and the word after it.
fn function_at<'a>(words: &[Word<'a>], open: usize) -> Option<(OutlinedFunction, usize)> {
    if words[open].text != "{" {
        return None;
    }
    let mut before = open.checked_sub(1)?;
    if words[before].text == "const" {
        before = before.checked_sub(1)?;
    }
    if words[before].text != ")" {
        return None;
    }
    let mut depth = 1;
    while depth > 0 {
        before = before.checked_sub(1)?;
        match words[before].text {
            ")" => depth += 1,
            "(" => depth -= 1,
            _ => (),
        }
    }
    let name = words[before.checked_sub(1)?];
    let mut end = open + 1;
    depth = 1;
    while depth > 0 && end < words.len() {
        match words[end].text {
            "{" => depth += 1,
            "}" => depth -= 1,
            _ => (),
        }
        end += 1;
    }
    let body = &words[open..end];
    let calls = body
        .windows(2)
        .filter(|pair| pair[1].text == "(" && is_name(pair[0].text))
        .map(|pair| pair[0].text)
        .filter(|name| !KEYWORDS.contains(name))
        .map(str::to_owned);
    let function = OutlinedFunction {
        name: name.text.to_owned(),
        lines: name.line..=body.last()?.line,
        calls: calls.collect(),
    };
    Some((function, end))
}

fn is_name(word: &str) -> bool {
    word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
}

fn words(text: &str) -> Vec<Word<'_>> {
    let mut words = Vec::new();
    for (line, content) in (1..).zip(text.lines()) {
        let mut rest = content.trim_start();
        while let Some(first) = rest.chars().next() {
            let is_part = |character: char| character.is_ascii_alphanumeric() || character == '_';
            let end = if is_part(first) {
                rest.find(|character| !is_part(character))
                    .unwrap_or(rest.len())
            } else {
                first.len_utf8()
            };
            words.push(Word {
                text: &rest[..end],
                line,
            });
            rest = rest[end..].trim_start();
        }
    }
    words
}

/// The text with blanks for comments, strings, characters and directives; lines stay where they are.
fn without_literals(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    let mut is_line_start = true;
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '/' if rest.starts_with("/*") => rest.find("*/").map_or(rest.len(), |at| at + 2),
            '/' if rest.starts_with("//") => rest.find('\n').unwrap_or(rest.len()),
            '#' if is_line_start => rest.find('\n').unwrap_or(rest.len()),
            '"' | '\'' => quoted_length(rest, first),
            _ => {
                plain.push(first);
                is_line_start = first == '\n' || is_line_start && first == ' ';
                rest = &rest[first.len_utf8()..];
                continue;
            }
        };
        let newlines = rest[..length].matches('\n').count();
        // A literal is a word, so that what stands around it does not become one.
        plain.push_str(if first == '"' || first == '\'' {
            " 0 "
        } else {
            " "
        });
        plain.push_str(&"\n".repeat(newlines));
        is_line_start &= newlines > 0;
        rest = &rest[length..];
    }
    plain
}

fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, character) in text.char_indices().skip(1) {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if character == quote => return at + 1,
            _ => (),
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::Outline;

    const TEXT: &str = "\
#define TWICE(x) { x; x; }
struct pair { int a, b; }; /* { */
static int half(int number)
{
    return number / 2; // }
}
int Shop::price(const Item &item) const
{
    if (item.a > '}') { half(3); }
    return sizeof(item);
}
int main() { char *s = \"}\\\"{\"; return price(s) + half(1); }
";

    #[test]
    fn functions_have_their_lines_and_calls() {
        let outline = Outline::of(TEXT);
        let functions = outline.functions.iter();
        let found: Vec<_> = functions
            .map(|function| (function.name.as_str(), function.lines.clone()))
            .collect();
        assert_eq!(
            found,
            [("half", 3..=6), ("price", 7..=11), ("main", 12..=12)]
        );
        assert_eq!(outline.functions[1].calls, ["half"]);
        assert_eq!(outline.functions[2].calls, ["price", "half"]);
        assert_eq!(outline.at(9).map(|function| &*function.name), Some("price"));
        assert_eq!(outline.at(2), None);
    }

    #[test]
    fn neighbours_call_one_another() {
        let outline = Outline::of(TEXT);
        assert!(outline.are_neighbours("half", "main"));
        assert!(outline.are_neighbours("main", "half"));
        assert!(!outline.are_neighbours("half", "half"));
        assert!(!outline.are_neighbours("half", "unknown"));
    }
}
