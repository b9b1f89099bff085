//! Interventions, each one change to a run: a branch goes the other way, a value is another, a statement is skipped, an operator is
//! another.
//!
//! A program that was built for it (`YESTER_CC_MODE=intervene`) tells its modules here. Each place of a module is a byte that is 0 unless the
//! runtime wants to hear of the place. What is wanted stands in the environment:
//!
//! - `YESTER_INTERVENE_PROFILE=DIRECTORY`: every place is counted, and what it did is written down ([`profile`]).
//! - `YESTER_INTERVENE=PLAN`: the first intervention of the plan is carried out ([`crate::protocol`]).
//! - `YESTER_INTERVENE=PLAN` and `YESTER_INTERVENE_RESULTS=FILE`: all interventions are, each in a child of this process that begins
//!   where the program reaches its first place ([`server`]). `YESTER_INTERVENE_EXPECTED=FILE` is what their standard output is compared
//!   with.
//!
//! A program that also records (`YESTER_CC_MODE=follow`) can follow a value that is another to what it changes ([`follow`]).
//!
//! Without these, nothing happens. With threads, executions are counted in whatever order they come.

mod follow;
mod operator;
mod profile;
mod server;

use core::ffi::c_char;
use core::sync::atomic::{AtomicBool, AtomicI64, Ordering};

use crate::file::SharedCell;
use crate::protocol::{
    Action, Assignment, Call, CallArgument, Intervention, Limits, MOST_STRUCTURES, Plan,
};
use crate::recording::variable;
use crate::system;

/// The description that a module's constructor passes.
#[repr(C)]
pub struct InterventionModule {
    /// The byte of its first place.
    armed: *mut u8,
    /// How many places it has.
    count: u64,
    /// What tells it from other modules.
    identity: u64,
    /// The table of its functions and places.
    table: *const u8,
    table_bytes: u64,
    /// The numbers that its last places are, which have a value before the program begins.
    data: *const Datum,
    data_count: u64,
    /// Its functions in the order of the table; null if a function cannot be called.
    functions: *const *const u8,
    function_count: u64,
}

/// A number outside of functions.
#[repr(C)]
pub struct Datum {
    variable: *mut u8,
    offset: u64,
    bytes: u64,
}

impl InterventionModule {
    /// The number that a place is.
    unsafe fn datum(&self, place: u64) -> Option<&Datum> {
        let index = place.checked_sub(self.count - self.data_count)?;
        // SAFETY: the array has as many elements as the module says.
        (index < self.data_count).then(|| unsafe { &*self.data.add(index as usize) })
    }
}

impl Datum {
    fn bytes(&self) -> usize {
        (self.bytes as usize).min(size_of::<u64>())
    }

    unsafe fn value(&self) -> u64 {
        let mut value = [0; 8];
        // SAFETY: the variable has so many bytes there.
        unsafe {
            let address = self.variable.add(self.offset as usize);
            core::ptr::copy_nonoverlapping(address, value.as_mut_ptr(), self.bytes());
        }
        u64::from_le_bytes(value)
    }

    unsafe fn set(&self, value: u64) {
        // SAFETY: as above; the compiler has made the variable one that may change.
        unsafe {
            let address = self.variable.add(self.offset as usize);
            core::ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), address, self.bytes());
        }
    }
}

/// How many branches the program may still take.
#[cfg_attr(yester_runtime, unsafe(export_name = "__yester_intervene_fuel"))]
pub static FUEL: AtomicI64 = AtomicI64::new(i64::MAX);

const MOST_MODULES: usize = 4096;

/// A module that was told.
#[derive(Clone, Copy)]
struct Registered {
    module: *const InterventionModule,
    /// The number of its first place among those of all modules.
    first: u64,
}

/// What the process is here for.
#[expect(
    clippy::large_enum_variant,
    reason = "there is one, and no heap for a box"
)]
#[derive(Clone, Copy)]
enum Mode {
    /// To run.
    Idle,
    Profile,
    /// To carry out one intervention.
    Intervention(Intervention),
    /// To do that again and again.
    Server(Plan<'static>),
}

/// Constructors run one after the other, and places of several threads only read what does not change any more, but for counts.
struct InterventionState {
    mode: Mode,
    modules: [Registered; MOST_MODULES],
    count: usize,
    places: u64,
    /// The module that was asked for last.
    last: usize,
    /// The place of the intervention, once its module is known.
    target: *mut u8,
    /// How often it was reached.
    reached: u64,
    /// What the variable that it gets its value from was assigned last.
    latest: Option<u64>,
    /// The function that is called there.
    callee: *const u8,
}

static STATE: SharedCell<InterventionState> = SharedCell::new(InterventionState {
    mode: Mode::Idle,
    modules: [Registered {
        module: core::ptr::null(),
        first: 0,
    }; MOST_MODULES],
    count: 0,
    places: 0,
    last: 0,
    target: core::ptr::null_mut(),
    reached: 0,
    latest: None,
    callee: core::ptr::null(),
});
static STARTED: AtomicBool = AtomicBool::new(false);

/// Called by the constructor of each module.
///
/// # Safety
/// The module is one that `yester-cc` made, and the other arguments are those of a constructor.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_intervene_module(
    module: *const InterventionModule,
    _count: i32,
    _arguments: *const *const c_char,
    environment: *const *const c_char,
) {
    // SAFETY: the compiler has made the module, and the C library hands over the environment.
    unsafe {
        let state = &mut *STATE.get();
        if !STARTED.swap(true, Ordering::Relaxed) {
            state.mode = mode(environment);
        }
        if matches!(state.mode, Mode::Idle) || state.count == MOST_MODULES {
            return;
        }
        let registered = Registered {
            module,
            first: state.places,
        };
        state.modules[state.count] = registered;
        state.count += 1;
        state.places += (*module).count;
        match state.mode {
            Mode::Profile => {
                profile::module(core::slice::from_raw_parts(
                    (*module).table,
                    (*module).table_bytes as usize,
                ));
                registered.arm_all(1);
                let first = registered.first + (*module).count - (*module).data_count;
                for index in 0..(*module).data_count {
                    let value = (*(*module).data.add(index as usize)).value();
                    profile::reached(first + index, &Report::Value(value));
                }
            }
            Mode::Server(_) => registered.arm_all(1),
            Mode::Intervention(intervention) => state.aim(registered, intervention),
            Mode::Idle => {}
        }
    }
}

/// Lets the program take as many branches as a run may.
fn refuel(limits: Limits) {
    let branches = i64::try_from(limits.branches).unwrap_or(i64::MAX);
    FUEL.store(branches, Ordering::Relaxed);
}

/// What the environment asks for. The user must not choose what a setuid program does.
unsafe fn mode(environment: *const *const c_char) -> Mode {
    // SAFETY: as the caller promises.
    unsafe {
        let given = |name| variable(environment, name).filter(|value| !value.is_empty());
        let directory = given(b"YESTER_INTERVENE_PROFILE");
        let plan = given(b"YESTER_INTERVENE");
        if (directory.is_none() && plan.is_none()) || system::privileged() {
            return Mode::Idle;
        }
        // Which process of a test this is: each adds a byte to a file that all of them know.
        let number = given(b"YESTER_INTERVENE_COUNTER");
        let number = number.and_then(system::append_byte).unwrap_or(1);
        if let Some(directory) = directory {
            return if profile::begin(directory, number) {
                Mode::Profile
            } else {
                Mode::Idle
            };
        }
        let Some(plan) = plan.and_then(system::content).and_then(Plan::read) else {
            return Mode::Idle;
        };
        match given(b"YESTER_INTERVENE_RESULTS") {
            Some(path) if server::prepare(path, given(b"YESTER_INTERVENE_EXPECTED")) => {
                Mode::Server(plan)
            }
            Some(_) => Mode::Idle,
            None => match plan.interventions().next() {
                Some(intervention) if intervention.is_for(number) => {
                    refuel(plan.limits);
                    Mode::Intervention(intervention)
                }
                _ => Mode::Idle,
            },
        }
    }
}

impl Registered {
    unsafe fn arm_all(self, value: u8) {
        // SAFETY: the array has as many bytes as the module says.
        unsafe {
            core::ptr::write_bytes((*self.module).armed, value, (*self.module).count as usize);
        }
    }
}

impl InterventionState {
    /// Arms the place of an intervention if this module has it.
    unsafe fn aim(&mut self, registered: Registered, intervention: Intervention) {
        // SAFETY: the array has as many bytes as the module says.
        unsafe {
            let module = &*registered.module;
            if module.identity != intervention.module {
                return;
            }
            if let Some(datum) = module.datum(intervention.place) {
                if let Action::Set(value) = intervention.action {
                    datum.set(value);
                    server::applied();
                }
            } else if intervention.place < module.count {
                if let Action::Latest(variable) = intervention.action {
                    let places = variable.places.iter();
                    for place in places.filter(|place| **place < module.count) {
                        *module.armed.add(*place as usize) = 1;
                    }
                }
                if let Action::Call(call) = intervention.action
                    && call.function < module.function_count
                {
                    self.callee = *module.functions.add(call.function as usize);
                }
                self.target = module.armed.add(intervention.place as usize);
                *self.target = 1;
            }
        }
    }

    /// From now on this process carries out one intervention.
    unsafe fn carry_out(&mut self, intervention: Intervention) {
        self.mode = Mode::Intervention(intervention);
        for index in 0..self.count {
            // SAFETY: these modules were told.
            unsafe {
                self.modules[index].arm_all(0);
                self.aim(self.modules[index], intervention);
            }
        }
    }

    /// The number of a place among those of all modules.
    unsafe fn number(&mut self, place: *mut u8) -> Option<u64> {
        let count = self.count;
        for step in 0..count {
            let index = (self.last + step) % count;
            // SAFETY: these modules were told.
            let module = unsafe { &*self.modules[index].module };
            let offset = (place as usize).wrapping_sub(module.armed as usize) as u64;
            if offset < module.count {
                self.last = index;
                return Some(self.modules[index].first + offset);
            }
        }
        None
    }

    /// What the intervention makes of a place that is reached. `None` if it stays as it is.
    fn reach(&mut self, place: *mut u8, report: &Report) -> Option<Action> {
        let Mode::Intervention(intervention) = self.mode else {
            return None;
        };
        if place != self.target {
            // Only places that assign the other variable are armed beside the target.
            if let Report::Value(value) = report {
                self.latest = Some(*value);
            }
            return None;
        }
        self.reached += 1;
        if intervention.is_over(self.reached) {
            // SAFETY: it is a byte of a module, and has done its work.
            unsafe { *place = 0 };
        }
        if !intervention.is_about(self.reached) {
            return None;
        }
        let action = match (intervention.action, self.latest) {
            (Action::Latest(variable), Some(value)) => Action::Set(variable.form.extended(value)),
            (Action::Latest(_), None) => return None,
            (action, _) => action,
        };
        server::applied();
        Some(action)
    }
}

/// What a place reports before it goes on.
enum Report {
    Value(u64),
    Operands(u64, u64),
    /// Only that it was reached.
    Nothing,
}

/// A place that is armed was reached, or the fuel is at its end.
#[cold]
fn reach(place: *mut u8, report: Report) -> Option<Action> {
    if FUEL.load(Ordering::Relaxed) < 0 {
        server::spent();
    }
    // SAFETY: see `InterventionState`.
    unsafe {
        let state = &mut *STATE.get();
        match state.mode {
            Mode::Idle => None,
            Mode::Profile => {
                if let Some(number) = state.number(place) {
                    profile::reached(number, &report);
                }
                None
            }
            Mode::Intervention(_) => state.reach(place, &report),
            Mode::Server(plan) => {
                let intervention = server::serve(plan);
                state.carry_out(intervention);
                state.reach(place, &report)
            }
        }
    }
}

/// A branch, a switch, or a value that is passed, returned or used as an index.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_intervene_value(place: *mut u8, value: u64) -> u64 {
    match reach(place, Report::Value(value)) {
        Some(Action::Set(other)) => other,
        Some(Action::Add(more)) => value.wrapping_add(more),
        Some(Action::Flip) => value ^ 1,
        _ => value,
    }
}

/// A value that is assigned.
///
/// # Safety
/// So many bytes can be read at the address.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_intervene_store(
    place: *mut u8,
    value: u64,
    address: *const u8,
    bytes: u32,
) -> u64 {
    match reach(place, Report::Value(value)) {
        Some(Action::Set(other)) => other,
        Some(Action::Add(more)) => value.wrapping_add(more),
        Some(Action::Flip) => value ^ 1,
        // Whoever assigns what is there already has done nothing.
        Some(Action::Skip) => {
            let mut there = [0; 8];
            let bytes = (bytes as usize).min(there.len());
            // SAFETY: the program is about to write there.
            unsafe { core::ptr::copy_nonoverlapping(address, there.as_mut_ptr(), bytes) };
            u64::from_le_bytes(there)
        }
        _ => value,
    }
}

/// The result of an operator.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_intervene_operator(
    place: *mut u8,
    value: u64,
    left: u64,
    right: u64,
) -> u64 {
    match reach(place, Report::Operands(left, right)) {
        Some(Action::Operator(other)) => other.result(left, right).unwrap_or(value),
        Some(Action::FlipWhere(wanted)) if left == wanted => value ^ 1,
        _ => value,
    }
}

/// What a call calls.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_intervene_call(place: *mut u8, function: *const u8) -> *const u8 {
    match reach(place, Report::Value(1)) {
        Some(Action::Skip) => nothing as *const u8,
        _ => function,
    }
}

/// What is between two statements, with the addresses of structures that are in reach there.
///
/// # Safety
/// As safe as an assignment to a structure at that address, or a call that gets it, which may be anything in a program that goes wrong.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub unsafe extern "C" fn __yester_intervene_gap(
    place: *mut u8,
    first: u64,
    second: u64,
    third: u64,
    fourth: u64,
    fifth: u64,
    sixth: u64,
) {
    let structures: [u64; MOST_STRUCTURES] = [first, second, third, fourth, fifth, sixth];
    // SAFETY: see above.
    unsafe {
        match reach(place, Report::Nothing) {
            Some(Action::Assign(assignment)) => assign(&assignment, &structures),
            Some(Action::Call(call)) => make(&call, &structures),
            _ => {}
        }
    }
}

unsafe fn assign(assignment: &Assignment, structures: &[u64]) {
    let structure = structures.get(assignment.structure as usize);
    let Some(structure) = structure.filter(|structure| **structure != 0) else {
        return;
    };
    let address = structure.wrapping_add(assignment.offset) as *mut u8;
    let mut value = [0; 8];
    // SAFETY: as the caller promises.
    unsafe {
        if assignment.is_added {
            core::ptr::copy_nonoverlapping(address, value.as_mut_ptr(), assignment.bytes);
        }
        let value = u64::from_le_bytes(value).wrapping_add(assignment.value);
        core::ptr::copy_nonoverlapping(value.to_le_bytes().as_ptr(), address, assignment.bytes);
    }
}

unsafe fn make(call: &Call, structures: &[u64]) {
    type Function = extern "C" fn(u64, u64, u64, u64, u64, u64);
    // SAFETY: only the intervention's own thread of constructors has written it.
    let callee = unsafe { (*STATE.get()).callee };
    if callee.is_null() {
        return;
    }
    let [first, second, third, fourth, fifth, sixth] =
        call.arguments.map(|argument| match argument {
            CallArgument::Variable(number) => structures.get(number as usize).copied().unwrap_or(0),
            CallArgument::Number(value) => value,
        });
    // SAFETY: it is a function of the module, and takes words. Those that it does not take are in registers that it may overwrite.
    let function: Function = unsafe { core::mem::transmute(callee) };
    function(first, second, third, fourth, fifth, sixth);
}

/// Where to go between two statements: 0 is on.
#[cfg_attr(yester_runtime, unsafe(no_mangle))]
pub extern "C" fn __yester_intervene_exit(place: *mut u8) -> u64 {
    match reach(place, Report::Nothing) {
        Some(Action::Exit(word)) => word.0,
        _ => 0,
    }
}

/// Stands for a call that is skipped. Whatever it is given, callers clean up after themselves.
extern "C" fn nothing() {}
