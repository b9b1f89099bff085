//! Follows a run from its beginning, step by step, with who wrote what.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, HashMap};
use std::ops::Range;

use super::super::code::{
    ANY, CallStep, LIBRARY, LibraryEffect, OUTSIDE, Place, Shared, Step, StepKind, effect,
};
use super::super::walk::{Item, Moment, Walk};
use super::{ChainEnd, ChainLink, LinkRole};
use crate::origin::SourcePlace;
use crate::site::{Function, Sites};

/// Longer runs are not followed.
const MOST_STEPS: usize = 3_000_000;

/// Functions of the library that read input.
const READERS: [&str; 18] = [
    "getchar",
    "getc",
    "fgetc",
    "_IO_getc",
    "getchar_unlocked",
    "getc_unlocked",
    "gets",
    "fgets",
    "fread",
    "fread_unlocked",
    "read",
    "scanf",
    "fscanf",
    "getline",
    "getdelim",
    "__getdelim",
    "getenv",
    "mmap",
];

/// What happened at a step.
#[derive(Clone, Copy)]
pub(super) enum What<'a> {
    Assigned,
    /// A branch, by the offset of its event.
    Branch(u64),
    Returned,
    /// Something was passed to this function.
    Passed(&'a str),
    /// The program was started with its arguments.
    Started,
    /// This function of the library was called.
    Called(&'a str),
}

/// One step of the run.
pub(super) struct Happened<'a> {
    /// The index of its function.
    pub function: u32,
    pub line: u32,
    pub what: What<'a>,
    /// What it depends on, in [`Follower::causes`].
    causes: Range<usize>,
}

/// Something that a step depends on.
#[derive(Clone, Copy)]
struct Cause {
    step: usize,
    is_certain: bool,
    is_control: bool,
}

/// The steps that wrote something, each with whether what is read is certain to be of it.
type Writers = Vec<(usize, bool)>;

/// So many writers of parts of a variable are known.
const MOST_WRITERS: usize = 8;

/// What is known of an activation of a function.
#[derive(Default)]
struct Frame {
    locals: HashMap<u32, Writers>,
    /// The step that each parameter was passed by.
    parameters: Vec<usize>,
    /// The start of the program, for its first function.
    start: Option<usize>,
    result: Option<usize>,
    /// The last step that had each outcome of a branch.
    decided: HashMap<(u32, u32), usize>,
    last_branch: Option<usize>,
    /// What decided over the call.
    control: Option<usize>,
}

pub(super) struct Follower<'a> {
    walk: &'a Walk,
    pub functions: &'a [Function],
    kinds: &'a [Shared],
    end: ChainEnd,
    pub happened: Vec<Happened<'a>>,
    causes: Vec<Cause>,
    frames: HashMap<u32, Frame>,
    shared: HashMap<u32, Writers>,
    /// The last steps that wrote through a pointer, and to a variable that pointers may point to.
    last_pointer: Option<usize>,
    last_object: Option<usize>,
    pub ends: Vec<usize>,
}

impl<'a> Follower<'a> {
    pub fn new(walk: &'a Walk, sites: &'a Sites, end: ChainEnd) -> Follower<'a> {
        Follower {
            walk,
            functions: sites.functions(),
            kinds: &sites.shared.kinds,
            end,
            happened: Vec::new(),
            causes: Vec::new(),
            frames: HashMap::new(),
            shared: HashMap::new(),
            last_pointer: None,
            last_object: None,
            ends: Vec::new(),
        }
    }

    /// Goes through the whole run. False if it is too long.
    pub fn follow(&mut self) -> bool {
        for (index, item) in self.walk.items.iter().enumerate() {
            if self.happened.len() > MOST_STEPS {
                return false;
            }
            match *item {
                Item::Steps {
                    frame,
                    block,
                    from,
                    to,
                } => {
                    let code = &self.function(frame).code[block as usize];
                    for step in from..to {
                        let moment = Moment { item: index, step };
                        let made = self.step(frame, block, &code.steps[step as usize]);
                        if self.walk.moments.contains(&moment) {
                            self.ends.extend(made);
                        }
                    }
                }
                Item::Branch {
                    frame,
                    block,
                    branch,
                } => self.branch(frame, block, branch),
                Item::Enter { frame } => self.enter(frame),
                Item::Leave { frame } => self.leave(frame),
            }
        }
        if self.end == ChainEnd::Crash {
            // Which of these steps it did not finish is not known.
            let is_branch = |one: &Happened<'_>| matches!(one.what, What::Branch(_));
            let last = self.happened.iter().rposition(is_branch).unwrap_or(0);
            self.ends = (last..self.happened.len()).collect();
        }
        true
    }

    fn function(&self, frame: u32) -> &'a Function {
        &self.functions[self.walk.frames[frame as usize].function as usize]
    }

    fn add(&mut self, frame: u32, line: u32, what: What<'a>, causes: Vec<Cause>) -> usize {
        let first = self.causes.len();
        self.causes.extend(causes);
        self.happened.push(Happened {
            function: self.walk.frames[frame as usize].function,
            line,
            what,
            causes: first..self.causes.len(),
        });
        self.happened.len() - 1
    }

    /// What was read from these places, and what decided over a block.
    fn causes_of(
        &self,
        frame: u32,
        block: u32,
        reads: impl IntoIterator<Item = Place>,
    ) -> Vec<Cause> {
        let writers = reads
            .into_iter()
            .flat_map(|place| self.writers(frame, place));
        let mut causes: Vec<Cause> = writers
            .map(|(step, is_certain)| Cause {
                step,
                is_certain,
                is_control: false,
            })
            .collect();
        causes.extend(self.control(frame, block).map(|step| Cause {
            step,
            is_certain: true,
            is_control: true,
        }));
        causes
    }

    /// The branch that decided over a block.
    fn control(&self, frame: u32, block: u32) -> Option<usize> {
        let function = self.function(frame);
        let known = self.frames.get(&frame)?;
        let class = function.code[block as usize].class;
        let Some(class) = usize::from(class).checked_sub(1) else {
            return known.last_branch.or(known.control);
        };
        let decided = function.classes[class]
            .iter()
            .filter_map(|one| known.decided.get(&(one.site, one.outcome)));
        decided.max().copied().or(known.control)
    }

    /// The steps that wrote what is read from a place.
    fn writers(&self, frame: u32, place: Place) -> Writers {
        let known = self.frames.get(&frame);
        let passed = |known: &Frame| -> Writers {
            let steps = known.parameters.iter().chain(&known.start);
            steps.map(|step| (*step, false)).collect()
        };
        match place {
            Place::Local(number) => {
                let Some(known) = known else {
                    return Vec::new();
                };
                if let Some(writers) = known.locals.get(&number) {
                    return writers.clone();
                }
                let parameter = place.parameter().map(|number| number as usize);
                match parameter.map(|number| known.parameters.get(number)) {
                    Some(Some(step)) => vec![(*step, true)],
                    Some(None) => known.start.iter().map(|step| (*step, true)).collect(),
                    None => Vec::new(),
                }
            }
            Place::Parameters => known.map(passed).unwrap_or_default(),
            // How far files are read is no value.
            LIBRARY | ANY | OUTSIDE => Vec::new(),
            Place::Shared(number) => self.shared_writers(number),
        }
    }

    fn shared_writers(&self, number: u32) -> Writers {
        let own = self.shared.get(&number).cloned().unwrap_or_default();
        let of = |place: Place| match place {
            Place::Shared(number) => self.shared.get(&number).and_then(|all| all.last()),
            _ => None,
        };
        let last = own.last().map(|(step, _)| *step);
        let other = match self.kinds[number as usize] {
            Shared::Plain => None,
            Shared::Visible | Shared::Outside => of(OUTSIDE).map(|(step, _)| *step),
            Shared::Object => self.last_pointer,
            Shared::Pointed { .. } | Shared::Any => {
                let any = of(ANY).map(|(step, _)| *step);
                let guesses = own.iter().map(|(step, _)| *step).chain(any);
                let guess = guesses.max().or(self.last_object);
                return guess.map(|step| (step, false)).into_iter().collect();
            }
        };
        match other.filter(|other| last.is_none_or(|last| *other > last)) {
            // Something unknown may have written to it since.
            Some(other) => {
                let own = own.into_iter().map(|(step, _)| (step, false));
                own.chain([(other, false)]).collect()
            }
            None => own,
        }
    }

    fn write(&mut self, frame: u32, place: Place, step: usize, is_whole: bool) {
        let writers = match place {
            Place::Local(number) => {
                let known = self.frames.entry(frame).or_default();
                known.locals.entry(number).or_default()
            }
            Place::Shared(number) => {
                match self.kinds[number as usize] {
                    Shared::Pointed { .. } | Shared::Any => self.last_pointer = Some(step),
                    Shared::Object => self.last_object = Some(step),
                    _ => {}
                }
                self.shared.entry(number).or_default()
            }
            Place::Parameters => return,
        };
        if is_whole {
            *writers = vec![(step, true)]
        } else {
            writers
                .iter_mut()
                .for_each(|(_, is_certain)| *is_certain = false);
            if writers.len() == MOST_WRITERS {
                writers.remove(0);
            }
            writers.push((step, false));
        }
    }

    fn step(&mut self, frame: u32, block: u32, step: &'a Step) -> Option<usize> {
        let reads = step.reads.iter().copied();
        match &step.kind {
            StepKind::Test => None,
            StepKind::Set(writes) => {
                let causes = self.causes_of(frame, block, reads);
                let made = self.add(frame, step.line, What::Assigned, causes);
                for write in writes {
                    self.write(frame, write.place, made, write.is_whole);
                }
                Some(made)
            }
            StepKind::Give => {
                let causes = self.causes_of(frame, block, reads);
                let made = self.add(frame, step.line, What::Returned, causes);
                self.frames.entry(frame).or_default().result = Some(made);
                let is_first = self.walk.frames[frame as usize].caller.is_none();
                if self.end == ChainEnd::ExitCode && is_first {
                    self.ends = vec![made];
                }
                Some(made)
            }
            StepKind::Call(call) => Some(self.library(frame, block, step, call)),
        }
    }

    /// A call of the library.
    fn library(&mut self, frame: u32, block: u32, step: &'a Step, call: &'a CallStep) -> usize {
        let name = call.callee.as_deref();
        let LibraryEffect {
            mut written,
            mut read,
            mut is_unknown,
            ..
        } = effect(name);
        let name = plain(name.unwrap_or_default());
        let all = || (0..call.touched.len()).collect::<Vec<_>>();
        // It writes where its arguments point to, and nowhere else.
        if name.ends_with("scanf") {
            (written, read, is_unknown) = (all(), Vec::new(), false);
        }
        if is_unknown {
            (written, read) = (all(), all());
        }
        let touched = |indices: &[usize]| -> Vec<Place> {
            let places = indices.iter().filter_map(|index| call.touched.get(*index));
            places.flatten().copied().collect()
        };
        let arguments = call.arguments.iter().flatten().copied();
        let reads = step.reads.iter().copied().chain(arguments);
        let reads = reads.chain(touched(&read));
        let causes = self.causes_of(frame, block, reads);
        let made = self.add(frame, step.line, What::Called(name), causes);
        for place in touched(&written) {
            self.write(frame, place, made, is_reader(name));
        }
        if let Some(result) = call.result {
            self.write(frame, result, made, true);
        }
        if is_unknown {
            self.write(frame, ANY, made, false);
            self.write(frame, OUTSIDE, made, false);
        }
        if self.end == ChainEnd::ExitCode && matches!(name, "exit" | "_exit" | "_Exit") {
            self.ends = vec![made];
        }
        made
    }

    fn branch(&mut self, frame: u32, block: u32, branch: u32) {
        let walked = self.walk.branches[branch as usize];
        let function = self.function(frame);
        let code = &function.code[block as usize];
        let test = code.steps.last();
        let reads = test.into_iter().flat_map(|test| test.reads.iter().copied());
        let causes = self.causes_of(frame, block, reads);
        let line = function.sites[walked.site as usize].line;
        let made = self.add(frame, line, What::Branch(walked.offset), causes);
        let known = self.frames.entry(frame).or_default();
        known.decided.insert((walked.site, walked.outcome), made);
        known.last_branch = Some(made);
    }

    fn enter(&mut self, frame: u32) {
        let Some(caller) = self.walk.frames[frame as usize].caller else {
            let line = self.function(frame).line;
            let start = self.add(frame, line, What::Started, Vec::new());
            self.frames.entry(frame).or_default().start = Some(start);
            return;
        };
        let control = self.control(caller.frame, caller.block);
        let code = &self.function(caller.frame).code[caller.block as usize];
        let step = &code.steps[caller.step as usize];
        let mut parameters = Vec::new();
        if let StepKind::Call(call) = &step.kind
            && caller.is_direct
        {
            let name = self.function(frame).name.as_str();
            for argument in &call.arguments {
                let reads = argument.iter().copied();
                let causes = self.causes_of(caller.frame, caller.block, reads);
                parameters.push(self.add(caller.frame, step.line, What::Passed(name), causes));
            }
        }
        let known = self.frames.entry(frame).or_default();
        known.parameters = parameters;
        known.control = control;
    }

    fn leave(&mut self, frame: u32) {
        let result = self.frames.remove(&frame).and_then(|known| known.result);
        let caller = self.walk.frames[frame as usize].caller;
        let (Some(caller), Some(result)) = (caller.filter(|caller| caller.is_direct), result)
        else {
            return;
        };
        let code = &self.function(caller.frame).code[caller.block as usize];
        let step = &code.steps[caller.step as usize];
        if let StepKind::Call(call) = &step.kind
            && let Some(place) = call.result
        {
            let causes = vec![Cause {
                step: result,
                is_certain: true,
                is_control: false,
            }];
            let made = self.add(caller.frame, step.line, What::Assigned, causes);
            self.write(caller.frame, place, made, true);
        }
    }

    /// Whether a step has something from outside of the program.
    pub fn reads_input(&self, step: usize) -> bool {
        match self.happened[step].what {
            What::Called(name) => is_reader(name),
            What::Started => true,
            _ => false,
        }
    }

    /// The lines of these steps and of all that they depend on, each with the index of its function.
    pub fn behind(&self, from: &[usize]) -> BTreeSet<(u32, u32)> {
        let mut is_known = vec![false; self.happened.len()];
        let mut open = from.to_vec();
        let mut lines = BTreeSet::new();
        while let Some(step) = open.pop() {
            if std::mem::replace(&mut is_known[step], true) {
                continue;
            }
            let happened = &self.happened[step];
            lines.insert((happened.function, happened.line));
            let causes = &self.causes[happened.causes.clone()];
            open.extend(causes.iter().map(|cause| cause.step));
        }
        lines
    }

    /// The steps from the nearest one that is wanted to one of these, each with whether it certainly depends on the one before.
    pub fn shortest(&self, from: &[usize], is_wanted: impl Fn(usize) -> bool) -> Writers {
        // How many links are not certain, how many go from a decision to what it let happen, and how many there are.
        type Cost = (u32, u32, u32);
        let mut best: HashMap<usize, (Cost, Option<(usize, bool)>)> = HashMap::new();
        let mut open = BinaryHeap::new();
        for &step in from {
            best.insert(step, ((0, 0, 0), None));
            open.push((Reverse((0, 0, 0)), step));
        }
        while let Some((Reverse(cost), step)) = open.pop() {
            if best[&step].0 != cost {
                continue;
            }
            if is_wanted(step) {
                let mut path = Vec::new();
                let mut at = Some((step, true));
                while let Some((step, is_certain)) = at {
                    path.push((step, is_certain));
                    at = best[&step].1;
                }
                return path;
            }
            for cause in &self.causes[self.happened[step].causes.clone()] {
                let next = (
                    cost.0 + u32::from(!cause.is_certain),
                    cost.1 + u32::from(cause.is_control),
                    cost.2 + 1,
                );
                let is_better = best.get(&cause.step).is_none_or(|(known, _)| next < *known);
                if is_better {
                    best.insert(cause.step, (next, Some((step, cause.is_certain))));
                    open.push((Reverse(next), cause.step));
                }
            }
        }
        Vec::new()
    }

    /// The lines of a path. What has no line of its own is left out, and of several steps in one line the last is told.
    pub fn links(&self, path: &[(usize, bool)]) -> Vec<ChainLink> {
        let mut links: Vec<ChainLink> = Vec::new();
        let mut is_certain = true;
        for (step, is_sure) in path {
            is_certain &= *is_sure;
            let happened = &self.happened[*step];
            if happened.line == 0 {
                continue;
            }
            let link = ChainLink {
                place: SourcePlace {
                    function: self.functions[happened.function as usize].id,
                    line: happened.line,
                    column: 0,
                },
                role: role(happened.what),
                is_certain,
            };
            match links.last_mut() {
                Some(last) if last.place == link.place => {
                    // Where the input comes from matters more than what is done with it in the same line.
                    if !matches!(last.role, LinkRole::Reads(_) | LinkRole::Arguments) {
                        last.role = link.role;
                    }
                    last.is_certain &= is_certain;
                }
                _ => links.push(link),
            }
            is_certain = true;
        }
        links
    }
}

/// The name that a function has in the source: a header may give it another.
fn plain(name: &str) -> &str {
    let names = ["__isoc99_", "__isoc23_"];
    names
        .iter()
        .find_map(|start| name.strip_prefix(start))
        .unwrap_or(name)
}

fn is_reader(name: &str) -> bool {
    READERS.contains(&name) || name.contains("istream") || name.contains("std::getline")
}

fn role(what: What<'_>) -> LinkRole {
    match what {
        What::Assigned => LinkRole::Assigns,
        What::Branch(_) => LinkRole::Decides,
        What::Returned => LinkRole::Returns,
        What::Passed(name) => LinkRole::Passes(name.to_owned()),
        What::Started => LinkRole::Arguments,
        What::Called(name) if is_reader(name) => LinkRole::Reads(name.to_owned()),
        What::Called(name) => LinkRole::Calls(name.to_owned()),
    }
}
