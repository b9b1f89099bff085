//! Turns `select` instructions back into branches. clang emits one for `a ? b : c` if both values are cheap, but the author
//! wrote a branch, and the trace needs its outcome and condition.

use inkwell::basic_block::BasicBlock;
use inkwell::builder::{Builder, BuilderError};
use inkwell::module::Module;
use inkwell::values::{
    BasicValue, FunctionValue, InstructionOpcode, InstructionValue, IntValue, PhiValue,
};

use super::site::ConditionPlaces;
use crate::llvm;

/// Turns the selects of a module into branches, which are where their conditions are.
pub fn branch(module: &Module<'_>, places: &mut ConditionPlaces) -> Result<(), BuilderError> {
    let builder = module.get_context().create_builder();
    for function in module.get_functions() {
        // The last of a block first: each moves what follows it, which is then little.
        let mut selects: Vec<InstructionValue<'_>> = function
            .get_basic_block_iter()
            .flat_map(BasicBlock::get_instructions)
            .filter(|instruction| instruction.get_opcode() == InstructionOpcode::Select)
            .collect();
        selects.reverse();
        for select in selects {
            let place = places.remove(&select.into());
            let branch = split(&builder, function, select)?;
            if let (Some(branch), Some(place)) = (branch, place) {
                places.insert(branch.into(), place);
            }
        }
    }
    Ok(())
}

fn split<'ctx>(
    builder: &Builder<'ctx>,
    function: FunctionValue<'ctx>,
    select: InstructionValue<'ctx>,
) -> Result<Option<InstructionValue<'ctx>>, BuilderError> {
    let operand = |index| {
        select
            .get_operand(index)
            .and_then(|operand| operand.value())
    };
    let (Some(condition), Some(yes), Some(no)) = (operand(0), operand(1), operand(2)) else {
        return Ok(None);
    };
    let Some(block) = select.get_parent() else {
        return Ok(None);
    };
    if !condition.is_int_value() {
        // A vector condition selects lane by lane.
        return Ok(None);
    }
    let condition: IntValue<'ctx> = condition.into_int_value();
    let context = function.get_type().get_context();
    let after = context.insert_basic_block_after(block, "choice.end");
    let no_block = context.insert_basic_block_after(block, "choice.no");
    let yes_block = context.insert_basic_block_after(block, "choice.yes");
    let location = select.get_debug_location();
    let place = |block| {
        builder.position_at_end(block);
        match location {
            Some(location) => builder.set_current_debug_location(location),
            None => builder.unset_current_debug_location(),
        }
    };

    place(after);
    let chosen = builder.build_phi(yes.get_type(), "")?;
    chosen.add_incoming(&[(&yes, yes_block), (&no, no_block)]);
    if let Some(rest) = select.get_next_instruction() {
        move_rest(builder, rest, block, after)?;
    }
    if let Some(chosen) = chosen.as_basic_value().as_instruction_value() {
        select.replace_all_uses_with(&chosen);
    }
    select.erase_from_basic_block();
    place(yes_block);
    builder.build_unconditional_branch(after)?;
    place(no_block);
    builder.build_unconditional_branch(after)?;
    place(block);
    let branch = builder.build_conditional_branch(condition, yes_block, no_block)?;
    Ok(Some(branch))
}

/// Moves an instruction of a block and all that follow it to the end of another block, which takes the place of the first before
/// the blocks that may come next. The first has no terminator any more.
pub fn move_rest<'ctx>(
    builder: &Builder<'ctx>,
    rest: InstructionValue<'ctx>,
    block: BasicBlock<'ctx>,
    after: BasicBlock<'ctx>,
) -> Result<(), BuilderError> {
    let rest: Vec<InstructionValue<'ctx>> =
        std::iter::successors(Some(rest), |one| one.get_next_instruction()).collect();
    let targets: Vec<BasicBlock<'ctx>> = block
        .get_terminator()
        .map(llvm::successors)
        .unwrap_or_default();
    builder.position_at_end(after);
    for instruction in rest {
        llvm::move_to(builder, instruction);
    }
    for (index, target) in targets.iter().enumerate() {
        // A target that is named several times is redirected once, for all edges.
        if !targets[..index].contains(target) {
            let times = targets.iter().filter(|other| *other == target).count();
            redirect(builder, *target, block, &vec![after; times])?;
        }
    }
    Ok(())
}

/// Updates the phis of a block whose predecessor `from` was replaced by the blocks `instead`.
pub fn redirect<'ctx>(
    builder: &Builder<'ctx>,
    target: BasicBlock<'ctx>,
    from: BasicBlock<'ctx>,
    instead: &[BasicBlock<'ctx>],
) -> Result<(), BuilderError> {
    let choices: Vec<PhiValue<'ctx>> = target
        .get_instructions()
        .map_while(|instruction| PhiValue::try_from(instruction).ok())
        .collect();
    for old in choices {
        builder.position_before(&old.as_instruction());
        let new = builder.build_phi(old.as_basic_value().get_type(), "")?;
        let mut value_from = None;
        for (value, block) in old.get_incomings() {
            if block == from {
                value_from = Some(value);
            } else {
                new.add_incoming(&[(&value, block)]);
            }
        }
        if let Some(value) = value_from {
            for block in instead {
                new.add_incoming(&[(&value, *block)]);
            }
        }
        old.replace_all_uses_with(&new);
        old.as_instruction().erase_from_basic_block();
    }
    Ok(())
}
