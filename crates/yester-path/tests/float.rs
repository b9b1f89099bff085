//! Floating point: what we compute is what solvers compute.

use std::time::Duration;

use proptest::prelude::*;
use yester_path::{
    Evaluator, Expression, ExpressionGraph, NodeId, Query, Solver, SolverAnswer, SolverProgram,
    Term,
};
use yester_pathrt::format::{Operation, Rounding, not_a_number};

/// Only a backstop, however busy the machine is.
const LIMIT: Duration = Duration::from_secs(300);
const INPUTS: usize = 8;

/// How a random node is made: what it does, which nodes it takes, and a number for whatever else it needs.
type Recipe = (u8, [prop::sample::Index; 3], u64);

fn push(nodes: &mut Vec<(u32, Expression)>, width: u32, expression: Expression) -> NodeId {
    nodes.push((width, expression));
    NodeId(nodes.len() as u32)
}

/// Bits of numbers at which something changes.
fn special(number: u64, width: u32) -> u64 {
    let values = [
        0.0,
        -0.0,
        1.0,
        -1.5,
        0.1,
        3.7,
        1e22,
        -2147483648.0,
        9223372036854775808.0,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
        f64::MAX,
    ];
    let value = values[number as usize % values.len()];
    match (number % 16, width) {
        (14, _) => not_a_number(width),
        (15, _) => number >> (64 - width),
        (_, 32) => (value as f32).to_bits().into(),
        _ => value.to_bits(),
    }
}

/// A graph that makes sense, of any recipes.
fn cook(recipes: &[Recipe]) -> Vec<(u32, Expression)> {
    let mut nodes: Vec<(u32, Expression)> = (0..INPUTS as u32)
        .map(|byte| (8, Expression::Input(byte)))
        .collect();
    let mut whole = NodeId(1);
    for byte in 2..=INPUTS as u32 {
        let both = Expression::Binary(Operation::Concatenate, NodeId(byte), whole);
        whole = push(&mut nodes, 8 * byte, both);
    }
    push(&mut nodes, 32, Expression::Extract(whole, 8));
    push(
        &mut nodes,
        64,
        Expression::Unary(Operation::FloatFromSigned, NodeId(1)),
    );
    push(
        &mut nodes,
        32,
        Expression::Unary(Operation::FloatFromUnsigned, NodeId(2)),
    );
    for (operation, picks, number) in recipes {
        let pick = |pick: &prop::sample::Index, fits: &dyn Fn(u32) -> bool| {
            let fitting: Vec<usize> = (0..nodes.len())
                .filter(|index| fits(nodes[*index].0))
                .collect();
            (!fitting.is_empty()).then(|| NodeId(fitting[pick.index(fitting.len())] as u32 + 1))
        };
        let is_number = |width: u32| matches!(width, 32 | 64);
        let a = pick(&picks[0], &is_number).expect("there are some");
        let width = nodes[a.0 as usize - 1].0;
        let same = pick(&picks[1], &|other| other == width).expect("itself at least");
        let other = if *number & 1 << 40 == 0 { 32 } else { 64 };
        let arithmetic = [
            Operation::FloatAdd,
            Operation::FloatSubtract,
            Operation::FloatMultiply,
            Operation::FloatDivide,
        ];
        let comparisons = [
            Operation::FloatEqual,
            Operation::FloatLess,
            Operation::FloatLessOrEqual,
        ];
        let node = match operation % 24 {
            kind @ 0..8 => {
                let operation = arithmetic[usize::from(kind) % 4];
                (width, Expression::Binary(operation, a, same))
            }
            kind @ 8..11 => {
                let operation = comparisons[usize::from(kind) - 8];
                (1, Expression::Binary(operation, a, same))
            }
            11 => (width, Expression::Unary(Operation::FloatSquareRoot, a)),
            12 => (
                width,
                Expression::Round(Rounding::ALL[*number as usize % 5], a),
            ),
            13 => (other, Expression::Unary(Operation::FloatConvert, a)),
            kind @ (14 | 15) => {
                let integer = pick(&picks[2], &|_| true).expect("all of them");
                let operation = match kind {
                    14 => Operation::FloatFromSigned,
                    _ => Operation::FloatFromUnsigned,
                };
                (other, Expression::Unary(operation, integer))
            }
            16 => (other, Expression::Unary(Operation::FloatToSigned, a)),
            17 => {
                let sign = push(&mut nodes, width, Expression::Constant(1 << (width - 1)));
                (width, Expression::Binary(Operation::ExclusiveOr, a, sign))
            }
            18 => {
                let inner = push(&mut nodes, width - 1, Expression::Extract(a, 0));
                (width, Expression::ZeroExtend(inner))
            }
            19 => match pick(&picks[2], &|width| width == 1) {
                Some(condition) => (width, Expression::Choose(condition, a, same)),
                None => continue,
            },
            20 => (8, Expression::Extract(a, *number as u32 % (width - 8))),
            _ => (width, Expression::Constant(special(*number, width))),
        };
        nodes.push(node);
    }
    nodes
}

fn recipes(most: usize) -> impl Strategy<Value = Vec<Recipe>> {
    let recipe = (any::<u8>(), any::<[prop::sample::Index; 3]>(), any::<u64>());
    prop::collection::vec(recipe, 1..most)
}

fn is_nan(bits: u64, width: u32) -> bool {
    match width {
        32 => f32::from_bits(bits as u32).is_nan(),
        64 => f64::from_bits(bits).is_nan(),
        _ => false,
    }
}

/// Whether a node computes with numbers, of which all that are none are the same to it.
fn computes_with_numbers(expression: Expression) -> bool {
    match expression {
        Expression::Binary(operation, ..) => operation.is_float(),
        Expression::Unary(operation, _) => {
            let makes_number = matches!(
                operation,
                Operation::FloatFromSigned | Operation::FloatFromUnsigned
            );
            operation.is_float() && !makes_number
        }
        Expression::Round(..) => true,
        _ => false,
    }
}

/// What has to hold of a computation for one input: the terms that fix the input, and one that says that each node has its value.
fn expected(
    recipes: &[Recipe],
    input: &[u8; INPUTS],
) -> (ExpressionGraph, Vec<Term>, Option<NodeId>) {
    let mut nodes = cook(recipes);
    let graph = ExpressionGraph::new(&nodes, INPUTS);
    let mut evaluator = Evaluator::new(&graph);
    evaluator.compute_all(input);
    let mut terms = Vec::new();
    let mut all = None;
    // Nodes that depend on the bits of a result that is no number: those may be any.
    let mut open = vec![false; graph.len()];
    for index in 1..graph.len() {
        let node = NodeId(index as u32);
        let (width, value) = (graph.width(node), evaluator.value(node));
        let expression = graph.expression(node);
        open[index] = expression.operands().any(|operand| {
            let has_bits = is_nan(evaluator.value(operand), graph.width(operand));
            open[operand.0 as usize] || (has_bits && !computes_with_numbers(expression))
        });
        if open[index] {
            continue;
        }
        let holds = if is_nan(value, width) && computes_with_numbers(expression) {
            let equal = Expression::Binary(Operation::FloatEqual, node, node);
            let equal = push(&mut nodes, 1, equal);
            push(&mut nodes, 1, Expression::Unary(Operation::Not, equal))
        } else {
            let value = push(&mut nodes, width, Expression::Constant(value));
            push(
                &mut nodes,
                1,
                Expression::Binary(Operation::Equal, node, value),
            )
        };
        if index <= INPUTS {
            terms.push(Term::holds(holds));
        } else {
            all = Some(match all {
                None => holds,
                Some(all) => push(
                    &mut nodes,
                    1,
                    Expression::Binary(Operation::And, all, holds),
                ),
            });
        }
    }
    (ExpressionGraph::new(&nodes, INPUTS), terms, all)
}

fn whole(graph: &ExpressionGraph, terms: &[Term]) -> Query {
    Query {
        terms: terms.to_vec(),
        inputs: graph.inputs_of(terms.iter().map(|term| term.node)),
        nonzero: Vec::new(),
        ranges: Vec::new(),
        concretised: false,
    }
}

fn agrees(name: &str, recipes: &[Recipe], input: &[u8; INPUTS]) -> Result<(), TestCaseError> {
    let (graph, mut terms, all) = expected(recipes, input);
    let Some(all) = all else { return Ok(()) };
    let program: SolverProgram = name.parse().expect("a solver");
    let mut solver = Solver::new(&graph, input.to_vec(), program, LIMIT).always_asking();
    terms.push(Term::not(all));
    let answer = solver.solve(&whole(&graph, &terms)).expect(name);
    prop_assert_eq!(answer, SolverAnswer::Unsatisfiable, "{}", name);
    terms.pop();
    terms.push(Term::holds(all));
    let answer = solver.solve(&whole(&graph, &terms)).expect(name);
    prop_assert!(
        matches!(answer, SolverAnswer::Satisfiable(_)),
        "{}: {:?}",
        name,
        answer
    );
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn z3_computes_the_same_numbers(recipes in recipes(25), input in any::<[u8; INPUTS]>()) {
        agrees("z3", &recipes, &input)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(12))]

    #[test]
    fn cvc5_computes_the_same_numbers(recipes in recipes(7), input in any::<[u8; INPUTS]>()) {
        agrees("cvc5", &recipes, &input)?;
    }
}

/// A byte divided by another one, and whether that has certain bits.
fn quotient_with_bits(bits: u64) -> (ExpressionGraph, Term) {
    let mut nodes = vec![(8, Expression::Input(0)), (8, Expression::Input(1))];
    let number = |node| Expression::Unary(Operation::FloatFromUnsigned, node);
    let a = push(&mut nodes, 64, number(NodeId(1)));
    let b = push(&mut nodes, 64, number(NodeId(2)));
    let quotient = Expression::Binary(Operation::FloatDivide, a, b);
    let quotient = push(&mut nodes, 64, quotient);
    let bits = push(&mut nodes, 64, Expression::Constant(bits));
    let equal = push(
        &mut nodes,
        1,
        Expression::Binary(Operation::Equal, quotient, bits),
    );
    (ExpressionGraph::new(&nodes, 2), Term::holds(equal))
}

#[test]
fn the_bits_of_a_computed_number_can_be_asked_for() {
    for name in ["z3", "cvc5"] {
        let (graph, term) = quotient_with_bits(1.5_f64.to_bits());
        let program: SolverProgram = name.parse().expect("a solver");
        let mut solver = Solver::new(&graph, vec![7, 9], program, LIMIT).always_asking();
        let answer = solver.solve(&whole(&graph, &[term])).expect(name);
        let SolverAnswer::Satisfiable(model) = answer else {
            panic!("{name}: {answer:?}");
        };
        let input = solver.apply(&model);
        assert_eq!(2 * u32::from(input[0]), 3 * u32::from(input[1]), "{name}");
    }
}

/// Which bits a processor gives to what is no number depends on more than the operands, so that nothing is proved about them.
#[test]
fn nothing_is_proved_about_the_bits_of_what_is_no_number() {
    let (graph, term) = quotient_with_bits(f64::NAN.to_bits() | 77);
    // Not even if there are so few bytes that all of their values are tried.
    let mut solver = Solver::new(&graph, vec![7, 9], SolverProgram::default(), LIMIT);
    let answer = solver.solve(&whole(&graph, &[term])).expect("z3");
    assert!(matches!(answer, SolverAnswer::Unknown(_)), "{answer:?}");
}

#[test]
fn a_contradiction_of_numbers_is_named() {
    let mut nodes = vec![
        (8, Expression::Input(0)),
        (8, Expression::Input(1)),
        (8, Expression::Input(2)),
    ];
    let numbers = [1, 2, 3].map(|byte| {
        let number = Expression::Unary(Operation::FloatFromSigned, NodeId(byte));
        push(&mut nodes, 32, number)
    });
    let mut less = |a: usize, b: usize| {
        let less = Expression::Binary(Operation::FloatLess, numbers[a], numbers[b]);
        Term::holds(push(&mut nodes, 1, less))
    };
    let terms = [less(0, 1), less(0, 2), less(1, 0)];
    let graph = ExpressionGraph::new(&nodes, 3);
    let mut solver =
        Solver::new(&graph, vec![0; 3], SolverProgram::default(), LIMIT).always_asking();
    let core = solver.core(&whole(&graph, &terms)).expect("z3");
    assert_eq!(core, Some(vec![0, 2]));
}
