//! Two recordings over one graph: the questions of DARWIN and of path generation.

mod builder;
mod random_graph;

use std::num::NonZero;
use std::time::Duration;

use builder::Builder;
use proptest::prelude::*;
use random_graph::{INPUTS, cook, recipes};
use yester_path::{
    Asking, Constraint, ConstraintKind, Evaluator, Expression, ExpressionGraph, Joint, NodeId,
    Query, Recording, Solver, SolverAnswer, SolverProgram, Term, Turn, turns,
};
use yester_pathrt::format::Operation;

/// Only a backstop: whoever is asked in earnest answers long before, however busy the machine is.
const LIMIT: Duration = Duration::from_secs(300);

fn opened(builder: &Builder) -> Recording {
    let directory = tempfile::tempdir().expect("a directory");
    builder.write(directory.path());
    Recording::open(directory.path()).expect("it is right")
}

/// A run that read one byte of standard input, `value`, and whose branches compared it with letters.
fn comparing(value: u8, letters: &[(u8, bool)]) -> Recording {
    let mut builder = Builder {
        sources: "stdin\n".to_owned(),
        input: vec![(0, 0, value)],
        ..Builder::default()
    };
    let byte = builder.node(8, Expression::Input(0));
    for (letter, is_equal) in letters {
        let letter = builder.node(8, Expression::Constant(u64::from(*letter)));
        let mut node = builder.node(1, Expression::Binary(Operation::Equal, byte, letter));
        if !is_equal {
            node = builder.node(1, Expression::Unary(Operation::Not, node));
        }
        builder.constraints.push((0, node.0, 0, u32::MAX));
    }
    opened(&builder)
}

fn solved(joint: &Joint, query: &Query) -> Option<u8> {
    let mut solver = Solver::new(
        joint.graph(),
        joint.values(0),
        SolverProgram::default(),
        LIMIT,
    );
    match solver.solve(query).expect("it runs") {
        SolverAnswer::Satisfiable(model) => {
            let (byte, value) = model.bytes().next().expect("a byte");
            assert_eq!(byte, 0);
            Some(value)
        }
        SolverAnswer::Unsatisfiable => None,
        SolverAnswer::Unknown(reason) => panic!("{reason}"),
    }
}

#[test]
fn figure_2_finds_an_input_in_the_new_version_and_figure_3_in_the_old_one() {
    // Figure 2: `if (inp != 1)` became `if (inp != 1 && inp != 2)`; the failing input is 2.
    let old = comparing(2, &[(1, false)]);
    let new = comparing(2, &[(1, false), (2, true)]);
    let joint = Joint::new(&[&old, &new]);
    assert_eq!(joint.input.len(), 1);
    // The first conjunct of the new path is that of the old one: nothing leaves it.
    assert_eq!(solved(&joint, &joint.deviate(Some(0), 1, 0)), None);
    let other = solved(&joint, &joint.deviate(Some(0), 1, 1)).expect("an input");
    assert!(other != 1 && other != 2);
    // Figure 3: `inp == 1` in the old version, only `inp != 2` in the new one; the failing input is 1.
    let old = comparing(1, &[(1, true)]);
    let new = comparing(1, &[(2, false)]);
    let joint = Joint::new(&[&old, &new]);
    assert_eq!(solved(&joint, &joint.deviate(Some(0), 1, 0)), None);
    let other = solved(&joint, &joint.deviate(Some(1), 0, 0)).expect("an input");
    assert!(other != 1 && other != 2);
}

#[test]
fn a_branch_that_cannot_be_turned_has_the_constraints_that_forbid_it() {
    let run = comparing(
        b'b',
        &[(b'a', false), (b'b', true), (b'a', false), (b'c', false)],
    );
    let joint = Joint::new(&[&run]);
    for jobs in [1, 3] {
        let asking = Asking {
            program: SolverProgram::default(),
            limit: LIMIT,
            jobs: NonZero::new(jobs).expect("some"),
        };
        let answers = turns(&joint, 0, &[0, 1, 2, 3], &asking).expect("it runs");
        let value = |turn: &Turn| match turn {
            Turn::Input(model) => model.bytes().next().expect("a byte").1,
            other => panic!("{other:?}"),
        };
        assert_eq!(value(&answers[0]), b'a');
        assert!(!b"ab".contains(&value(&answers[1])));
        // The third asks what the first has decided, and the last contradicts the second.
        assert_eq!(answers[2], Turn::Never(vec![0, 2]));
        assert_eq!(answers[3], Turn::Never(vec![1, 3]));
    }
}

#[test]
fn a_byte_is_the_same_wherever_the_source_stands_in_the_list() {
    let mut one = Builder {
        sources: "stdin\narg:1\n".to_owned(),
        input: vec![(0, 3, b'x'), (1, 0, b'y')],
        ..Builder::default()
    };
    one.node(8, Expression::Input(0));
    one.node(8, Expression::Input(1));
    let mut other = Builder {
        sources: "arg:1\nstdin\n".to_owned(),
        input: vec![(0, 0, b'z'), (1, 3, b'x'), (1, 4, b'q')],
        ..Builder::default()
    };
    other.node(8, Expression::Input(1));
    other.node(8, Expression::Input(0));
    let joint = Joint::new(&[&opened(&one), &opened(&other)]);
    assert_eq!(joint.input.len(), 3);
    assert_eq!(joint.run(0).node(NodeId(1)), joint.run(1).node(NodeId(1)));
    assert_eq!(joint.run(0).node(NodeId(2)), joint.run(1).node(NodeId(2)));
    assert_eq!((joint.run(1).byte(0), joint.run(1).byte(2)), (1, 2));
    // What one run did not read is as in the other.
    assert_eq!(joint.values(0), [b'x', b'y', b'q']);
    assert_eq!(joint.values(1), [b'x', b'z', b'q']);
}

#[test]
fn a_file_that_changes_while_it_is_read_has_two_bytes_at_one_place() {
    let builder = |values: &[u8]| {
        let mut builder = Builder {
            sources: "file:a\n".to_owned(),
            input: values.iter().map(|value| (0, 7, *value)).collect(),
            ..Builder::default()
        };
        for index in 0..values.len() as u32 {
            builder.node(8, Expression::Input(index));
        }
        opened(&builder)
    };
    let joint = Joint::new(&[&builder(b"ab"), &builder(b"a")]);
    let (one, other) = (joint.run(0), joint.run(1));
    assert_ne!(one.node(NodeId(1)), one.node(NodeId(2)));
    assert_eq!(one.node(NodeId(1)), other.node(NodeId(1)));
}

#[test]
fn expressions_that_are_always_equal_are_told_from_those_that_differ_for_some_input() {
    let mut builder = Builder {
        sources: "stdin\n".to_owned(),
        input: vec![(0, 0, 5), (0, 1, 6), (0, 2, 7)],
        ..Builder::default()
    };
    let bytes: Vec<NodeId> = (0..3)
        .map(|byte| builder.node(8, Expression::Input(byte)))
        .collect();
    let plus =
        |builder: &mut Builder, a, b| builder.node(8, Expression::Binary(Operation::Add, a, b));
    let left = plus(&mut builder, bytes[0], bytes[1]);
    let left = plus(&mut builder, left, bytes[2]);
    let right = plus(&mut builder, bytes[1], bytes[2]);
    let right = plus(&mut builder, bytes[0], right);
    let wrong = plus(&mut builder, left, bytes[0]);
    let recording = opened(&builder);
    let mut joint = Joint::new(&[&recording]);
    let of = |joint: &Joint, node| joint.run(0).node(node);
    let (left, right, wrong) = (of(&joint, left), of(&joint, right), of(&joint, wrong));
    let same = joint.differ(&[0], left, right).expect("of one width");
    let other = joint.differ(&[0], left, wrong).expect("of one width");
    assert_eq!(joint.differ(&[0], left, NodeId(0)), None);
    let mut solver = Solver::new(
        joint.graph(),
        joint.values(0),
        SolverProgram::default(),
        LIMIT,
    );
    assert_eq!(
        solver.solve(&same).expect("it runs"),
        SolverAnswer::Unsatisfiable
    );
    assert!(matches!(
        solver.solve(&other).expect("it runs"),
        SolverAnswer::Satisfiable(_)
    ));
}

#[test]
fn a_contradiction_is_named_without_what_has_nothing_to_do_with_it() {
    // b0 + b1 + b2 < 10 unsigned, b0 > 200, b1 = 0, b2 = 0, b0 != 7: the sum and the first three cannot be.
    let mut nodes = vec![
        (8, Expression::Input(0)),
        (8, Expression::Input(1)),
        (8, Expression::Input(2)),
        (8, Expression::Constant(10)),
        (8, Expression::Constant(200)),
        (8, Expression::Constant(0)),
        (8, Expression::Constant(7)),
    ];
    let mut add = |width, operation, a, b| {
        nodes.push((width, Expression::Binary(operation, NodeId(a), NodeId(b))));
        nodes.len() as u32
    };
    let sum = add(8, Operation::Add, 1, 2);
    let sum = add(8, Operation::Add, sum, 3);
    let terms = [
        add(1, Operation::LessUnsigned, sum, 4),
        add(1, Operation::LessUnsigned, 5, 1),
        add(1, Operation::Equal, 2, 6),
        add(1, Operation::Equal, 3, 6),
    ];
    let seven = add(1, Operation::Equal, 1, 7);
    let graph = ExpressionGraph::new(&nodes, 3);
    let mut wanted: Vec<Term> = terms
        .iter()
        .map(|node| Term::holds(NodeId(*node)))
        .collect();
    wanted.insert(2, Term::not(NodeId(seven)));
    let query = Query::new(&graph, [], &wanted);
    for name in ["z3", "cvc5", "bitwuzla"] {
        let program: SolverProgram = name.parse().expect("a solver");
        let mut solver = Solver::new(&graph, vec![0; 3], program, LIMIT);
        let Ok(core) = solver.core(&query) else {
            continue;
        };
        assert_eq!(core, Some(vec![0, 1, 3, 4]), "{name}");
    }
    let mut solver = Solver::new(&graph, vec![0; 3], SolverProgram::default(), LIMIT);
    let possible = Query::new(&graph, [], &wanted[..3]);
    assert_eq!(solver.core(&possible).expect("it runs"), None);
}

#[test]
fn several_conditions_are_negated_at_once_with_what_shares_bytes_with_any() {
    let graph = ExpressionGraph::new(
        &[
            (8, Expression::Input(0)),
            (8, Expression::Input(1)),
            (8, Expression::Input(2)),
            (8, Expression::Constant(9)),
            (
                1,
                Expression::Binary(Operation::LessUnsigned, NodeId(1), NodeId(4)),
            ),
            (
                1,
                Expression::Binary(Operation::LessUnsigned, NodeId(2), NodeId(4)),
            ),
            (
                1,
                Expression::Binary(Operation::LessUnsigned, NodeId(3), NodeId(4)),
            ),
            (
                1,
                Expression::Binary(Operation::LessUnsigned, NodeId(1), NodeId(2)),
            ),
        ],
        3,
    );
    let given = [7, 8].map(|node| Constraint {
        event: 0,
        stream: None,
        node: NodeId(node),
        kind: ConstraintKind::Branch,
    });
    let query = Query::new(&graph, given, &[Term::not(NodeId(5)), Term::not(NodeId(6))]);
    // The third byte has nothing to do with it.
    assert_eq!(query.inputs, [0, 1]);
    assert_eq!(query.terms.len(), 3);
    let mut solver = Solver::new(&graph, vec![1, 2, 3], SolverProgram::default(), LIMIT);
    let SolverAnswer::Satisfiable(model) = solver.solve(&query).expect("it runs") else {
        panic!("there is an answer");
    };
    let values: Vec<u8> = model.bytes().map(|(_, value)| value).collect();
    assert!(values[0] >= 9 && values[0] < values[1]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn joining_changes_no_value(one in recipes(40), other in recipes(40), input in any::<[u8; INPUTS]>(), turn in 0..INPUTS) {
        let recording = |recipes: &[_], turn: usize| {
            let mut builder = Builder { sources: "stdin\n".to_owned(), ..Builder::default() };
            // The other run has read the same bytes in another order.
            for index in 0..INPUTS {
                let offset = (index + turn) % INPUTS;
                builder.input.push((0, offset as u64, input[offset]));
            }
            builder.nodes = cook(recipes);
            opened(&builder)
        };
        let runs = [recording(&one, 0), recording(&other, turn)];
        let joint = Joint::new(&[&runs[0], &runs[1]]);
        prop_assert_eq!(joint.input.len(), INPUTS);
        let mut all = Evaluator::new(joint.graph());
        all.compute_all(&joint.values(0));
        for (index, run) in runs.iter().enumerate() {
            let mut own = Evaluator::new(&run.graph);
            own.compute_all(&run.values());
            for node in 1..run.graph.len() as u32 {
                let there = joint.run(index).node(NodeId(node));
                prop_assert_eq!(own.value(NodeId(node)), all.value(there));
                prop_assert_eq!(run.graph.width(NodeId(node)), joint.graph().width(there));
            }
        }
    }

    #[test]
    fn an_answer_to_a_sliced_question_fulfils_everything_that_was_given(recipes in recipes(60), input in any::<[u8; INPUTS]>()) {
        let graph = ExpressionGraph::new(&cook(&recipes), INPUTS);
        let mut evaluator = Evaluator::new(&graph);
        evaluator.compute_all(&input);
        let bits = (1..graph.len() as u32).map(NodeId).filter(|node| graph.width(*node) == 1);
        let holding: Vec<NodeId> = bits.filter(|node| evaluator.value(*node) == 1).collect();
        if let Some((last, before)) = holding.split_last() {
            let given: Vec<Constraint> = before.iter().map(|node| Constraint {
                event: 0,
                stream: None,
                node: *node,
                kind: ConstraintKind::Branch,
            }).collect();
            let query = Query::new(&graph, given.iter().copied(), &[Term::not(*last)]);
            let mut solver = Solver::new(&graph, input.to_vec(), SolverProgram::default(), LIMIT);
            if let SolverAnswer::Satisfiable(model) = solver.solve(&query).expect("it runs") {
                evaluator.compute_all(&solver.apply(&model));
                prop_assert!(before.iter().all(|node| evaluator.value(*node) == 1));
                prop_assert_eq!(evaluator.value(*last), 0);
            }
        }
    }
}
