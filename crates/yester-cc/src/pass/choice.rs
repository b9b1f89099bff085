//! Turns `select` instructions back into branches. clang emits one for `a ? b : c` if both values are cheap, but the author
//! wrote a branch, and the trace needs its outcome and condition.

use super::site::ConditionPlaces;
use crate::emitter::Emitter;
use crate::ir::{BlockRef, Opcode, TypeKind, Value};
use crate::module::Module;

/// Turns the selects of a module into branches, which are where their conditions are.
pub fn branch(module: &Module<'_>, places: &mut ConditionPlaces) {
    let emitter = Emitter::new(module);
    for function in module.functions() {
        // The last of a block first: each moves what follows it, which is then little.
        let blocks = function.all_blocks().into_iter();
        let mut selects: Vec<Value> = blocks
            .flat_map(BlockRef::instructions)
            .filter(|instruction| instruction.opcode() == Opcode::LLVMSelect)
            .collect();
        selects.reverse();
        for select in selects {
            // A vector condition selects lane by lane.
            if select.operand(0).type_of().kind() != TypeKind::LLVMIntegerTypeKind {
                continue;
            }
            let place = places.remove(&select);
            let branch = split(&emitter, select);
            if let Some(place) = place {
                places.insert(branch, place);
            }
        }
    }
}

fn split(emitter: &Emitter<'_>, select: Value) -> Value {
    let [condition, yes, no] = [0, 1, 2].map(|index| select.operand(index));
    let block = select.block();
    let after = block.insert_after(c"choice.end");
    let no_block = block.insert_after(c"choice.no");
    let yes_block = block.insert_after(c"choice.yes");
    let place = select.debug_place();
    emitter.at_end_with(after, place);
    let chosen = emitter.phi_of(yes.type_of());
    chosen.add_incoming(yes, yes_block);
    chosen.add_incoming(no, no_block);
    if let Some(rest) = select.next() {
        move_rest(emitter, rest, block, after);
    }
    select.replace_with(chosen);
    select.erase();
    emitter.at_end_with(yes_block, place);
    emitter.jump(after);
    emitter.at_end_with(no_block, place);
    emitter.jump(after);
    emitter.at_end_with(block, place);
    emitter.jump_if(condition, yes_block, no_block)
}

/// Moves an instruction of a block and all that follow it to the end of another block, which takes the place of the first before
/// the blocks that may come next. The first has no terminator any more.
pub fn move_rest(emitter: &Emitter<'_>, rest: Value, block: BlockRef, after: BlockRef) {
    let rest: Vec<Value> = std::iter::successors(Some(rest), |one| one.next()).collect();
    let targets = block.successors();
    emitter.at_end(after);
    for instruction in rest {
        emitter.move_here(instruction);
    }
    for (index, target) in targets.iter().enumerate() {
        // A target that is named several times is redirected once, for all edges.
        if !targets[..index].contains(target) {
            let times = targets.iter().filter(|other| *other == target).count();
            redirect(emitter, *target, block, &vec![after; times]);
        }
    }
}

/// Updates the phis of a block whose predecessor `from` was replaced by the blocks `instead`.
pub fn redirect(emitter: &Emitter<'_>, target: BlockRef, from: BlockRef, instead: &[BlockRef]) {
    let instructions = target.instructions().into_iter();
    let choices = instructions.take_while(|one| one.opcode() == Opcode::LLVMPHI);
    for old in choices {
        emitter.before(old);
        let new = emitter.phi_of(old.type_of());
        let mut value_from = None;
        for (value, block) in old.incoming() {
            if block == from {
                value_from = Some(value);
            } else {
                new.add_incoming(value, block);
            }
        }
        if let Some(value) = value_from {
            for block in instead {
                new.add_incoming(value, *block);
            }
        }
        old.replace_with(new);
        old.erase();
    }
}
