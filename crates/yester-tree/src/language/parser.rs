use std::cell::Cell;
use std::ops::ControlFlow;

use tree_sitter::{ParseOptions, ParseState, Point, Tree};

use super::guard::{GuardedLanguage, noticed};

/// How much of a text the parser gets at once. Each piece that it asks for counts as work, again and again where it
/// goes back, and a small piece counts exactly.
const PIECE_BYTES: usize = 256;

/// How many steps of the parser take as long as reading a piece.
const STEPS_FOR_A_PIECE: usize = 32;

/// After how many steps the parser asks whether to go on.
const STEPS_IN_A_ROUND: usize = 100;

/// After an error the parser tries all tokens of the grammar. This many take as long as a step.
const TOKENS_IN_A_STEP: usize = 4;

/// How many steps a text may take, however short it is: some hundredths of a second. A reduction parses a short text
/// thousands of times.
const STEPS: usize = 1 << 16;

/// How many steps a text may take for each byte. Real texts take 1 to 4, and with a fault in each line up to 11.
const STEPS_FOR_A_BYTE: usize = 16;

/// Parses strangers' texts, and gives up in good time where that would take too much time or memory.
///
/// Every parse in this crate goes through here. The limits count what the parser does and not how long it takes, so that
/// the same text always has the same tree, or none.
pub(crate) struct Parser {
    language: GuardedLanguage,
}

/// Why a text has no tree: it is …
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The parser cannot keep track of so many open tags or blocks.
    #[error("nested too deeply for the parser")]
    Depth,
    /// The parser goes back and forth in the text, or finds faults wherever it looks.
    #[error("too hard for the parser")]
    Work,
}

impl Parser {
    pub(super) fn new(name: &str, language: &tree_sitter::Language) -> Parser {
        Parser {
            language: GuardedLanguage::new(name, language),
        }
    }

    /// The grammar, to look things up in.
    pub(crate) fn language(&self) -> &tree_sitter::Language {
        self.language.language()
    }

    /// The tree of a text, made from scratch or from that of a similar text.
    pub(crate) fn parse(&self, text: &[u8], before: Option<&Tree>) -> Result<Tree, Refusal> {
        self.parse_counting(text, before).map(|(tree, _)| tree)
    }

    /// The same, and how many steps it took.
    pub(super) fn parse_counting(
        &self,
        text: &[u8],
        before: Option<&Tree>,
    ) -> Result<(Tree, usize), Refusal> {
        let limit = STEPS + STEPS_FOR_A_BYTE * text.len();
        let mut parser = self.language.parser();
        let pieces = Cell::new(0);
        // There is always more before the end of the text: the parser does not expect another answer.
        let mut read = |start: usize, _: Point| {
            pieces.set(pieces.get() + 1);
            let end = text.len().min(start.saturating_add(PIECE_BYTES));
            text.get(start..end).unwrap_or_default()
        };
        let rounds = Cell::new(0);
        let steps = || {
            rounds.get() * STEPS_IN_A_ROUND
                + pieces.get() * STEPS_FOR_A_PIECE
                + noticed().errors * self.language.token_count() / TOKENS_IN_A_STEP
        };
        let mut progress = |_: &ParseState| {
            rounds.set(rounds.get() + 1);
            if noticed().is_lost || steps() > limit {
                return ControlFlow::Break(());
            }
            ControlFlow::Continue(())
        };
        let options = ParseOptions::new().progress_callback(&mut progress);
        let tree = parser.parse_with_options(&mut read, before, Some(options));
        if noticed().is_lost {
            return Err(Refusal::Depth);
        }
        tree.map(|tree| (tree, steps())).ok_or(Refusal::Work)
    }
}

#[cfg(test)]
#[cfg(all(
    feature = "bash",
    feature = "html",
    feature = "python",
    feature = "xml",
    feature = "yaml"
))]
mod tests {
    use super::*;
    use crate::Language;

    fn refusal(language: &str, text: &str) -> Option<Refusal> {
        let language = Language::by_name(language).expect("compiled in");
        language.parser().parse(text.as_bytes(), None).err()
    }

    /// Blocks inside each other by their indentation.
    fn indented(line: &str, depth: usize) -> String {
        let lines = (0..depth).map(|level| " ".repeat(level) + line + "\n");
        lines.collect::<String>() + &" ".repeat(depth) + "x\n"
    }

    #[test]
    fn nesting_that_a_scanner_cannot_hold_is_refused_and_not_the_end_of_the_process() {
        for (language, text) in [
            ("yaml", indented("a:", 254)),
            ("yaml", "- ".repeat(300) + "x\n"),
            ("python", indented("if x:", 600)),
            ("html", "<div>".repeat(1100)),
            ("xml", "<a>".repeat(600)),
        ] {
            assert_eq!(refusal(language, &text), Some(Refusal::Depth), "{language}");
        }
    }

    #[test]
    fn nesting_that_a_scanner_can_hold_is_parsed() {
        for (language, text) in [
            ("yaml", indented("a:", 120)),
            ("python", indented("if x:", 400)),
            ("html", "<div>".repeat(500) + &"</div>".repeat(500)),
            ("xml", "<a>".repeat(300) + &"</a>".repeat(300)),
        ] {
            let parser = Language::by_name(language).expect("compiled in").parser();
            let tree = parser.parse(text.as_bytes(), None).expect(language);
            assert!(!tree.root_node().has_error(), "{language}");
        }
    }

    #[test]
    fn comments_and_here_documents_without_an_end_are_not_read_to_the_end_each_time() {
        assert_eq!(refusal("html", &"<!--".repeat(20_000)), Some(Refusal::Work));
        assert_eq!(
            refusal("bash", &"cat <<E ".repeat(10_000)),
            Some(Refusal::Work)
        );
    }

    #[test]
    fn hundreds_of_here_documents_are_parsed() {
        let documents = (0..400).map(|number| format!("cat <<E{number}\nx\nE{number}\n"));
        let parser = Language::by_name("bash").expect("compiled in").parser();
        let tree = parser.parse(documents.collect::<String>().as_bytes(), None);
        assert!(!tree.expect("it is an easy text").root_node().has_error());
    }
}
