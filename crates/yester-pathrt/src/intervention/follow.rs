//! Follows a value: in a recording it becomes the sum of what it was and of a number that is a source of input of its own,
//! `intervention`, so that a solver can say which number would have changed the output as it should be.

use super::{Report, reach};
use crate::format::Operation;
use crate::protocol::Action;
use crate::symbolic::engine::Engine;
use crate::symbolic::input::ChosenSource;
use crate::symbolic::model;

/// A value that is assigned, passed, returned or used as an index, in a program that records.
///
/// # Safety
/// The place is one of the module whose array this is.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_model_intervention(
    armed: *mut u8,
    number: u64,
    value: u64,
) -> u64 {
    let callee = __yester_model_intervention as *const () as usize;
    // SAFETY: as the caller promises.
    let (place, is_armed) = unsafe {
        let place = armed.add(number as usize);
        (place, *place != 0)
    };
    let more = match is_armed.then(|| reach(place, Report::Value(value))) {
        Some(Some(Action::Add(more))) => Some(more),
        _ => None,
    };
    let result = value.wrapping_add(more.unwrap_or(0));
    let parameters = [(armed as u64, 64), (number, 64), (value, 64)];
    if let Some((mut engine, [_, _, node])) = model::start(callee, parameters) {
        let node = match more {
            Some(more) => engine.more(node, value, more),
            None => node,
        };
        engine.give(callee as u64, node, result);
    }
    result
}

impl Engine {
    /// A value and what is added to it.
    fn more(&mut self, node: u32, value: u64, more: u64) -> u32 {
        let mut sources = 0..self.inputs.count;
        let Some(source) =
            sources.find(|source| self.inputs.source(*source) == ChosenSource::Intervention)
        else {
            return node;
        };
        let mut sum = 0;
        for (offset, byte) in more.to_le_bytes().into_iter().enumerate() {
            let byte = self.input_byte(source, offset as u64, byte);
            sum = match offset {
                0 => byte,
                _ => self.graph.concatenate(byte, sum),
            };
        }
        let before = self.operand(node, 64, value);
        self.graph.binary(Operation::Add, before, sum)
    }
}
