//! Real solvers, false ones, and whether what we compute is what they compute.

#[path = "../../../tests/executable.rs"]
mod executable;
mod random_graph;

use std::path::Path;
use std::time::Duration;

use proptest::prelude::*;
use random_graph::{INPUTS, cook, recipes};
use yester_path::{
    Constraint, ConstraintKind, Evaluator, Expression, ExpressionGraph, NodeId, PathCondition,
    Query, Solver, SolverAnswer, SolverError, SolverProgram, Term,
};
use yester_pathrt::format::Operation;

/// Only a backstop: whoever is asked in earnest answers long before, however busy the machine is.
const LIMIT: Duration = Duration::from_secs(300);

fn program(name: &str) -> SolverProgram {
    name.parse().expect("a solver")
}

fn push(nodes: &mut Vec<(u32, Expression)>, width: u32, expression: Expression) -> NodeId {
    nodes.push((width, expression));
    NodeId(nodes.len() as u32)
}

fn whole(graph: &ExpressionGraph, terms: Vec<Term>) -> Query {
    let inputs = graph.inputs_of(terms.iter().map(|term| term.node));
    Query {
        terms,
        inputs,
        nonzero: Vec::new(),
        ranges: Vec::new(),
        concretised: false,
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]

    #[test]
    fn every_node_has_the_value_that_a_solver_says(recipes in recipes(30), input in any::<[u8; INPUTS]>()) {
        let mut nodes = cook(&recipes);
        let graph = ExpressionGraph::new(&nodes, INPUTS);
        let mut evaluator = Evaluator::new(&graph);
        evaluator.compute_all(&input);
        let mut terms = Vec::new();
        let mut all = None;
        for index in 0..graph.len() - 1 {
            let (node, width) = (NodeId(index as u32 + 1), nodes[index].0);
            let value = push(&mut nodes, width, Expression::Constant(evaluator.value(node)));
            let equal = push(&mut nodes, 1, Expression::Binary(Operation::Equal, node, value));
            if index < INPUTS {
                terms.push(Term { node: equal, holds: true });
            } else {
                all = Some(match all {
                    None => equal,
                    Some(all) => push(&mut nodes, 1, Expression::Binary(Operation::And, all, equal)),
                });
            }
        }
        let Some(all) = all else { return Ok(()) };
        let graph = ExpressionGraph::new(&nodes, INPUTS);
        terms.push(Term { node: all, holds: false });
        let mut solver = Solver::new(&graph, input.to_vec(), program("z3"), LIMIT).always_asking();
        prop_assert_eq!(solver.solve(&whole(&graph, terms.clone())).expect("z3"), SolverAnswer::Unsatisfiable);
        terms.last_mut().expect("the last").holds = true;
        let answer = solver.solve(&whole(&graph, terms)).expect("z3");
        prop_assert!(matches!(answer, SolverAnswer::Satisfiable(_)), "{:?}", answer);
    }

    #[test]
    fn a_slice_answers_as_all_constraints_together(
        recipes in recipes(40),
        input in any::<[u8; INPUTS]>(),
        concretised in any::<u64>(),
    ) {
        let mut nodes = cook(&recipes);
        let graph = ExpressionGraph::new(&nodes, INPUTS);
        let mut evaluator = Evaluator::new(&graph);
        evaluator.compute_all(&input);
        let mut constraints = Vec::new();
        for index in 0..graph.len() - 1 {
            let node = NodeId(index as u32 + 1);
            if nodes[index].0 != 1 {
                continue;
            }
            let holds = evaluator.value(node) == 1;
            let node = if holds { node } else { push(&mut nodes, 1, Expression::Unary(Operation::Not, node)) };
            let kind = if concretised >> (index % 64) & 3 == 3 { ConstraintKind::Concretised } else { ConstraintKind::Branch };
            constraints.push(Constraint { event: index as u64, stream: Some(0), node, kind });
        }
        let graph = ExpressionGraph::new(&nodes, INPUTS);
        let condition = PathCondition::new(&graph, &constraints);
        prop_assert_eq!(condition.violated(&input), None);
        let mut solver = Solver::new(&graph, input.to_vec(), program("z3"), LIMIT).always_asking();
        let mut unsliced = Solver::new(&graph, input.to_vec(), program("z3"), LIMIT).always_asking();
        let last = constraints.len().saturating_sub(6);
        for (index, constraint) in constraints.iter().enumerate().skip(last) {
            let Some(query) = condition.negate(index) else {
                prop_assert_eq!(constraint.kind, ConstraintKind::Concretised);
                continue;
            };
            let term = |constraint: &Constraint, holds| Term { node: constraint.node, holds };
            let mut terms: Vec<Term> = constraints[..index].iter().map(|one| term(one, true)).collect();
            terms.push(term(constraint, false));
            prop_assert!(query.terms.len() <= terms.len());
            match solver.solve(&query).expect("z3") {
                SolverAnswer::Satisfiable(model) => {
                    let changed = solver.apply(&model);
                    prop_assert_eq!(condition.violated(&changed), Some(index));
                    let others = (0..INPUTS).filter(|byte| !query.inputs.contains(&(*byte as u32)));
                    for byte in others {
                        prop_assert_eq!(changed[byte], input[byte]);
                    }
                }
                SolverAnswer::Unsatisfiable => prop_assert_eq!(
                    unsliced.solve(&whole(&graph, terms)).expect("z3"),
                    SolverAnswer::Unsatisfiable
                ),
                SolverAnswer::Unknown(reason) => prop_assert!(false, "{}", reason),
            }
        }
    }
}

/// stdin[0] == 'a', stdin[1] < 10, stdin[0] + stdin[2] == 7, in that order.
fn three() -> (ExpressionGraph, Vec<Constraint>) {
    let mut nodes: Vec<(u32, Expression)> =
        (0..3).map(|byte| (8, Expression::Input(byte))).collect();
    let [first, second, third] = [1, 2, 3].map(NodeId);
    let letter = push(&mut nodes, 8, Expression::Constant(b'a'.into()));
    let ten = push(&mut nodes, 8, Expression::Constant(10));
    let seven = push(&mut nodes, 8, Expression::Constant(7));
    let equal = |a, b| Expression::Binary(Operation::Equal, a, b);
    let one = push(&mut nodes, 1, equal(first, letter));
    let two = push(
        &mut nodes,
        1,
        Expression::Binary(Operation::LessUnsigned, second, ten),
    );
    let sum = push(
        &mut nodes,
        8,
        Expression::Binary(Operation::Add, first, third),
    );
    let three = push(&mut nodes, 1, equal(sum, seven));
    let constraints = [one, two, three].into_iter().enumerate();
    let constraints = constraints.map(|(index, node)| Constraint {
        event: index as u64,
        stream: Some(0),
        node,
        kind: ConstraintKind::Branch,
    });
    (ExpressionGraph::new(&nodes, 3), constraints.collect())
}

const RUN: [u8; 3] = [b'a', 3, 7u8.wrapping_sub(b'a')];

#[test]
fn each_solver_on_this_machine_finds_the_other_way() {
    let (graph, constraints) = three();
    let condition = PathCondition::new(&graph, &constraints);
    for name in ["z3", "cvc5"] {
        let mut solver = Solver::new(&graph, RUN.to_vec(), program(name), LIMIT).always_asking();
        for index in [2, 0, 1] {
            let query = condition.negate(index).expect("a branch");
            let answer = solver.solve(&query).expect(name);
            let SolverAnswer::Satisfiable(model) = answer else {
                panic!("{name}: {answer:?}");
            };
            assert_eq!(condition.violated(&solver.apply(&model)), Some(index));
        }
        // The third shares a byte with the first, but none with the second.
        let query = condition.negate(2).expect("a branch");
        assert_eq!((query.terms.len(), query.inputs), (2, vec![0, 2]));
        assert_eq!(solver.asked(), 3);
        let impossible = whole(
            &graph,
            vec![
                Term {
                    node: constraints[0].node,
                    holds: true,
                },
                Term {
                    node: constraints[0].node,
                    holds: false,
                },
            ],
        );
        assert_eq!(
            solver.solve(&impossible).expect(name),
            SolverAnswer::Unsatisfiable
        );
    }
}

#[test]
fn bytes_can_be_kept_from_becoming_zero() {
    let (graph, constraints) = three();
    let condition = PathCondition::new(&graph, &constraints);
    let mut solver = Solver::new(&graph, RUN.to_vec(), program("z3"), LIMIT).always_asking();
    let mut query = condition.negate(2).expect("a branch");
    for nonzero in [vec![], vec![2]] {
        query.nonzero = nonzero;
        let answer = solver.solve(&query).expect("z3");
        let SolverAnswer::Satisfiable(model) = answer else {
            panic!("{answer:?}");
        };
        let input = solver.apply(&model);
        assert!(query.nonzero.is_empty() || input[2] != 0);
    }
    // stdin[0] is 'a' for the third, so that it cannot be zero anyway.
    let mut query = condition.negate(0).expect("a branch");
    query.terms[0].holds = true;
    query.nonzero = vec![0];
    assert!(matches!(
        solver.solve(&query),
        Ok(SolverAnswer::Satisfiable(_))
    ));
}

#[test]
fn an_earlier_model_answers_without_the_solver() {
    let (graph, constraints) = three();
    let condition = PathCondition::new(&graph, &constraints);
    let mut solver = Solver::new(&graph, RUN.to_vec(), program("z3"), LIMIT).always_asking();
    for _ in 0..3 {
        let query = condition.negate(1).expect("a branch");
        assert!(matches!(
            solver.solve(&query),
            Ok(SolverAnswer::Satisfiable(_))
        ));
    }
    assert_eq!(solver.asked(), 1);
}

fn script(directory: &Path, text: &str) -> SolverProgram {
    let path = directory.join("z3-false");
    executable::write(&path, format!("#!/bin/sh\n{text}\n"));
    program(path.to_str().expect("a path"))
}

#[test]
fn a_false_solver_gives_no_answer_but_a_reason() {
    let (graph, constraints) = three();
    let condition = PathCondition::new(&graph, &constraints);
    let query = condition.negate(2).expect("a branch");
    let echo = r#"while read -r line; do case "$line" in
        *check-sat*) echo ANSWER;; *get-value*) echo 'MODEL';;
        *echo*) echo "$line" | sed 's/.*"\(.*\)".*/\1/';; esac; done"#;
    let says = |answer: &str, model: &str| echo.replace("ANSWER", answer).replace("MODEL", model);
    // Who answers has ample time for it, who does not is not waited for.
    let (ample, short) = (Duration::from_secs(300), Duration::from_millis(300));
    for (text, limit, reason) in [
        ("exit 1".to_owned(), ample, "ended without an answer"),
        (
            "echo out of memory; exit 1".to_owned(),
            ample,
            "out of memory",
        ),
        ("exec sleep 1000".to_owned(), short, "did not answer"),
        ("exec yes nonsense".to_owned(), short, "the solver"),
        (says("'(error \"what\")'", ""), ample, "what"),
        (says("unknown", ""), ample, "gave up"),
        (says("sat", "((b0 #x61) (b2 #xa6))"), ample, "does not hold"),
        (says("sat", "nothing"), ample, "none"),
    ] {
        let directory = tempfile::tempdir().expect("a directory");
        let mut solver = Solver::new(&graph, RUN.to_vec(), script(directory.path(), &text), limit)
            .always_asking();
        for _ in 0..2 {
            match solver.solve(&query).expect("it starts") {
                SolverAnswer::Unknown(why) => assert!(why.contains(reason), "{text}: {why}"),
                answer => panic!("{text}: {answer:?}"),
            }
        }
    }
}

#[test]
fn a_solver_that_takes_too_long_is_stopped() {
    // Is this the product of two numbers that are greater than 1? It is, but that is hard to find out.
    let mut nodes: Vec<(u32, Expression)> =
        (0..16).map(|byte| (8, Expression::Input(byte))).collect();
    let mut factors = Vec::new();
    for half in 0..2 {
        let mut factor = NodeId(8 * half + 1);
        for byte in 1..8 {
            let next = NodeId(8 * half + byte + 1);
            let width = 8 * (byte + 1);
            let both = Expression::Binary(Operation::Concatenate, next, factor);
            factor = push(&mut nodes, width, both);
        }
        factors.push(factor);
    }
    let limit = push(&mut nodes, 64, Expression::Constant(1 << 32));
    let product = Expression::Binary(Operation::Multiply, factors[0], factors[1]);
    let product = push(&mut nodes, 64, product);
    let number = push(
        &mut nodes,
        64,
        Expression::Constant(2_860_486_313 * 3_367_900_313),
    );
    let mut terms = Vec::new();
    let equal = push(
        &mut nodes,
        1,
        Expression::Binary(Operation::Equal, product, number),
    );
    terms.push(equal);
    let one = push(&mut nodes, 64, Expression::Constant(1));
    for factor in factors {
        terms.push(push(
            &mut nodes,
            1,
            Expression::Binary(Operation::LessUnsigned, one, factor),
        ));
        terms.push(push(
            &mut nodes,
            1,
            Expression::Binary(Operation::LessUnsigned, factor, limit),
        ));
    }
    let graph = ExpressionGraph::new(&nodes, 16);
    let terms = terms.into_iter().map(|node| Term { node, holds: true });
    let query = whole(&graph, terms.collect());
    for name in ["z3", "cvc5"] {
        // Too short for this one by far, and long enough for an easy one on a busy machine.
        let limit = Duration::from_secs(4);
        let mut solver = Solver::new(&graph, vec![0; 16], program(name), limit).always_asking();
        let answer = solver.solve(&query).expect(name);
        assert!(
            matches!(answer, SolverAnswer::Unknown(_)),
            "{name}: {answer:?}"
        );
        // It is of use afterwards.
        let easy = whole(&graph, vec![query.terms[1]]);
        assert!(matches!(
            solver.solve(&easy),
            Ok(SolverAnswer::Satisfiable(_))
        ));
    }
}

#[test]
fn an_expression_too_deep_for_a_solver_does_no_harm() {
    let mut nodes = vec![(8, Expression::Input(0)), (8, Expression::Constant(3))];
    let (byte, three) = (NodeId(1), NodeId(2));
    let mut deep = byte;
    for _ in 0..100_000 {
        let product = Expression::Binary(Operation::Multiply, deep, three);
        deep = push(&mut nodes, 8, product);
        deep = push(
            &mut nodes,
            8,
            Expression::Binary(Operation::ExclusiveOr, deep, byte),
        );
    }
    let root = Expression::Binary(Operation::LessUnsigned, deep, three);
    let root = push(&mut nodes, 1, root);
    let graph = ExpressionGraph::new(&nodes, 1);
    let query = whole(
        &graph,
        vec![Term {
            node: root,
            holds: true,
        }],
    );
    let limit = Duration::from_secs(2);
    let mut solver = Solver::new(&graph, vec![7], program("z3"), limit).always_asking();
    // Whether it finds one is its own affair.
    if let SolverAnswer::Satisfiable(model) = solver.solve(&query).expect("z3") {
        let input = solver.apply(&model);
        assert!(query.holds(&graph, &mut Evaluator::new(&graph), &input));
    }
}

#[test]
fn a_solver_that_is_not_there_is_an_error_with_a_hint() {
    let (graph, constraints) = three();
    let query = PathCondition::new(&graph, &constraints)
        .negate(0)
        .expect("a branch");
    let mut solver =
        Solver::new(&graph, RUN.to_vec(), program("/nowhere/z3"), LIMIT).always_asking();
    let error = solver.solve(&query).expect_err("there is none");
    assert!(matches!(error, SolverError::Missing(_)));
    assert!(error.hint().contains("apt install z3"));
    assert!("maxima".parse::<SolverProgram>().is_err());
}

#[test]
fn a_question_over_two_bytes_needs_no_solver() {
    let (graph, constraints) = three();
    let condition = PathCondition::new(&graph, &constraints);
    let nobody = program("z3-that-is-not-there");
    let mut solver = Solver::new(&graph, RUN.to_vec(), nobody, LIMIT);
    let mut asking = Solver::new(&graph, RUN.to_vec(), program("z3"), LIMIT).always_asking();
    let mut small = 0;
    for index in 0..constraints.len() {
        let Some(query) = condition.negate(index) else {
            continue;
        };
        if query.inputs.len() > 2 {
            continue;
        }
        small += 1;
        let answer = solver.solve(&query).expect("nobody is asked");
        let other = asking.solve(&query).expect("z3 runs");
        let is_satisfiable = |answer: &SolverAnswer| matches!(answer, SolverAnswer::Satisfiable(_));
        assert_eq!(is_satisfiable(&answer), is_satisfiable(&other), "{query:?}");
        if let SolverAnswer::Satisfiable(model) = answer {
            let input = solver.apply(&model);
            assert_eq!(condition.violated(&input), Some(index));
        }
    }
    assert!(small > 1, "{small}");
    assert_eq!(solver.asked(), 0);
}
