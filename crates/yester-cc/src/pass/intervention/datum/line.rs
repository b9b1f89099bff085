//! Finds the lines that the numbers of a table are written in. Debug information has the line of the variable only.

/// What a variable is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A number.
    Number,
    /// Something else, such as a pointer.
    Other,
    /// The elements of an array, or the members of a structure.
    Group(Vec<Shape>),
}

/// The line of each number of a variable that is defined at a line. None if the text is not written as plainly as the shape is: with
/// designators, with macros, or without the braces of a part.
pub fn lines(source: &str, line: u32, name: &str, shape: &Shape) -> Option<Vec<u32>> {
    let begin = line.checked_sub(1)? as usize;
    let offset: usize = source.split_inclusive('\n').take(begin).map(str::len).sum();
    let mut reader = Reader {
        rest: source.get(offset..)?,
        line,
        found: Vec::new(),
    };
    reader.skip_to(name)?;
    reader.skip_to("=")?;
    reader.value(shape)?;
    Some(reader.found)
}

struct Reader<'a> {
    rest: &'a str,
    line: u32,
    found: Vec<u32>,
}

impl Reader<'_> {
    /// Goes on behind so many bytes.
    fn advance(&mut self, bytes: usize) {
        let (over, rest) = self.rest.split_at(bytes);
        self.line += over.matches('\n').count() as u32;
        self.rest = rest;
    }

    /// Goes on behind a text that comes before the end of the declaration.
    fn skip_to(&mut self, text: &str) -> Option<()> {
        let place = self.rest.find(text)?;
        if self.rest[..place].contains([';', '{']) {
            return None;
        }
        self.advance(place + text.len());
        Some(())
    }

    /// Goes on behind white space and comments.
    fn skip_space(&mut self) {
        loop {
            let trimmed = self.rest.trim_start();
            self.advance(self.rest.len() - trimmed.len());
            let end = match self.rest.get(..2) {
                Some("//") => self.rest.find('\n'),
                Some("/*") => self.rest.find("*/").map(|end| end + 2),
                _ => return,
            };
            self.advance(end.unwrap_or(self.rest.len()));
        }
    }

    /// Reads a value of a shape.
    fn value(&mut self, shape: &Shape) -> Option<()> {
        self.skip_space();
        let Shape::Group(parts) = shape else {
            if self.rest.starts_with(['{', '.', '[']) {
                return None;
            }
            if *shape == Shape::Number {
                self.found.push(self.line);
            }
            return self.skip_expression();
        };
        if !self.rest.starts_with('{') {
            // A text is an array of numbers, too.
            let is_text = self.rest.starts_with('"');
            self.leave_out(shape);
            return is_text.then(|| self.skip_expression()).flatten();
        }
        self.advance(1);
        for part in parts {
            self.skip_space();
            if self.rest.starts_with('}') {
                self.leave_out(part);
                continue;
            }
            self.value(part)?;
            self.skip_space();
            if self.rest.starts_with(',') {
                self.advance(1);
            }
        }
        self.skip_space();
        self.rest.starts_with('}').then(|| self.advance(1))
    }

    /// Numbers that are not written are told where they would be.
    fn leave_out(&mut self, shape: &Shape) {
        match shape {
            Shape::Number => self.found.push(self.line),
            Shape::Other => {}
            Shape::Group(parts) => parts.iter().for_each(|part| self.leave_out(part)),
        }
    }

    /// Goes to the comma or brace behind an expression.
    fn skip_expression(&mut self) -> Option<()> {
        let mut depth = 0;
        loop {
            self.skip_space();
            let first = self.rest.chars().next()?;
            match first {
                ',' | '}' | ';' if depth == 0 => return Some(()),
                '(' | '[' | '{' => depth += 1,
                ')' | ']' | '}' => depth -= 1,
                '"' | '\'' => {
                    self.skip_text(first)?;
                    continue;
                }
                _ => {}
            }
            self.advance(first.len_utf8());
        }
    }

    /// Goes on behind a string or a character.
    fn skip_text(&mut self, quote: char) -> Option<()> {
        let mut is_escaped = true;
        for (place, character) in self.rest.char_indices() {
            if character == quote && !is_escaped {
                self.advance(place + 1);
                return Some(());
            }
            is_escaped = character == '\\' && !is_escaped || place == 0 && character != quote;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize) -> Shape {
        Shape::Group(vec![Shape::Number; count])
    }

    #[test]
    fn each_number_has_the_line_that_it_is_written_in() {
        let source = "int other[] = { 7 };\nstatic const int limits[4] = {\n    10, /* low,\n    */ 20,\n    f(1, 2),\n};\n";
        assert_eq!(
            lines(source, 2, "limits", &numbers(4)),
            Some(vec![3, 4, 5, 6])
        );
        assert_eq!(
            lines("int limit = 7;\n", 1, "limit", &Shape::Number),
            Some(vec![1])
        );
    }

    #[test]
    fn rows_have_braces_of_their_own() {
        let row = Shape::Group(vec![Shape::Other, Shape::Number, Shape::Number]);
        let shape = Shape::Group(vec![row.clone(), row]);
        let source =
            "struct row rows[] = {\n  { \"a, \\\"}\", ',', 1 },\n  { \"b\",\n    2, 3 },\n};\n";
        assert_eq!(lines(source, 1, "rows", &shape), Some(vec![2, 2, 4, 4]));
    }

    #[test]
    fn what_is_not_written_plainly_has_no_lines() {
        for source in [
            "int t[2] = { [1] = 3 };",
            "int t[2] = { TABLE };",
            "int t[2];",
            "int t[2] = { 1, 2",
            "int u[2] = { 1, 2 };",
        ] {
            let two = Shape::Group(vec![numbers(1), numbers(1)]);
            assert_eq!(lines(source, 1, "t", &two), None, "{source}");
        }
    }
}
