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
            let input = &self.input[*byte as usize];
            let (source, value) = (plain(&self.sources[input.source].to_string()), input.value);
            let what = match input.of_length() {
                Some(place) => format!("byte {place} of the length of {source}"),
                None => format!("{source}[{}]", input.offset),
            };
            let _ = writeln!(script, "; b{byte} is {what}, {value} in this run");
        }
        let needed = self.graph.needed(roots);
        let logic = if needed.iter().any(|node| self.graph.is_float(*node)) {
            "QF_BVFP"
        } else {
            "QF_BV"
        };
        let _ = writeln!(
            script,
            "(set-option :produce-models true)\n(set-logic {logic})"
        );
        let mut names = Script::new(&self.graph);
        names.define(&needed, &mut script);
        names.link(&needed, &mut script);
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
}

/// A text that stays in its line, and so in its comment.
fn plain(text: &str) -> String {
    let readable = |letter: char| if letter.is_control() { '?' } else { letter };
    text.chars().map(readable).collect()
}
