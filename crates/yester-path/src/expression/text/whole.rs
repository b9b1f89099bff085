//! Whole texts, cut where they get long.

use super::{ELLIPSIS, ExpressionText, MOST_CHARACTERS, MOST_NODES, TextPiece};
use crate::expression::NodeId;

impl ExpressionText<'_> {
    /// A node of one bit as a condition, negated if it does not hold.
    pub fn condition(&self, node: NodeId, holds: bool) -> String {
        self.left.set(MOST_NODES);
        cut(self.truth(node, holds, 0))
    }

    /// A node of any width as a number.
    pub fn number(&self, node: NodeId) -> String {
        self.left.set(MOST_NODES);
        cut(self.value(node, 0))
    }
}

fn cut(piece: TextPiece) -> String {
    let TextPiece(text, _) = piece;
    match text.char_indices().nth(MOST_CHARACTERS) {
        Some((end, _)) => format!("{}{ELLIPSIS}", &text[..end]),
        None => text,
    }
}
