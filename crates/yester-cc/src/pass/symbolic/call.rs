//! Calls: passes the shadows of arguments, takes those of results, and handles callees that are not instrumented.

use super::MOST_PARAMETERS;
use super::function::{Arrival, FunctionInstrumenter, MOST_RESULTS, call_block};
use super::library;
use super::output::print_target;
use super::printer::{PRINTERS, PrintFunction};
use crate::ir::{Opcode, TypeKind, Value};

/// What is known about a callee.
enum Callee {
    /// It is instrumented in this module, or a model: it takes shadows.
    Own,
    /// It may be instrumented or not.
    Unknown,
    /// A library function that writes only through these arguments.
    Writer(&'static [usize]),
    /// A library function that writes nothing that matters.
    Harmless,
    /// Inline assembler.
    Assembler,
}

impl FunctionInstrumenter<'_> {
    fn callee(&self, call: Value) -> (Callee, String) {
        let callee = call.callee();
        if callee.is_assembler() {
            return (Callee::Assembler, "inline assembler".to_owned());
        }
        if !callee.is_function() {
            return (Callee::Unknown, "a function by its address".to_owned());
        }
        let name = callee.name();
        if self.symbolic.own.contains(&callee) || name.starts_with("__yester_model_") {
            return (Callee::Own, name);
        }
        if name.starts_with("__yester_") || name.starts_with("yester.") {
            return (Callee::Harmless, name);
        }
        if callee.is_declaration() {
            if library::HARMLESS.contains(&name.as_str()) {
                return (Callee::Harmless, name);
            }
            if let Some((_, written)) = library::WRITERS.iter().find(|(writer, _)| *writer == name)
            {
                return (Callee::Writer(written), name);
            }
        }
        (Callee::Unknown, name)
    }

    /// Instruments a call or invoke.
    pub fn call(&mut self, call: Value) {
        let function = call.callee();
        if function.is_function() && function.is_intrinsic() {
            return self.intrinsic(call, &function.name());
        }
        let (callee, name) = self.callee(call);
        if name == "yester.value" {
            return self.value(call);
        }
        if self.float_call(call, &name) {
            return;
        }
        if let Some((_, kind)) = library::SCANNERS
            .iter()
            .find(|(scanner, _)| *scanner == name && function.is_declaration())
        {
            return self.scanner(call, *kind);
        }
        if let Some(printer) = PRINTERS
            .iter()
            .find(|printer| printer.name == name && function.is_declaration())
        {
            return self.printer(call, *printer);
        }
        if matches!(callee, Callee::Harmless) {
            self.observed(call, &name);
            self.flush(call);
            if let Some((_, size)) = library::BUILDERS.iter().find(|(built, _)| *built == name) {
                self.emitter.before(call);
                let (place, none) = (self.emitter.word(call.arguments()[0]), self.zero());
                let size = self.emitter.number(*size);
                self.emitter.call("__yester_fill", &[place, none, size]);
            }
            return self.written(call, &name);
        }
        self.concretise(function, "the address of a function that is called");
        let target = self.target(&callee, function);
        let passed = self.pass(call, &callee, target);
        self.flush(call);
        self.unread(call, &name);
        if matches!(
            name.as_str(),
            "__yester_model_write" | "__yester_model_writev"
        ) {
            self.leave_output_place(call);
        } else if name.starts_with("__yester_model_") {
            self.leave_place(call);
        }
        self.leave_outer_place(call);
        let own = function.is_function() && self.symbolic.own.contains(&function);
        if !own && !matches!(callee, Callee::Assembler) {
            let call_block = self.call_block();
            self.emitter.before(call);
            let none = self.zero();
            self.emitter.leave(call_block, call_block::RESULTS, none);
        }
        if call.is_must_tail() {
            return;
        }
        if call.opcode() == Opcode::LLVMInvoke {
            let destination = call.normal_destination();
            if destination.is_entered_once() {
                self.arriving.insert(destination, Arrival { call, passed });
            }
            return;
        }
        if let Some(next) = call.next() {
            self.take_result(call, passed, next);
        }
    }

    /// Adds the expression of a marked value to its record, which is written before.
    fn value(&mut self, mark: Value) {
        let value = mark.operand(0);
        if let Some(&(function, site)) = self.symbolic.values.get(&mark)
            && self.may_be_symbolic(value)
        {
            let node = self.single(value);
            let node = self.node(node);
            let function = self.in_slow(|emitter| emitter.number_of_function(function));
            let site = self.emitter.small(site);
            self.hook("__yester_value_node", &[function, site, node]);
        }
    }

    /// The address by which caller and callee agree for whom nodes are.
    fn target(&self, callee: &Callee, function: Value) -> Value {
        match callee {
            Callee::Assembler => self.emitter.module.null(),
            _ => self.symbolic.identity(function),
        }
    }

    /// Passes nodes to a callee. The shadow that this returns says whether it did, and whether any is not 0.
    fn pass(&mut self, call: Value, callee: &Callee, target: Value) -> Value {
        let arguments: Vec<Value> = call.arguments().into_iter().take(MOST_PARAMETERS).collect();
        let asks = !matches!(callee, Callee::Own);
        let mut force = false;
        for (index, &argument) in arguments.iter().enumerate() {
            if argument.type_of().kind() != TypeKind::LLVMPointerTypeKind || argument.is_function()
            {
                continue;
            }
            match call.copied(index as u32) {
                Some(kind) => {
                    let size = self.emitter.stride(kind).max(1);
                    self.watch(argument, 0, 1);
                    self.watch(argument, size - 1, 1);
                    force = true;
                }
                None if asks && !is_null(argument) => {
                    self.watch(argument, 0, 1);
                    force = true;
                }
                None => {}
            }
        }
        let mut nodes = Vec::with_capacity(arguments.len());
        for &argument in &arguments {
            let shadow = self.shadow(argument);
            let node = if shadow.len() == 1 {
                shadow[0]
            } else {
                self.concretise(argument, "an argument with many parts");
                self.zero()
            };
            nodes.push(self.node(node));
        }
        if !force && nodes.iter().all(|&node| node == self.zero()) {
            return self.zero();
        }
        let call_block = self.call_block();
        let fixed = call.callee_type().parameters().len();
        let is_variadic =
            call.callee_type().is_variadic() && matches!(callee, Callee::Own | Callee::Unknown);
        let zero = self.zero();
        let own = self.in_slow(|emitter| emitter.word(target));
        let any = self.in_slow(|emitter| {
            let mut any = zero;
            for (index, &node) in nodes.iter().enumerate() {
                if node != zero {
                    let place = call_block::PARAMETERS + 4 * index as u64;
                    emitter.leave(call_block, place, node);
                    any = emitter.or(any, node);
                }
            }
            any
        });
        let left = nodes.iter().enumerate();
        let left = left.filter(|(_, node)| **node != zero);
        let left = left.fold(0, |left, (index, _)| left | 1_u64 << index);
        for (index, &argument) in arguments.iter().enumerate() {
            let original = match call.copied(index as u32) {
                Some(_) => self.word(argument),
                None if is_variadic && index >= fixed => self.emitter.number(self.kind(argument)),
                None => continue,
            };
            self.leave_original(call_block, index, original);
        }
        if is_variadic && arguments.len() < MOST_PARAMETERS {
            let end = self.emitter.number(0);
            self.leave_original(call_block, arguments.len(), end);
        }
        let force = self.emitter.small(u32::from(force));
        let (count, left) = (
            self.emitter.small(nodes.len() as u32),
            self.emitter.number(left),
        );
        self.hook("__yester_pass", &[own, any, force, count, left])
    }

    fn leave_original(&mut self, call_block: Value, index: usize, original: Value) {
        let place = call_block::ORIGINALS + 8 * index as u64;
        self.in_slow(|emitter| emitter.leave(call_block, place, original));
    }

    /// The kind of an unnamed argument: 1 for integers and pointers, 2 for floating point in a register, and 16 plus the size
    /// for those in memory.
    fn kind(&self, argument: Value) -> u64 {
        match argument.type_of().kind() {
            TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMPointerTypeKind => 1,
            TypeKind::LLVMDoubleTypeKind | TypeKind::LLVMFloatTypeKind => 2,
            _ => 16 + self.emitter.stride(argument.type_of()),
        }
    }

    /// After a call: `next` is the instruction that follows it.
    pub fn take_result(&mut self, call: Value, passed: Value, next: Value) {
        let function = call.callee();
        let (callee, name) = self.callee(call);
        let target = self.target(&callee, function);
        if passed != self.zero() && !matches!(callee, Callee::Own) {
            self.after(call, passed, target, &callee, &name);
        }
        if !matches!(callee, Callee::Assembler | Callee::Writer(_)) {
            self.result(call, target, next);
        }
        self.library_objects(call, &name, next);
    }

    fn after(&mut self, call: Value, passed: Value, target: Value, callee: &Callee, name: &str) {
        self.reads_memory();
        let own = self.in_slow(|emitter| emitter.word(target));
        let passed = self.node(passed);
        let mut unknown = self.hook("__yester_unknown", &[own, passed]);
        for &argument in call.arguments().iter().take(MOST_PARAMETERS) {
            let node = self.single(argument);
            if node != self.zero() {
                let node = self.node(node);
                self.hook("__yester_given", &[unknown, node]);
            }
        }
        for (index, &argument) in call.arguments().iter().take(MOST_PARAMETERS).enumerate() {
            if argument.type_of().kind() != TypeKind::LLVMPointerTypeKind
                || argument.is_function()
                || is_null(argument)
                || call.copied(index as u32).is_some()
            {
                continue;
            }
            // 0: a string that is read, 1: written, 2: read and written.
            let written = match callee {
                Callee::Writer(written) => u32::from(written.contains(&index)),
                _ => 2,
            };
            let (object, size) = match self.object(argument) {
                Some((object, size)) => (self.word(object), size),
                None => (self.emitter.number(0), 0),
            };
            let passed = [
                unknown,
                self.word(argument),
                object,
                self.emitter.number(size),
                self.emitter.small(written),
            ];
            unknown = self.hook("__yester_argument", &passed);
        }
        let name = self.symbolic.text(name);
        self.hook("__yester_after_call", &[unknown, name]);
    }

    fn result(&mut self, call: Value, target: Value, next: Value) {
        let leaves = self.leaves(call.type_of());
        if !call.is_used()
            || leaves.len() > MOST_RESULTS
            || leaves.iter().all(|leaf| leaf.width == 0)
        {
            return;
        }
        let call_block = self.call_block();
        let mut shadow = Vec::with_capacity(leaves.len());
        for (index, leaf) in leaves.iter().enumerate() {
            if leaf.width == 0 {
                shadow.push(self.zero());
                continue;
            }
            self.emitter.before(next);
            let place = call_block::RESULTS + 4 * index as u64;
            let given = self.emitter.fetch(call_block, place, 32);
            self.guard(given);
            let arguments = [
                self.emitter.small(index as u32),
                self.in_slow(|emitter| emitter.word(target)),
                self.part(call, leaf),
                self.emitter.small(leaf.width),
            ];
            shadow.push(self.hook("__yester_result", &arguments));
        }
        self.set(call, shadow);
    }

    /// Reports a loss if the result of a harmless function is used and may depend on symbolic arguments.
    fn observed(&mut self, call: Value, name: &str) {
        let keeps = library::KEEPERS.contains(&name);
        if !library::HARMLESS.contains(&name) || !(keeps || call.is_used()) {
            return;
        }
        let texts = library::STRINGS
            .iter()
            .find(|(function, _)| *function == name)
            .map_or(&[][..], |(_, texts)| texts);
        let mut nodes = vec![];
        let mut passed = vec![];
        for (index, &argument) in call.arguments().iter().enumerate() {
            let is_text = texts.contains(&index);
            let sort = argument.type_of().kind();
            if is_text && sort == TypeKind::LLVMPointerTypeKind {
                self.watch(argument, 0, 1);
                passed.push(argument);
            }
            let is_number = matches!(
                sort,
                TypeKind::LLVMIntegerTypeKind
                    | TypeKind::LLVMFloatTypeKind
                    | TypeKind::LLVMDoubleTypeKind
            );
            if is_text || is_number {
                for node in self.shadow(argument) {
                    nodes.push(self.node(node));
                }
            }
        }
        if nodes.iter().all(|&node| node == self.zero()) && passed.is_empty() {
            return;
        }
        let zero = self.zero();
        // What is written out decides nothing but whether that worked.
        let assumes = !library::OUTPUTS.contains(&name);
        let always = self.emitter.small(1);
        for &node in &nodes {
            if node != zero && assumes {
                self.hook("__yester_given", &[always, node]);
            }
        }
        let any = self.in_slow(|emitter| {
            let nodes = nodes.iter();
            nodes.fold(zero, |any, &node| emitter.or(any, node))
        });
        passed.resize(2, self.emitter.module.null());
        passed.insert(0, any);
        passed.push(self.symbolic.text(name));
        self.hook("__yester_observed", &passed);
    }

    /// Reports input that a function without a model is about to read.
    fn unread(&self, call: Value, name: &str) {
        let Some((_, origin)) = library::READERS
            .iter()
            .find(|(reader, _)| *reader == name)
            .filter(|_| call.callee().is_declaration())
        else {
            return;
        };
        let (kind, index) = match *origin {
            library::InputOrigin::Descriptor(index) => (0, Some(index)),
            library::InputOrigin::Stream(index) => (1, Some(index)),
            library::InputOrigin::Input => (2, None),
            library::InputOrigin::Anywhere => (3, None),
        };
        self.emitter.before(call);
        let arguments = call.arguments();
        let from = match index.map(|index| arguments.get(index)) {
            Some(Some(&argument)) => self.emitter.word(argument),
            Some(None) => return,
            None => self.emitter.number(0),
        };
        let passed = [self.emitter.small(kind), from, self.symbolic.text(name)];
        self.emitter.call("__yester_unread", &passed);
    }

    /// A call of the printf family. The runtime is called before those that print to a stream, and after the others.
    fn printer(&mut self, call: Value, printer: PrintFunction) {
        let arguments = call.arguments();
        let first = printer.format + 1;
        let is_foreign = arguments.len() < first
            || arguments[printer.format].type_of().kind() != TypeKind::LLVMPointerTypeKind
            || call.is_must_tail()
            || (printer.is_listed && arguments.len() != first + 1);
        let destination = (call.opcode() == Opcode::LLVMInvoke).then(|| call.normal_destination());
        let is_shared = destination.is_some_and(|destination| {
            destination.first_place().is_none() || !destination.is_entered_once()
        });
        if is_foreign || (printer.kind != 0 && is_shared) {
            self.lost_operands(call, "a call of printf that is not modelled");
            return self.flush(call);
        }
        for &argument in &arguments[..first] {
            self.concretise(argument, "what printf is told about where to print");
        }
        self.flush(call);
        match printer.kind {
            0 => self.leave_output_place(call),
            _ => self.leave_place(call),
        }
        let room = self.printed_room(2 * (arguments.len() - first));
        for (index, &argument) in arguments[first..].iter().enumerate() {
            let nodes = self.shadow(argument);
            let node = if nodes.len() == 1 {
                self.outside(nodes[0])
            } else {
                self.zero()
            };
            self.emitter.before(call);
            let word = self.emitter.word(argument);
            let node = self.emitter.word(node);
            self.emitter.put(room, 2 * index as u64, word);
            self.emitter.put(room, 2 * index as u64 + 1, node);
        }
        self.emitter.before(call);
        let format = arguments[printer.format];
        let count = self.emitter.number((arguments.len() - first) as u64);
        if printer.kind == 0 {
            let list = if printer.is_listed {
                arguments[first]
            } else {
                self.emitter.module.null()
            };
            let used = self.emitter.small(u32::from(call.is_used()));
            let name = self.symbolic.text(printer.name);
            let kind = print_target(printer.name);
            let to = match kind {
                0 => self.emitter.number(0),
                _ => self.emitter.word(arguments[0]),
            };
            let kind = self.emitter.small(kind);
            let passed = [used, format, room, count, list, name, kind, to];
            self.emitter.call("__yester_prints", &passed);
            return;
        }
        match destination.and_then(crate::ir::BlockRef::first_place) {
            Some(place) => self.emitter.before(place),
            None => self.behind(call),
        }
        let size = if printer.kind == 2 {
            self.emitter.word(arguments[1])
        } else {
            self.emitter.number(0)
        };
        let kind = self.emitter.small(printer.kind);
        let passed = [kind, arguments[0], size, format, room, count, call];
        self.emitter.call("__yester_printed", &passed);
    }

    /// The array for the arguments of printf, replaced by a bigger one if a call needs it.
    fn printed_room(&mut self, words: usize) -> Value {
        if let Some((room, size)) = self.printed
            && words <= size
        {
            return room;
        }
        self.emitter.at_start(self.function.entry());
        let size = words.next_power_of_two().max(8);
        let room = self.emitter.room(size as u32);
        self.printed = Some((room, size));
        room
    }

    /// Replaces a call of the scanf family by one that takes its pointers in an array.
    fn scanner(&mut self, call: Value, kind: u32) {
        let arguments = call.arguments();
        let first = if kind == 2 { 1 } else { 2 };
        if call.opcode() != Opcode::LLVMCall
            || arguments.len() < first
            || arguments.len() > first + library::MOST_SCANNED
            || arguments[first..]
                .iter()
                .any(|argument| argument.type_of().kind() != TypeKind::LLVMPointerTypeKind)
        {
            self.lost_operands(call, "a call of scanf that is not modelled");
            return self.flush(call);
        }
        for &argument in &arguments {
            self.concretise(argument, "a pointer that scanf is given");
        }
        self.flush(call);
        let room = self.scanned_room();
        let call_block = self.call_block();
        self.emitter.before(call);
        for (index, &argument) in arguments[first..].iter().enumerate() {
            self.emitter.put(room, index as u64, argument);
        }
        let source = if kind == 2 {
            self.emitter.module.null()
        } else {
            arguments[0]
        };
        let none = self.zero();
        self.emitter.leave(call_block, call_block::RESULTS, none);
        let place = self.emitter.number(self.place);
        self.emitter.leave(call_block, call_block::PLACE, place);
        let passed = [
            self.emitter.small(kind),
            source,
            arguments[first - 1],
            room,
            self.emitter.number((arguments.len() - first) as u64),
        ];
        let scanned = self.emitter.call("__yester_scan", &passed);
        let given = self.emitter.fetch(call_block, call_block::RESULTS, 32);
        call.replace_with(scanned);
        call.erase();
        self.guard(given);
        let function = self
            .emitter
            .module
            .function("__yester_scan")
            .expect("runtime.ll declares it");
        let arguments = [
            self.emitter.small(0),
            self.in_slow(|emitter| emitter.word(function)),
            self.word(scanned),
            self.emitter.small(32),
        ];
        let node = self.hook("__yester_result", &arguments);
        self.set(scanned, vec![node]);
    }

    /// The array for the pointers of scanf, one for each function.
    fn scanned_room(&mut self) -> Value {
        if let Some(room) = self.scanned {
            return room;
        }
        self.emitter.at_start(self.function.entry());
        let room = self.emitter.room(library::MOST_SCANNED as u32);
        self.scanned = Some(room);
        room
    }

    /// Tells the runtime about objects that `new` allocated. It has no model, since programs replace it themselves.
    fn library_objects(&mut self, call: Value, name: &str, next: Value) {
        let arguments = call.arguments();
        if matches!(name, "_Znwm" | "_Znam") && arguments.len() == 1 {
            self.emitter.before(next);
            let (chunk, size) = (self.emitter.word(call), self.emitter.word(arguments[0]));
            self.emitter.call("__yester_allocated", &[chunk, size]);
        }
    }
}

fn is_null(value: Value) -> bool {
    value.is_constant() && !value.is_global() && !value.is_function() && value.operands().is_empty()
}
