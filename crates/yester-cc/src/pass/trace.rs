//! Inserts the code that writes events: calls of small functions, which clang inlines later. No block is split, but each
//! case of a switch gets a block for its event.

use std::collections::HashMap;

use yester_pathrt::format::event;

use super::choice;
use super::site::{EventSite, EventSiteKind, FunctionPlan};
use crate::emitter::Emitter;
use crate::ir::{BlockRef, Opcode, Value};
use crate::llvm;
use crate::module::Module;

const EXITS: [&str; 4] = ["exit", "_exit", "_Exit", "quick_exit"];
const ABORTS: [&str; 2] = ["abort", "__assert_fail"];

/// Inserts events into the functions of a module, into which `event.ll` is already linked.
pub struct EventInserter<'a> {
    emitter: Emitter<'a>,
    /// Whether the runtime writes the frequent events, instead of code in the program.
    is_remote: bool,
}

impl<'a> EventInserter<'a> {
    /// For a module, whose frequent events the runtime writes or the program itself.
    pub fn new(module: &'a Module<'_>, is_remote: bool) -> Self {
        let emitter = Emitter::new(module);
        EventInserter { emitter, is_remote }
    }

    /// Inserts the events of one function.
    pub fn instrument(&self, plan: &FunctionPlan) {
        let blocks = plan.function.all_blocks().into_iter();
        let instructions: Vec<Value> = blocks.flat_map(BlockRef::instructions).collect();
        let serial = self.enter(plan, &instructions);
        for instruction in instructions {
            match instruction.opcode() {
                Opcode::LLVMRet => self.leave(instruction),
                Opcode::LLVMLandingPad => {
                    if let (Some(serial), Some(next)) = (serial, instruction.next()) {
                        self.emitter.before(next);
                        self.emitter.call("yester.land", &[serial]);
                    }
                }
                Opcode::LLVMCall | Opcode::LLVMInvoke => self.called(instruction, serial),
                _ => {}
            }
        }
        for site in &plan.sites {
            match site.kind {
                EventSiteKind::Branch | EventSiteKind::Predicate(_) => self.branch(site),
                EventSiteKind::Switch(_) => self.switch(plan, site),
                EventSiteKind::Call => {
                    self.emitter.before(site.instruction);
                    self.write(site, self.emitter.small(site.first_code));
                }
                EventSiteKind::Value { .. } => {}
            }
        }
    }

    fn write(&self, site: &EventSite, code: Value) {
        self.emitter.call(self.writer(site), &[code]);
    }

    fn write_byte(&self, code: u8) {
        let code = self.emitter.small(code.into());
        self.emitter.call(self.byte_writer(), &[code]);
    }

    /// Inserts the entry event. Returns the serial number of the frame if an exception or longjmp can land in it.
    fn enter(&self, plan: &FunctionPlan, instructions: &[Value]) -> Option<Value> {
        let first = instructions
            .iter()
            .find(|instruction| instruction.opcode() != Opcode::LLVMAlloca)?;
        self.emitter.before(*first);
        if llvm::may_handle_signals(plan.function) {
            self.emitter.call("yester.interrupt", &[]);
        }
        if self.is_remote {
            let number = self.emitter.number_of_function(plan.number);
            self.emitter.call("__yester_event_enter", &[number]);
        } else {
            let first = self.emitter.module.global("yester.first");
            let first = first.expect("event.ll is linked in");
            let number = self.emitter.small(plan.number);
            self.emitter.call("yester.enter", &[first, number]);
        }
        let can_be_landed_in = |instruction: &Value| {
            instruction.opcode() == Opcode::LLVMLandingPad || is_returning_twice(*instruction)
        };
        let can_be_landed_in = instructions.iter().any(can_be_landed_in);
        can_be_landed_in.then(|| self.emitter.call("yester.frame", &[]))
    }

    fn leave(&self, instruction: Value) {
        // Nothing may stand between a `musttail` call and the return.
        let mut place = instruction;
        let mut before = instruction.previous();
        while let Some(candidate) = before {
            match candidate.opcode() {
                Opcode::LLVMBitCast => before = candidate.previous(),
                Opcode::LLVMCall if candidate.is_must_tail() => {
                    place = candidate;
                    break;
                }
                _ => break,
            }
        }
        self.emitter.before(place);
        self.write_byte(event::RETURN);
    }

    fn called(&self, call: Value, serial: Option<Value>) {
        let name = llvm::callee(call).map(Value::name).unwrap_or_default();
        let name = name.as_str();
        if EXITS.contains(&name)
            && let Some(status) = call.arguments().first()
            && status.type_of().is_integer(32)
        {
            self.emitter.before(call);
            self.emitter.call("yester.exit", &[*status]);
        }
        if ABORTS.contains(&name) {
            self.emitter.before(call);
            self.write_byte(event::ABORT);
        }
        if is_returning_twice(call)
            && let Some(serial) = serial
            && let Some(next) = call.next()
            && call.type_of().is_integer(32)
        {
            if name == "vfork" {
                self.emitter.before(call);
                let mark = self.emitter.call("yester.mark", &[]);
                self.emitter.before(next);
                self.emitter.call("yester.vforked", &[mark, serial, call]);
            } else {
                self.emitter.before(next);
                self.emitter.call("yester.jumped", &[serial, call]);
            }
        }
    }

    /// The function that writes a site's codes, which all have the same width.
    fn writer(&self, site: &EventSite) -> &'static str {
        match (site.first_code + site.kind.outcomes() - 1, self.is_remote) {
            (..240, _) => self.byte_writer(),
            (240..0x1_0000, false) => "yester.wide",
            (240..0x1_0000, true) => "__yester_event_wide",
            (_, false) => "yester.wider",
            (_, true) => "__yester_event_wider",
        }
    }

    fn byte_writer(&self) -> &'static str {
        if self.is_remote {
            "__yester_event_byte"
        } else {
            "yester.byte"
        }
    }

    fn branch(&self, site: &EventSite) {
        let condition = site.instruction.operand(0);
        self.emitter.before(site.instruction);
        let taken = self.emitter.truth(condition);
        let first = self.emitter.small(site.first_code);
        self.write(site, self.emitter.add(taken, first));
    }

    fn switch(&self, plan: &FunctionPlan, site: &EventSite) {
        let from = site.instruction.block();
        let place = site.instruction.debug_place();
        let mut ways: HashMap<BlockRef, Vec<BlockRef>> = HashMap::new();
        let mut targets = Vec::new();
        for (outcome, target) in site.instruction.successors().into_iter().enumerate() {
            let outcome = outcome as u32;
            let block = plan.function.append_block();
            self.emitter.at_end_with(block, place);
            self.write(site, self.emitter.small(site.first_code + outcome));
            self.emitter.jump(target);
            site.instruction.set_successor(outcome, block);
            if !ways.contains_key(&target) {
                targets.push(target);
            }
            ways.entry(target).or_default().push(block);
        }
        for target in targets {
            choice::redirect(&self.emitter, target, from, &ways[&target]);
        }
    }
}

fn is_returning_twice(instruction: Value) -> bool {
    instruction.opcode() == Opcode::LLVMCall && llvm::returns_twice(instruction)
}

/// Whether a function can have events: it needs an ordinary entry and ordinary returns.
pub fn is_traceable(function: Value) -> bool {
    let is_special = |name: &&str| function.has_attribute(name);
    !function.is_declaration() && !["naked", "presplitcoroutine"].iter().any(is_special)
}
