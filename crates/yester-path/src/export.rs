//! A path condition as an SMT-LIB script, for other solvers and for other tools.

use std::fmt::Write;

use crate::condition::ConstraintKind;
use crate::expression::{ExpressionText, Script};
use crate::recording::Recording;

impl Recording {
    /// The path condition as a script that asks whether an input takes the path of this run, which one does. A comment says what each
    /// byte is, and what each assertion means.
    pub fn smt(&self) -> String {
        let mut script = String::from("; The path condition of a run, from yester trace.\n");
        let roots = self.constraints.iter().map(|constraint| constraint.node);
        let inputs = self.graph.inputs_of(roots.clone());
        for byte in &inputs {
            let InputByteText(source, offset, value) = self.byte_text(*byte);
            let _ = writeln!(
                script,
                "; b{byte} is {source}[{offset}], {value} in this run"
            );
        }
        script.push_str("(set-option :produce-models true)\n(set-logic QF_BV)\n");
        Script::new(&self.graph).define(&self.graph.needed(roots), &mut script);
        let names = Script::new(&self.graph);
        let text = ExpressionText::new(&self.graph, &self.input, &self.sources);
        for (index, constraint) in self.constraints.iter().enumerate() {
            let note = match constraint.kind {
                ConstraintKind::Branch => "",
                ConstraintKind::Concretised => ", taken as it was",
            };
            let meaning = plain(&text.condition(constraint.node, true));
            let name = names.name(constraint.node);
            let _ = writeln!(
                script,
                "; [{index}]{note} {meaning}\n(assert (= {name} #b1))"
            );
        }
        script.push_str("(check-sat)\n");
        script
    }

    fn byte_text(&self, byte: u32) -> InputByteText {
        let byte = &self.input[byte as usize];
        let source = plain(&self.sources[byte.source].to_string());
        InputByteText(source, byte.offset, byte.value)
    }
}

/// The source of a byte, its offset and its value.
struct InputByteText(String, u64, u8);

/// A text that stays in its line, and so in its comment.
fn plain(text: &str) -> String {
    let readable = |letter: char| if letter.is_control() { '?' } else { letter };
    text.chars().map(readable).collect()
}
