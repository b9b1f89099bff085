//! Random expression graphs.

use proptest::prelude::*;
use yester_path::{Expression, NodeId};
use yester_pathrt::format::Operation;

/// How many bytes of input there are.
pub const INPUTS: usize = 4;

/// How a random node is made: what it does, which nodes it takes, and a number for whatever else it needs.
pub type Recipe = (u8, [prop::sample::Index; 3], u64);

/// A graph that makes sense, of any recipes.
pub fn cook(recipes: &[Recipe]) -> Vec<(u32, Expression)> {
    let mut nodes: Vec<(u32, Expression)> = (0..INPUTS as u32)
        .map(|byte| (8, Expression::Input(byte)))
        .collect();
    for (operation, picks, number) in recipes {
        let id = |index: usize| NodeId(index as u32 + 1);
        let any = picks[0].index(nodes.len());
        let width = nodes[any].0;
        let of_width = |pick: &prop::sample::Index, width: u32, nodes: &[(u32, Expression)]| {
            let fitting: Vec<usize> = (0..nodes.len())
                .filter(|index| nodes[*index].0 == width)
                .collect();
            (!fitting.is_empty()).then(|| id(fitting[pick.index(fitting.len())]))
        };
        let same = of_width(&picks[1], width, &nodes).expect("itself at least");
        let (a, operations) = (
            id(any),
            [
                Operation::Add,
                Operation::Subtract,
                Operation::Multiply,
                Operation::DivideUnsigned,
                Operation::DivideSigned,
                Operation::RemainderUnsigned,
                Operation::RemainderSigned,
                Operation::And,
                Operation::Or,
                Operation::ExclusiveOr,
                Operation::ShiftLeft,
                Operation::ShiftRightLogical,
                Operation::ShiftRightArithmetic,
            ],
        );
        let comparisons = [
            Operation::Equal,
            Operation::LessUnsigned,
            Operation::LessOrEqualUnsigned,
            Operation::LessSigned,
            Operation::LessOrEqualSigned,
        ];
        let wider = (width + 1 + (*number % 24) as u32).min(64);
        let node = match operation % 30 {
            0..13 => (
                width,
                Expression::Binary(operations[usize::from(operation % 30)], a, same),
            ),
            13..18 => (
                1,
                Expression::Binary(comparisons[usize::from(operation % 30) - 13], a, same),
            ),
            18 => (width, Expression::Unary(Operation::Not, a)),
            19 => (width, Expression::Unary(Operation::Negate, a)),
            20 | 21 => {
                let other = picks[1].index(nodes.len());
                match width + nodes[other].0 {
                    both @ ..=64 => (
                        both,
                        Expression::Binary(Operation::Concatenate, a, id(other)),
                    ),
                    _ => continue,
                }
            }
            22 => {
                let low = *number as u32 % width;
                (
                    1 + (*number >> 32) as u32 % (width - low),
                    Expression::Extract(a, low),
                )
            }
            23 | 24 => (wider, Expression::ZeroExtend(a)),
            25 | 26 => (wider, Expression::SignExtend(a)),
            27 => match of_width(&picks[2], 1, &nodes) {
                Some(condition) => (width, Expression::Choose(condition, a, same)),
                None => continue,
            },
            // Small numbers are more interesting than big ones.
            28 => (
                width,
                Expression::Constant((*number % 9) & (u64::MAX >> (64 - width))),
            ),
            _ => (
                width,
                Expression::Constant(*number & (u64::MAX >> (64 - width))),
            ),
        };
        nodes.push(node);
    }
    nodes
}

pub fn recipes(most: usize) -> impl Strategy<Value = Vec<Recipe>> {
    let recipe = (any::<u8>(), any::<[prop::sample::Index; 3]>(), any::<u64>());
    prop::collection::vec(recipe, 1..most)
}
