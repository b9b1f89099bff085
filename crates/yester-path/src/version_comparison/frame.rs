//! A run as a tree: what each call of a function did, with the calls that it made.

use std::collections::HashMap;

use super::{StepKind, StepPlace};
use crate::recording::{EventKind, Recording, RecordingError};

/// A branch that was decided, or a value.
pub(super) struct Step {
    pub place: StepPlace,
    pub what: StepKind,
    /// Which time it is executed, from 1.
    pub execution: usize,
}

/// Something that a frame did.
pub(super) enum Item {
    Step(Step),
    /// It called the function of this frame.
    Call(usize),
}

/// One call of a function.
pub(super) struct Frame {
    pub function: u32,
    /// Where it was called, and for which time, from 1. None if code that is not instrumented called it.
    pub call: Option<(StepPlace, usize)>,
    pub items: Vec<Item>,
}

/// The frames of a thread. The first stands for what called its first function.
pub(super) struct Frames(pub Vec<Frame>);

/// A function on the call stack.
struct Active {
    function: u32,
    /// Where what it does goes.
    frame: usize,
    /// Its last event, if that was a call.
    call: Option<StepPlace>,
}

impl Frames {
    /// Reads a thread. What a function that is not `known` does is done by its caller: the other version has it there, or not at all.
    pub fn read(
        recording: &Recording,
        stream: usize,
        is_known: impl Fn(u32) -> bool,
        most_steps: usize,
    ) -> Result<Frames, RecordingError> {
        let mut tree = Tree::default();
        if stream >= recording.streams() {
            return Ok(Frames(tree.frames));
        }
        let mut values = recording.value_events(stream)?.peekable();
        let mut events = recording.events(stream)?;
        while tree.steps < most_steps {
            let event = events.next().transpose()?;
            let offset = event.map_or(u64::MAX, |event| event.offset);
            // A value belongs before the event that comes next.
            while let Some(value) = values.next_if(|value| value.event <= offset) {
                let place = StepPlace {
                    function: value.function,
                    site: value.site,
                };
                tree.step(place, StepKind::Value(value.value));
            }
            let Some(event) = event else { break };
            match event.kind {
                EventKind::Branch {
                    function,
                    site,
                    outcome,
                } => {
                    tree.active.truncate(event.depth + 1);
                    tree.step(StepPlace { function, site }, StepKind::Branch(outcome));
                    tree.set_call(None);
                }
                EventKind::Call { function, site } => {
                    tree.active.truncate(event.depth + 1);
                    tree.set_call(Some(StepPlace { function, site }));
                }
                EventKind::Enter { function } => {
                    tree.active.truncate(event.depth);
                    tree.enter(function, is_known(function));
                }
                EventKind::Return { .. } => tree.active.truncate(event.depth),
                EventKind::Land { .. } => tree.active.truncate(event.depth + 1),
                EventKind::Exit(_) | EventKind::Abort => {}
            }
        }
        Ok(Frames(tree.frames))
    }
}

struct Tree {
    frames: Vec<Frame>,
    /// The first is that of the first frame, and is never left.
    active: Vec<Active>,
    executions: HashMap<StepPlace, usize>,
    steps: usize,
}

impl Default for Tree {
    fn default() -> Tree {
        let outside = Frame {
            function: u32::MAX,
            call: None,
            items: Vec::new(),
        };
        Tree {
            frames: vec![outside],
            active: vec![Active {
                function: u32::MAX,
                frame: 0,
                call: None,
            }],
            executions: HashMap::new(),
            steps: 0,
        }
    }
}

impl Tree {
    fn count(&mut self, place: StepPlace) -> usize {
        let execution = self.executions.entry(place).or_default();
        *execution += 1;
        *execution
    }

    fn put(&mut self, frame: usize, place: StepPlace, what: StepKind) {
        let execution = self.count(place);
        self.frames[frame].items.push(Item::Step(Step {
            place,
            what,
            execution,
        }));
        self.steps += 1;
    }

    fn step(&mut self, place: StepPlace, what: StepKind) {
        // Values are told apart from events, and a function may be left without one.
        let own = self
            .active
            .iter()
            .rev()
            .find(|one| one.function == place.function);
        let frame = own.or(self.active.last()).map_or(0, |one| one.frame);
        self.put(frame, place, what);
    }

    fn set_call(&mut self, call: Option<StepPlace>) {
        if let Some(last) = self.active.last_mut() {
            last.call = call;
        }
    }

    fn enter(&mut self, function: u32, is_known: bool) {
        let (parent, call) = self
            .active
            .last()
            .map_or((0, None), |one| (one.frame, one.call));
        let frame = if is_known {
            let call = call.map(|place| (place, self.count(place)));
            let frame = self.frames.len();
            self.frames[parent].items.push(Item::Call(frame));
            self.frames.push(Frame {
                function,
                call,
                items: Vec::new(),
            });
            frame
        } else {
            if let Some(place) = call {
                self.put(parent, place, StepKind::Call);
            }
            parent
        };
        self.active.push(Active {
            function,
            frame,
            call: None,
        });
    }
}
