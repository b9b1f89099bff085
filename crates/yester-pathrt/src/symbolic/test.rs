//! Tests of the graph and the shadow by themselves: whatever is simplified has the value that it had before.

use super::float;
use super::graph::NodeGraph;
use super::memory::Region;
use super::object::ObjectTable;
use super::shadow::Shadow;
use super::value::{self, truncate};
use crate::format::{HEAD_BYTES, Operation, OriginRecord};
use proptest::prelude::*;

pub fn graph() -> NodeGraph {
    graph_of(1 << 16)
}

fn graph_of(most: usize) -> NodeGraph {
    let head: Region<u64> = Region::reserve(HEAD_BYTES / 8);
    let nowhere = || OriginRecord {
        event: 0,
        place: 0,
        stream: 0,
        class: 0,
    };
    NodeGraph::new(head.at(0), Region::reserve(most), Region::empty(), nowhere)
}

/// The value of a node with other input, computed from scratch.
pub fn evaluate(graph: &NodeGraph, node: u32, input: &[u8]) -> u64 {
    let parts = graph.node(node);
    let width = graph.width(node);
    let of = |part: u32| evaluate(graph, part, input);
    let result = match graph.operation(node) {
        Operation::Input => u64::from(input[parts.a as usize]),
        Operation::Constant => u64::from(parts.a) | u64::from(parts.b) << 32,
        Operation::Not => !of(parts.a),
        Operation::Negate => of(parts.a).wrapping_neg(),
        Operation::Concatenate => of(parts.a) << graph.width(parts.b) | of(parts.b),
        Operation::Extract => of(parts.a) >> parts.b,
        Operation::ZeroExtend => of(parts.a),
        Operation::SignExtend => value::signed(of(parts.a), graph.width(parts.a)) as u64,
        Operation::Choose if of(parts.a) == 1 => of(parts.b),
        Operation::Choose => of(parts.c),
        operation if operation as u8 >= Operation::FloatSquareRoot as u8 => {
            float::unary(operation, parts.b, graph.width(parts.a), width, of(parts.a))
        }
        operation => value::binary(operation, graph.width(parts.a), of(parts.a), of(parts.b)),
    };
    truncate(result, width)
}

/// A step of a random computation over a stack of values: what it does, and numbers that it needs.
type RandomStep = (u8, u8, u8, u64);

/// Those with two operands.
fn binary() -> &'static [Operation] {
    &Operation::ALL[Operation::Add as usize - 1..Operation::LessOrEqualSigned as usize]
}

/// A node, its width, and its value for two inputs as it was meant.
#[derive(Clone, Copy, Debug)]
struct ExpectedNode {
    node: u32,
    width: u32,
    values: [u64; 2],
}

fn constant(graph: &mut NodeGraph, width: u32, number: u64) -> ExpectedNode {
    // Numbers with few bits, or all of them, are what rules look for.
    let value = truncate(
        match number % 5 {
            0 => number >> 8 & 3,
            1 => u64::MAX,
            2 => (1 << (number >> 8 & 63)) - 1,
            3 => 1 << (number >> 8 & 63),
            _ => number,
        },
        width,
    );
    ExpectedNode {
        node: graph.constant(width, value),
        width,
        values: [value; 2],
    }
}

fn step(graph: &mut NodeGraph, stack: &mut Vec<ExpectedNode>, (kind, x, y, number): RandomStep) {
    let first = stack[usize::from(x) % stack.len()];
    let second = stack[usize::from(y) % stack.len()];
    let fitting = |graph: &mut NodeGraph| {
        if second.width == first.width {
            second
        } else {
            constant(graph, first.width, number)
        }
    };
    let result = match kind % 8 {
        0..=2 => {
            let operation = binary()[(number >> 16) as usize % binary().len()];
            let mut pair = [first, fitting(graph)];
            if number & 1 == 1 {
                pair.reverse();
            }
            let width = if value::compares(operation) {
                1
            } else {
                first.width
            };
            ExpectedNode {
                node: graph.binary(operation, pair[0].node, pair[1].node),
                width,
                values: [0, 1].map(|run| {
                    let (a, b) = (pair[0].values[run], pair[1].values[run]);
                    truncate(value::binary(operation, first.width, a, b), width)
                }),
            }
        }
        3 => {
            let low = number as u32 % first.width;
            let width = 1 + (number >> 8) as u32 % (first.width - low);
            ExpectedNode {
                node: graph.extract(first.node, low, width),
                width,
                values: first.values.map(|value| truncate(value >> low, width)),
            }
        }
        4 if first.width + second.width <= 64 => ExpectedNode {
            node: graph.concatenate(first.node, second.node),
            width: first.width + second.width,
            values: [0, 1].map(|run| first.values[run] << second.width | second.values[run]),
        },
        5 => {
            let width = first.width + (number >> 8) as u32 % (65 - first.width);
            let is_signed = number & 1 == 1;
            let operation = if is_signed {
                Operation::SignExtend
            } else {
                Operation::ZeroExtend
            };
            ExpectedNode {
                node: graph.extend(operation, first.node, width),
                width,
                values: first.values.map(|value| {
                    let wide = value::signed(value, first.width) as u64;
                    truncate(if is_signed { wide } else { value }, width)
                }),
            }
        }
        6 => {
            let Some(condition) = stack.iter().rev().find(|meant| meant.width == 1).copied() else {
                return;
            };
            let other = fitting(graph);
            ExpectedNode {
                node: graph.choose(condition.node, first.node, other.node),
                width: first.width,
                values: [0, 1].map(|run| match condition.values[run] {
                    1 => first.values[run],
                    _ => other.values[run],
                }),
            }
        }
        _ => ExpectedNode {
            node: graph.not(first.node),
            width: first.width,
            values: first.values.map(|value| truncate(!value, first.width)),
        },
    };
    stack.push(result);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn what_is_simplified_means_the_same_for_every_input(
        steps in prop::collection::vec(any::<RandomStep>(), 1..40),
        input in prop::array::uniform4(any::<u8>()),
        other in prop::array::uniform4(any::<u8>()),
    ) {
        let mut graph = graph();
        let mut stack: Vec<ExpectedNode> = (0..4_usize)
            .map(|index| ExpectedNode {
                node: graph.input(index as u32, input[index]),
                width: 8,
                values: [u64::from(input[index]), u64::from(other[index])],
            })
            .collect();
        for step_to_take in steps {
            step(&mut graph, &mut stack, step_to_take);
        }
        for meant in stack {
            prop_assert_eq!(graph.width(meant.node), meant.width);
            prop_assert_eq!(graph.value(meant.node), meant.values[0]);
            if graph.length() < 2000 {
                prop_assert_eq!(evaluate(&graph, meant.node, &other), meant.values[1]);
            }
        }
    }
}

#[test]
fn a_stored_value_is_loaded_whole_and_in_pieces() {
    let mut graph = graph();
    let mut shadow = Shadow::new();
    let address = 0x1234_5678_9ffe;
    let bytes: Vec<u32> = (0..4_u8)
        .map(|index| graph.input(u32::from(index), index + 1))
        .collect();
    let mut word = bytes[0];
    for &byte in &bytes[1..] {
        word = graph.concatenate(byte, word);
    }
    shadow.store(address, 4, word);
    assert_eq!(shadow.load(&mut graph, address, 4, 0x0403_0201).node, word);
    for (index, &byte) in bytes.iter().enumerate() {
        let place = address + index as u64;
        assert_eq!(
            shadow.load(&mut graph, place, 1, index as u64 + 1).node,
            byte
        );
    }
    let half = shadow.load(&mut graph, address + 1, 2, 0x0302).node;
    assert_eq!((graph.width(half), graph.value(half)), (16, 0x0302));
    assert!(super::shadow::may_have(address) && super::shadow::may_have(address + 3));
    shadow.copy(address + 2, address, 4);
    assert_eq!(
        shadow.load(&mut graph, address + 2, 4, 0x0403_0201).node,
        word
    );
}

#[test]
fn a_value_that_changed_behind_our_back_is_dropped() {
    let mut graph = graph();
    let mut shadow = Shadow::new();
    let byte = graph.input(0, 7);
    shadow.store(0x7000_1000, 1, byte);
    let loaded = shadow.load(&mut graph, 0x7000_1000, 1, 8);
    assert_eq!((loaded.node, loaded.stale), (0, true));
    assert!(!shadow.any(0x7000_1000, 1));
}

#[test]
fn a_full_graph_makes_everything_concrete() {
    let mut graph = graph_of(64);
    let byte = graph.input(0, 1);
    let mut node = graph.extend(Operation::ZeroExtend, byte, 64);
    let factor = node;
    for _ in 0..100 {
        node = graph.binary(Operation::Multiply, node, factor);
    }
    assert_eq!(node, 0);
    assert!(graph.full && graph.length() <= 64);
}

#[test]
fn objects_are_found_by_any_address_inside() {
    let mut objects = ObjectTable::new(|start| if start == 0x5000_0010 { 0x3000 } else { 32 });
    objects.allocated(0x5000_0010, 0x3000);
    objects.allocated(0x5000_4000, 32);
    objects.add(0x6000_0000, 100);
    let start =
        |objects: &mut ObjectTable, address| objects.find(address).map(|object| object.start);
    assert_eq!(start(&mut objects, 0x5000_2fff), Some(0x5000_0010));
    assert_eq!(start(&mut objects, 0x5000_3010), None);
    assert_eq!(start(&mut objects, 0x5000_401f), Some(0x5000_4000));
    assert_eq!(start(&mut objects, 0x6000_0063), Some(0x6000_0000));
    assert_eq!(start(&mut objects, 0x6000_0064), None);
    objects.freed(0x5000_0010);
    assert_eq!(start(&mut objects, 0x5000_2fff), None);
}

#[test]
fn conversions_of_printf_are_read() {
    use super::model::directive::Directive;
    let parse = |text: &[u8]| Directive::parse(text.as_ptr() as u64, || -7);
    let (directive, behind) = parse(b"-08.3lld;\0").expect("a conversion");
    assert!(directive.is_left && directive.has_zeros && !directive.has_sign);
    assert_eq!((directive.width, directive.precision), (8, Some(3)));
    assert_eq!((directive.bits, directive.kind), (64, b'd'));
    assert!(behind > 0);
    let (directive, _) = parse(b"*.*hhx\0").expect("a conversion");
    assert!(directive.is_left);
    assert_eq!((directive.width, directive.precision), (7, None));
    assert_eq!((directive.bits, directive.kind), (8, b'x'));
    assert_eq!(parse(b"2$d\0"), None);
    assert_eq!(parse(b"*2$d\0"), None);
    assert_eq!(parse(b"5\0"), None);
}

#[test]
fn memory_that_is_not_there_is_not_read() {
    unsafe extern "C" {
        fn mprotect(start: *mut u8, size: usize, protection: i32) -> i32;
    }
    let start: *mut u8 = crate::system::map_memory(2 * 4096).expect("memory").cast();
    // SAFETY: pages of this test's own.
    unsafe {
        assert_eq!(mprotect(start.add(4096), 4096, 0), 0);
    }
    let address = start as u64;
    let readable = super::memory::readable;
    assert_eq!(readable(address + 4000, 50), 50);
    assert_eq!(readable(address + 4000, 500), 96);
    assert_eq!(readable(address + 4096, 1), 0);
    // Nothing is ever mapped there. A page that this test unmapped could be taken by another thread at once.
    assert_eq!(readable(4096, 1), 0);
    assert_eq!(readable(address, 0), 0);
}
