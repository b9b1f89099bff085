//! The names in the text of a message.

/// Words that tools quote although no change defines them.
const NO_NAMES: &[&str] = &[
    "Self",
    "auto",
    "bool",
    "boolean",
    "char",
    "class",
    "const",
    "core",
    "crate",
    "double",
    "enum",
    "extern",
    "f32",
    "f64",
    "float",
    "fn",
    "function",
    "i16",
    "i32",
    "i64",
    "i8",
    "impl",
    "inline",
    "int",
    "isize",
    "let",
    "long",
    "mut",
    "null",
    "object",
    "pub",
    "return",
    "self",
    "short",
    "signed",
    "static",
    "std",
    "str",
    "string",
    "struct",
    "super",
    "this",
    "type",
    "typename",
    "u16",
    "u32",
    "u64",
    "u8",
    "undefined",
    "union",
    "unsigned",
    "use",
    "usize",
    "var",
    "void",
    "volatile",
];

/// The marks that start a quotation.
pub(super) const MARKS: [char; 5] = ['\'', '"', '`', '‘', '“'];

/// The quotation before these words is an owner, and the one after them is what the owner lacks.
const BEFORE_THE_POINT: &[&str] = &[
    "named",
    "member",
    "attribute",
    "field",
    "method",
    "property",
];

/// The names that a text quotes, the most specific first.
pub(super) fn quoted(text: &str) -> Vec<String> {
    let mut text = text;
    for after in [
        "; did you mean",
        ", did you mean",
        ". Did you mean",
        " {aka ",
    ] {
        text = match text.split_once(after) {
            // What follows the alias of a type counts again.
            Some((before, rest)) if after == " {aka " => {
                let mut names = quoted(before);
                let behind = rest.split_once('}').map_or("", |(_, behind)| behind);
                let is_point = BEFORE_THE_POINT.iter().any(|word| behind.contains(word));
                let more = quoted(behind);
                let at = if is_point { 0 } else { names.len() };
                names.splice(at..at, more);
                return unique(names);
            }
            Some((before, _)) => before,
            None => text,
        };
    }
    let mut segments = segments(text);
    // The names that the message is about come first. The others keep their order.
    segments.sort_by_key(|segment| {
        let before = text[..segment.start].trim_end();
        let before = before.rsplit(' ').next().unwrap_or_default();
        !BEFORE_THE_POINT.contains(&before)
    });
    let names = segments.into_iter().flat_map(|segment| parts(segment.text));
    unique(names.collect())
}

/// A quoted part of a text.
pub(super) struct Segment<'a> {
    /// What is between the quotation marks.
    pub text: &'a str,
    /// Where the first mark is.
    start: usize,
}

/// What a text quotes, in any of the ways that tools quote.
pub(super) fn segments(text: &str) -> Vec<Segment<'_>> {
    let mut segments = Vec::new();
    let mut at = 0;
    while let Some(start) = text[at..].find(MARKS) {
        let start = at + start;
        let mark = text[start..].chars().next().expect("a mark was found");
        let inner = start + mark.len_utf8();
        at = inner;
        // An apostrophe is not a mark.
        let is_in_word = text[..start].ends_with(char::is_alphanumeric);
        if is_in_word && matches!(mark, '\'' | '"') {
            continue;
        }
        let ends: &[char] = match mark {
            '‘' => &['’'],
            '“' => &['”'],
            '`' => &['`', '\''],
            '"' => &['"'],
            _ => &['\''],
        };
        let end = text[inner..].char_indices().find(|(end, character)| {
            let after = &text[inner + end + character.len_utf8()..];
            ends.contains(character) && !after.starts_with(char::is_alphanumeric)
        });
        let Some((end, mark)) = end else { continue };
        let quoted = text[inner..inner + end].trim_matches('"');
        segments.push(Segment {
            text: quoted,
            start,
        });
        at = inner + end + mark.len_utf8();
    }
    segments
}

/// The names in a quotation: those of a path from its end, then those around it.
pub(super) fn parts(text: &str) -> Vec<String> {
    // Nobody wrote `{integer}` as a type.
    if text.starts_with('{') {
        return Vec::new();
    }
    if text.starts_with("./") || text.starts_with("../") || text.starts_with('/') {
        return vec![super::location::normal(text)];
    }
    let arguments = text
        .char_indices()
        .find(|(at, character)| *at > 0 && *character == '(');
    let head = arguments.map_or(text, |(at, _)| &text[..at]);
    let head = head.split_once('<').map_or(head, |(head, _)| head);
    let main = head.split_whitespace().next_back().unwrap_or_default();
    let mut names: Vec<String> = identifiers(main).collect();
    names.reverse();
    names.extend(identifiers(text));
    unique(names)
}

/// The identifiers of a text, without words that are not names.
pub(super) fn identifiers(text: &str) -> impl Iterator<Item = String> + '_ {
    let is_part = |character: char| character.is_alphanumeric() || matches!(character, '_' | '$');
    text.split(move |character| !is_part(character))
        .filter(|word| word.starts_with(|first: char| !first.is_ascii_digit()))
        .filter(|word| !NO_NAMES.contains(word))
        .map(str::to_owned)
}

/// The names of a text that starts with one, such as `a.b.c is not a function`: the last part first.
pub(super) fn path(text: &str) -> Vec<String> {
    let word = text.split_whitespace().next().unwrap_or_default();
    let word = word.trim_end_matches([',', ';', ':', '.', ')', '(']);
    let mut names: Vec<String> = identifiers(word).collect();
    names.reverse();
    unique(names)
}

/// Each name once, where it comes first.
pub(super) fn unique(names: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for name in names {
        if !kept.contains(&name) {
            kept.push(name);
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_of_quoting_is_understood() {
        assert_eq!(
            quoted("‘a’ and `b' and `c` and 'd' and \"e\""),
            ["a", "b", "c", "d", "e"]
        );
        assert_eq!(quoted("it isn't 'a' that doesn't"), ["a"]);
        assert_eq!(quoted("size of ‘n’ isn’t known"), ["n"]);
        assert_eq!(quoted("an 'open one"), Vec::<String>::new());
        assert_eq!(quoted("''"), Vec::<String>::new());
    }

    #[test]
    fn the_most_specific_name_is_first() {
        assert_eq!(quoted("‘struct s’ has no member named ‘m’"), ["m", "s"]);
        assert_eq!(
            quoted("no matching function for call to ‘ns::K::f(int, T)’"),
            ["f", "K", "ns", "T"]
        );
        assert_eq!(
            quoted("‘std::string’ {aka ‘class b<char>’} has no member named ‘frob’"),
            ["frob"]
        );
        assert_eq!(
            quoted("Module '\"./m\"' has no exported member 'x'."),
            ["x", "m"]
        );
        assert_eq!(
            quoted("'lenght' undeclared; did you mean 'length'?"),
            ["lenght"]
        );
    }
}
