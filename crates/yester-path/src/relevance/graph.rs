//! The program dependence graph: which lines depend on which, by control and by data, whatever run it is.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::code::{ANY, LIBRARY, OUTSIDE, Place, RESULT, Shared, StepKind, effect};
use crate::origin::SourcePlace;
use crate::site::{Function, Sites};

/// The static dependence of a program. Data may go through memory that several functions share; that is a node of its own, so that
/// there are not as many edges as pairs of writers and readers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependenceGraph {
    /// The line of each node; none for memory.
    pub nodes: Vec<Option<SourcePlace>>,
    /// Each edge once, in order.
    pub edges: BTreeSet<DependenceEdge>,
}

/// Something that depends on something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct DependenceEdge {
    /// The node that it depends on.
    pub from: u32,
    /// The node that depends.
    pub to: u32,
    /// How.
    pub kind: DependenceKind,
}

/// How a node depends on another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum DependenceKind {
    /// The first decides whether the second happens.
    Control,
    /// The second may read what the first wrote.
    Data,
}

/// A node while the graph is made.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Node {
    Line {
        function: u32,
        line: u32,
    },
    /// A place of all functions, as it was written and as it is read.
    Written(u32),
    Read(u32),
    /// What pointers wrote, what pointers read, and what code without tables does with variables.
    Pointed {
        size: u32,
        offset: Option<u32>,
    },
    ToObjects,
    FromObjects,
    ToVisible,
    FromVisible,
}

#[derive(Default)]
struct Maker {
    numbers: BTreeMap<Node, u32>,
    graph: DependenceGraph,
}

impl Maker {
    fn node(&mut self, node: Node) -> u32 {
        let next = self.graph.nodes.len() as u32;
        let number = *self.numbers.entry(node).or_insert(next);
        if number == next {
            self.graph.nodes.push(match node {
                Node::Line { function, line } => Some(SourcePlace {
                    function,
                    line,
                    column: 0,
                }),
                _ => None,
            });
        }
        number
    }

    fn edge(&mut self, from: Node, to: Node, kind: DependenceKind) {
        if from != to {
            let (from, to) = (self.node(from), self.node(to));
            self.graph.edges.insert(DependenceEdge { from, to, kind });
        }
    }

    fn data(&mut self, from: Node, to: Node) {
        self.edge(from, to, DependenceKind::Data);
    }

    /// Joins what is written and read of a shared place, and of those that may be the same memory.
    fn join(&mut self, number: u32, kind: Shared) {
        let (written, read) = (Node::Written(number), Node::Read(number));
        self.data(written, read);
        match kind {
            Shared::Plain => {}
            Shared::Visible => {
                self.data(written, Node::FromVisible);
                self.data(Node::ToVisible, read);
            }
            Shared::Outside => {
                self.data(written, Node::ToVisible);
                self.data(Node::FromVisible, read);
            }
            Shared::Object => {
                self.data(written, Node::FromObjects);
                self.data(Node::ToObjects, read);
            }
            Shared::Pointed { size, offset } => {
                self.data(written, Node::ToObjects);
                self.data(Node::FromObjects, read);
                // The offset, and the size, that others of the same memory have too.
                let of_size = Node::Pointed { size, offset: None };
                let groups = match offset {
                    Some(_) => vec![Node::Pointed { size: 0, offset }, of_size],
                    None => vec![of_size],
                };
                for group in groups {
                    self.data(written, group);
                    self.data(group, read);
                }
                self.data(written, Node::Read(ANY_NUMBER));
                self.data(Node::Written(ANY_NUMBER), read);
            }
            Shared::Any => {
                self.data(written, Node::ToObjects);
                self.data(Node::FromObjects, read);
            }
        }
    }
}

const ANY_NUMBER: u32 = match ANY {
    Place::Shared(number) => number,
    _ => unreachable!(),
};

impl Sites {
    /// The static dependence of all lines that the compiler described; nothing without `YESTER_CC_MODE=dependence`.
    pub fn dependence_graph(&self) -> DependenceGraph {
        let mut maker = Maker::default();
        let mut named: HashMap<&str, Vec<&Function>> = HashMap::new();
        for function in self.functions() {
            named.entry(&function.name).or_default().push(function);
        }
        for function in self.functions() {
            function_graph(&mut maker, function, &named);
        }
        for (number, kind) in self.shared.kinds.iter().enumerate() {
            if self
                .functions()
                .iter()
                .any(|function| !function.code.is_empty())
            {
                maker.join(number as u32, *kind);
            }
        }
        maker.graph
    }
}

/// Adds the dependence within a function, and with those that it calls.
fn function_graph(maker: &mut Maker, function: &Function, named: &HashMap<&str, Vec<&Function>>) {
    let mut written: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let mut read: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    let node = |line: u32| Node::Line {
        function: function.id,
        line,
    };
    for block in &function.code {
        let class = usize::from(block.class).checked_sub(1);
        let class = class.map(|class| &function.classes[class]);
        for step in block.steps.iter().filter(|step| step.line != 0) {
            for one in class.into_iter().flatten() {
                let line = function.sites[one.site as usize].line;
                maker.edge(node(line), node(step.line), DependenceKind::Control);
            }
        }
        // What has no line is the compiler's: the values of parameters, and of conditions.
        for step in &block.steps {
            let line = match step.line {
                0 => function.line,
                line => line,
            };
            let (writes, reads) = effects(&step.kind, named);
            for place in step.reads.iter().copied().chain(reads) {
                match place {
                    Place::Local(number) => _ = read.entry(number).or_default().insert(line),
                    Place::Shared(number) => maker.data(Node::Read(number), node(line)),
                    Place::Parameters => {}
                }
            }
            for place in writes {
                match place {
                    Place::Local(number) => _ = written.entry(number).or_default().insert(line),
                    Place::Shared(number) => maker.data(node(line), Node::Written(number)),
                    Place::Parameters => {}
                }
            }
            if let StepKind::Call(call) = &step.kind {
                let name = call.callee.as_deref();
                for callee in name.and_then(|name| named.get(name)).into_iter().flatten() {
                    with_callee(maker, node(line), callee);
                }
            }
        }
    }
    for (number, writers) in &written {
        for (writer, reader) in read
            .get(number)
            .into_iter()
            .flatten()
            .flat_map(|reader| writers.iter().map(move |writer| (*writer, *reader)))
        {
            maker.data(node(writer), node(reader));
        }
    }
}

/// A function depends on its call, and the call on what the function returns.
fn with_callee(maker: &mut Maker, call: Node, callee: &Function) {
    let line = |line: u32| Node::Line {
        function: callee.id,
        line,
    };
    maker.edge(call, line(callee.line), DependenceKind::Control);
    for step in callee.code.iter().flat_map(|block| &block.steps) {
        if step.line != 0 && matches!(step.kind, StepKind::Give) {
            maker.data(line(step.line), call);
        }
        if step.reads.iter().any(|place| place.parameter().is_some()) {
            maker.data(
                call,
                line(if step.line == 0 {
                    callee.line
                } else {
                    step.line
                }),
            );
        }
    }
}

/// What a step writes, and what it reads besides.
fn effects(kind: &StepKind, named: &HashMap<&str, Vec<&Function>>) -> (Vec<Place>, Vec<Place>) {
    match kind {
        StepKind::Set(writes) => (writes.iter().map(|write| write.place).collect(), Vec::new()),
        StepKind::Give => (vec![RESULT], Vec::new()),
        StepKind::Test => (Vec::new(), Vec::new()),
        StepKind::Call(call) => {
            let mut writes: Vec<Place> = call.result.into_iter().collect();
            let mut reads: Vec<Place> = call.arguments.iter().flatten().copied().collect();
            let name = call.callee.as_deref();
            if name.is_some_and(|name| named.contains_key(name)) {
                return (writes, reads);
            }
            let effect = effect(name);
            let at = |all: &[usize]| -> Vec<Place> {
                let all = all.iter().filter_map(|index| call.touched.get(*index));
                all.flatten().copied().collect()
            };
            writes.extend(at(&effect.written));
            reads.extend(at(&effect.read));
            if effect.is_unknown {
                for places in [&mut writes, &mut reads] {
                    places.extend(call.touched.iter().flatten());
                    places.extend([ANY, OUTSIDE]);
                }
            }
            if effect.has_state {
                writes.push(LIBRARY);
                reads.push(LIBRARY);
            }
            (writes, reads)
        }
    }
}
