//! Bytes that are put together to a number.

use yester_pathrt::format::Operation;

use super::{BIT_OR, ExpressionText, PRIMARY, SHIFT, TextPiece};
use crate::expression::{Expression, NodeId};
use crate::recording::InputByte;

impl ExpressionText<'_> {
    /// The parts of a concatenation, the highest first.
    fn parts(&self, node: NodeId) -> Vec<NodeId> {
        let mut parts = Vec::new();
        let mut open = vec![node];
        while let Some(node) = open.pop() {
            match self.graph.expression(node) {
                Expression::Binary(Operation::Concatenate, high, low) => open.extend([low, high]),
                _ => parts.push(node),
            }
        }
        parts
    }

    /// Neighbouring bytes of one source: the first, how many, and whether the first is the highest.
    fn range(&self, parts: &[NodeId]) -> Option<(u32, u64, bool)> {
        let bytes = parts.iter().map(|part| match self.graph.expression(*part) {
            Expression::Input(byte) => Some(byte),
            _ => None,
        });
        let bytes: Vec<u32> = bytes.collect::<Option<_>>()?;
        let places = bytes.iter().map(|byte| self.input[*byte as usize]);
        let places: Vec<InputByte> = places.collect();
        let follows = |low: &InputByte, high: &InputByte| {
            low.source == high.source && low.offset.checked_add(1) == Some(high.offset)
        };
        let count = parts.len() as u64;
        if places.windows(2).all(|two| follows(&two[1], &two[0])) {
            Some((*bytes.last()?, count, false))
        } else if places.windows(2).all(|two| follows(&two[0], &two[1])) {
            Some((*bytes.first()?, count, true))
        } else {
            None
        }
    }

    pub(super) fn is_range(&self, node: NodeId) -> bool {
        matches!(
            self.graph.expression(node),
            Expression::Binary(Operation::Concatenate, ..)
        ) && self.range(&self.parts(node)).is_some()
    }

    pub(super) fn concatenation(&self, node: NodeId, depth: usize) -> TextPiece {
        let parts = self.parts(node);
        if let Some((first, count, big_endian)) = self.range(&parts) {
            let InputByte { source, offset, .. } = self.input[first as usize];
            let name = &self.names[source];
            let range = match self.input[first as usize].of_length() {
                Some(0) => format!("length({name})"),
                _ => format!("{name}[{offset}..{}]", offset + count),
            };
            return if big_endian {
                TextPiece(format!("big_endian({range})"), PRIMARY)
            } else {
                TextPiece(range, PRIMARY)
            };
        }
        let mut low = self.graph.width(node);
        let mut pieces = Vec::new();
        for part in parts {
            low -= self.graph.width(part);
            if self.graph.constant(part) == Some(0) {
                continue;
            }
            let piece = self.value(part, depth);
            pieces.push(match low {
                0 => piece.within(SHIFT),
                _ => format!("{} << {low}", piece.within(SHIFT)),
            });
        }
        match pieces.len() {
            0 => TextPiece("0".to_owned(), PRIMARY),
            1 => TextPiece(pieces.remove(0), SHIFT),
            _ => TextPiece(pieces.join(" | "), BIT_OR),
        }
    }
}
