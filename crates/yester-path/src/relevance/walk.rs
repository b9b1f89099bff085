//! Which blocks a run went through. Between two branches the way is certain, so the events of the trace tell all of it.

use std::collections::HashSet;

use super::code::{CallStep, CodeBlock, StepKind};
use crate::origin::Origin;
use crate::recording::{EventKind, Recording, RecordingError};
use crate::site::{Function, Sites};

/// A run is not followed further than this many pieces.
const MOST_ITEMS: usize = 40_000_000;

/// A piece of a run.
#[derive(Clone, Copy, Debug)]
pub(super) enum Item {
    /// Steps of a block, from one to before another.
    Steps {
        frame: u32,
        block: u32,
        from: u32,
        to: u32,
    },
    /// The branch at the end of a block, by its number among the branches.
    Branch { frame: u32, block: u32, branch: u32 },
    /// A function is entered.
    Enter { frame: u32 },
    /// A function returns.
    Leave { frame: u32 },
}

/// One activation of a function.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame {
    /// Its index in the table of functions.
    pub function: u32,
    /// The step that called it, and whether that called it itself.
    pub caller: Option<Caller>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Caller {
    pub frame: u32,
    pub block: u32,
    pub step: u32,
    /// Whether the function was called by that step, and not by the library.
    pub is_direct: bool,
}

/// A branch of the run.
#[derive(Clone, Copy, Debug)]
pub(super) struct WalkedBranch {
    pub offset: u64,
    pub site: u32,
    pub outcome: u32,
}

/// A step of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Moment {
    /// The index of the item that has it.
    pub item: usize,
    pub step: u32,
}

/// A run as a sequence of steps.
#[derive(Default)]
pub(super) struct Walk {
    pub items: Vec<Item>,
    pub frames: Vec<Frame>,
    pub branches: Vec<WalkedBranch>,
    /// The steps that the wanted moments are at.
    pub moments: Vec<Moment>,
}

/// An active function, and where it is.
struct Active {
    frame: u32,
    block: u32,
    step: u32,
    /// The last step that called something.
    last_call: Option<(u32, u32)>,
}

struct Walker<'a> {
    sites: &'a Sites,
    names: HashSet<&'a str>,
    walk: Walk,
    stack: Vec<Active>,
}

/// Why a run cannot be followed.
type Lost = String;

/// Follows the only thread of a run. The inner error says why that is not possible.
pub(super) fn walk(
    recording: &Recording,
    moments: &[Origin],
) -> Result<Result<Walk, Lost>, RecordingError> {
    if recording.streams() != 1 {
        return Ok(Err("the program has several threads".to_owned()));
    }
    let functions = recording.sites.functions();
    let names = functions.iter().map(|function| function.name.as_str());
    let mut walker = Walker {
        sites: &recording.sites,
        names: names.collect(),
        walk: Walk::default(),
        stack: Vec::new(),
    };
    let mut wanted: Vec<Origin> = moments.to_vec();
    wanted.sort_by_key(|moment| moment.event);
    let mut wanted = wanted.into_iter().peekable();
    let mut places = Vec::new();
    for event in recording.events(0)? {
        let event = event?;
        while let Some(moment) = wanted.next_if(|moment| moment.event <= event.offset) {
            places.push(walker.place(&moment));
        }
        if let Err(lost) = walker.step(event.kind, event.offset) {
            return Ok(Err(lost));
        }
        if walker.walk.items.len() > MOST_ITEMS {
            return Ok(Err("the run is too long".to_owned()));
        }
    }
    places.extend(wanted.map(|moment| walker.place(&moment)));
    // What was begun went on to an end without events.
    while let Some(mut active) = walker.stack.pop() {
        let blocks = walker.function(active.frame).code.len();
        // A loop without branches never ends.
        for _ in 0..blocks {
            if !walker.rest(&mut active) {
                break;
            }
        }
    }
    for place in places {
        match place.and_then(|place| walker.find(place)) {
            Some(moments) => walker.walk.moments.extend(moments),
            None => return Ok(Err("the line of the output is not known".to_owned())),
        }
    }
    Ok(Ok(walker.walk))
}

/// Calls that may be a wanted moment: their activation, blocks and steps, and how many items came before.
struct Candidates {
    frame: u32,
    steps: Vec<(u32, u32)>,
    after: usize,
}

impl<'a> Walker<'a> {
    fn function(&self, frame: u32) -> &'a Function {
        let function = self.walk.frames[frame as usize].function;
        &self.sites.functions()[function as usize]
    }

    fn block(&self, frame: u32, block: u32) -> &'a CodeBlock {
        &self.function(frame).code[block as usize]
    }

    fn call(&self, frame: u32, block: u32, step: u32) -> Option<&'a CallStep> {
        match &self.block(frame, block).steps.get(step as usize)?.kind {
            StepKind::Call(call) => Some(call),
            _ => None,
        }
    }

    fn is_known(&self, call: &CallStep) -> bool {
        let name = call.callee.as_deref();
        name.is_some_and(|name| self.names.contains(name))
    }

    /// The calls that come next in a function, up to its next branch.
    fn calls(&self, active: &Active) -> Vec<(u32, u32)> {
        let mut found = Vec::new();
        let (mut block, mut step) = (active.block, active.step);
        let mut seen = HashSet::new();
        while seen.insert(block) {
            let steps = self.block(active.frame, block).steps.len() as u32;
            let here = (step..steps).filter(|step| self.call(active.frame, block, *step).is_some());
            found.extend(here.map(|step| (block, step)));
            let Some(next) = self.block(active.frame, block).only_next() else {
                break;
            };
            (block, step) = (next, 0);
        }
        found
    }

    /// Emits the steps up to one of a block, which the way leads to.
    fn advance(&mut self, active: &mut Active, block: u32, step: u32) -> Result<(), Lost> {
        let mut rounds = 0;
        while active.block != block || active.step > step {
            rounds += 1;
            if rounds > self.function(active.frame).code.len() + 1 || !self.rest(active) {
                let name = &self.function(active.frame).name;
                return Err(format!("the way through {name} is not known"));
            }
        }
        self.emit(active, step);
        Ok(())
    }

    fn emit(&mut self, active: &mut Active, to: u32) {
        if active.step < to {
            self.walk.items.push(Item::Steps {
                frame: active.frame,
                block: active.block,
                from: active.step,
                to,
            });
            active.step = to;
        }
    }

    /// Emits the rest of a block and goes to the next; false if that is not certain.
    fn rest(&mut self, active: &mut Active) -> bool {
        let block = self.block(active.frame, active.block);
        self.emit(active, block.steps.len() as u32);
        match block.only_next() {
            Some(next) => {
                (active.block, active.step) = (next, 0);
                true
            }
            None => false,
        }
    }

    fn step(&mut self, kind: EventKind, offset: u64) -> Result<(), Lost> {
        match kind {
            EventKind::Enter { function } => self.enter(function),
            EventKind::Branch { site, outcome, .. } => {
                let Some(mut active) = self.stack.pop() else {
                    return Err("a branch outside of functions".to_owned());
                };
                let mut rounds = 0;
                while self.block(active.frame, active.block).site != Some(site) {
                    rounds += 1;
                    if rounds > self.function(active.frame).code.len() || !self.rest(&mut active) {
                        let name = &self.function(active.frame).name;
                        return Err(format!("the way through {name} is not known"));
                    }
                }
                self.rest(&mut active);
                let next = &self.block(active.frame, active.block).next;
                let Some(next) = next.get(outcome as usize) else {
                    return Err("an outcome that leads nowhere".to_owned());
                };
                self.walk.items.push(Item::Branch {
                    frame: active.frame,
                    block: active.block,
                    branch: self.walk.branches.len() as u32,
                });
                self.walk.branches.push(WalkedBranch {
                    offset,
                    site,
                    outcome,
                });
                self.stack.push(Active {
                    block: *next,
                    step: 0,
                    ..active
                });
                Ok(())
            }
            EventKind::Return { .. } => {
                let Some(mut active) = self.stack.pop() else {
                    return Err("a return outside of functions".to_owned());
                };
                let mut rounds = 0;
                while !self.block(active.frame, active.block).returns() {
                    rounds += 1;
                    if rounds > self.function(active.frame).code.len() || !self.rest(&mut active) {
                        let name = &self.function(active.frame).name;
                        return Err(format!("the way out of {name} is not known"));
                    }
                }
                self.rest(&mut active);
                self.walk.items.push(Item::Leave {
                    frame: active.frame,
                });
                let caller = self.walk.frames[active.frame as usize].caller;
                if let Some(caller) = caller.filter(|caller| !caller.is_direct) {
                    // What the library did after that.
                    self.walk.items.push(Item::Steps {
                        frame: caller.frame,
                        block: caller.block,
                        from: caller.step,
                        to: caller.step + 1,
                    });
                }
                Ok(())
            }
            EventKind::Land { .. } => Err("an exception or longjmp".to_owned()),
            EventKind::Call { .. } | EventKind::Exit(_) | EventKind::Abort => Ok(()),
        }
    }

    fn enter(&mut self, id: u32) -> Result<(), Lost> {
        let index = self.sites.index(id).ok_or("a function that is not known")?;
        let function = &self.sites.functions()[index as usize];
        if function.code.is_empty() {
            return Err(format!(
                "{} was built without YESTER_CC_MODE=dependence",
                function.name
            ));
        }
        let mut caller = None;
        if let Some(mut active) = self.stack.pop() {
            let calls = self.calls(&active);
            let frame = active.frame;
            let call = |place: &(u32, u32)| self.call(frame, place.0, place.1);
            let named = calls.iter().find(|place| {
                call(place).is_some_and(|call| call.callee.as_deref() == Some(&function.name))
            });
            let computed = calls
                .iter()
                .find(|place| call(place).is_some_and(|call| call.callee.is_none()));
            let is_library =
                |place: &&(u32, u32)| call(place).is_some_and(|call| !self.is_known(call));
            let again = active.last_call.as_ref().filter(is_library);
            let library = calls.iter().find(is_library);
            let found = named.or(computed).copied();
            if let Some((block, step)) = found {
                self.advance(&mut active, block, step)?;
                active.step = step + 1;
                active.last_call = Some((block, step));
                caller = Some((block, step, true));
            } else if let Some(&(block, step)) = again {
                caller = Some((block, step, false));
            } else if let Some(&(block, step)) = library {
                self.advance(&mut active, block, step + 1)?;
                active.last_call = Some((block, step));
                caller = Some((block, step, false));
            } else {
                return Err(format!("what called {} is not known", function.name));
            }
            self.stack.push(active);
        }
        let caller = caller.map(|(block, step, is_direct)| Caller {
            frame: self.stack.last().map_or(0, |active| active.frame),
            block,
            step,
            is_direct,
        });
        let frame = self.walk.frames.len() as u32;
        self.walk.frames.push(Frame {
            function: index,
            caller,
        });
        self.walk.items.push(Item::Enter { frame });
        self.stack.push(Active {
            frame,
            block: 0,
            step: 0,
            last_call: None,
        });
        Ok(())
    }

    /// The calls that a moment before the next event may be.
    fn place(&self, moment: &Origin) -> Option<Candidates> {
        let active = self.stack.last()?;
        let mut steps: Vec<(u32, u32)> = self.calls(active);
        // What the library called last may have been what wrote.
        steps.retain(|place| {
            let call = self.call(active.frame, place.0, place.1);
            call.is_some_and(|call| !self.is_known(call))
        });
        let line = |place: &(u32, u32)| {
            let step = &self.block(active.frame, place.0).steps[place.1 as usize];
            step.line == moment.line
        };
        let column = |place: &(u32, u32)| {
            let step = &self.block(active.frame, place.0).steps[place.1 as usize];
            line(place) && step.column == moment.column
        };
        if steps.iter().any(column) {
            steps.retain(column);
        } else if steps.iter().any(line) {
            steps.retain(line);
        }
        (!steps.is_empty()).then_some(Candidates {
            frame: active.frame,
            steps,
            after: self.walk.items.len(),
        })
    }

    /// Where these calls were made first.
    fn find(&self, candidates: Candidates) -> Option<Vec<Moment>> {
        let mut found = Vec::new();
        let mut missing = candidates.steps;
        for (index, item) in self.walk.items.iter().enumerate().skip(candidates.after) {
            if let Item::Steps {
                frame,
                block,
                from,
                to,
            } = *item
                && frame == candidates.frame
            {
                missing.retain(|&(wanted, step)| {
                    let is_here = wanted == block && (from..to).contains(&step);
                    if is_here {
                        found.push(Moment { item: index, step });
                    }
                    !is_here
                });
            }
            if missing.is_empty() {
                return Some(found);
            }
        }
        (!found.is_empty()).then_some(found)
    }
}
