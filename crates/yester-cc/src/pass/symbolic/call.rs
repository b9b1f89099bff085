//! Calls: passes the shadows of arguments, takes those of results, and handles callees that are not instrumented.

use super::MOST_PARAMETERS;
use super::function::{FunctionInstrumenter, MOST_RESULTS};
use super::library;
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
        if let Some((_, kind)) = library::SCANNERS
            .iter()
            .find(|(scanner, _)| *scanner == name && function.is_declaration())
        {
            return self.scanner(call, *kind);
        }
        if let Some(printer) = library::PRINTERS
            .iter()
            .find(|printer| printer.name == name && function.is_declaration())
        {
            return self.printer(call, *printer);
        }
        if matches!(callee, Callee::Harmless) {
            return self.observed(call, &name);
        }
        self.unread(call, &name);
        self.emitter.before(call);
        self.concretise(function, "the address of a function that is called");
        let arguments: Vec<Value> = call.arguments().into_iter().take(MOST_PARAMETERS).collect();
        let fixed = call.callee_type().parameters().len();
        let asks = !matches!(callee, Callee::Own);
        let target = match callee {
            Callee::Assembler => self.emitter.null(),
            _ => self.symbolic.identity(function),
        };
        let force = self.force(call, &arguments, asks);
        let nodes: Vec<Value> = arguments
            .iter()
            .map(|&argument| {
                let nodes = self.shadow(argument);
                if nodes.len() == 1 {
                    return nodes[0];
                }
                self.concretise(argument, "an argument with many parts");
                self.zero()
            })
            .collect();
        if call.callee_type().is_variadic() && matches!(callee, Callee::Own | Callee::Unknown) {
            self.variadic_arguments(&arguments, fixed);
        }
        let needed = force != self.zero() || nodes.iter().any(|&node| node != self.zero());
        let any = needed.then(|| {
            let mut passed = vec![target, force];
            passed.extend(&nodes);
            self.emitter
                .call(&format!("yester.pass.{}", nodes.len()), &passed)
        });
        let own = function.is_function() && self.symbolic.own.contains(&function);
        if !own && !matches!(callee, Callee::Assembler) {
            self.emitter.call("yester.no.result", &[]);
        }
        if call.is_must_tail() {
            return;
        }
        if call.opcode() == Opcode::LLVMInvoke {
            let destination = call.normal_destination();
            let Some(place) = destination.first_place() else {
                return;
            };
            if !destination.is_entered_once() {
                return;
            }
            self.emitter.before(place);
        } else {
            self.behind(call);
        }
        if let (Some(any), true) = (any, asks) {
            self.after(call, &arguments, any, target, &callee, &name);
        }
        if !matches!(callee, Callee::Assembler | Callee::Writer(_)) {
            self.result(call, target);
        }
        self.library_objects(call, &name, &arguments);
    }

    /// A number that is not 0 if memory that the arguments point to may be symbolic.
    fn force(&self, call: Value, arguments: &[Value], asks: bool) -> Value {
        let mut force = self.zero();
        for (index, &argument) in arguments.iter().enumerate() {
            if argument.type_of().kind() != TypeKind::LLVMPointerTypeKind || argument.is_function()
            {
                continue;
            }
            let copied = call.copied(index as u32);
            if copied.is_none() && (!asks || is_null(argument)) {
                continue;
            }
            let address = self.emitter.word(argument);
            let found = self.emitter.call("yester.filter", &[address]);
            force = self.emitter.or(force, found);
            if let Some(kind) = copied {
                let size = self.emitter.stride(kind);
                let last = self.at(address, size.max(1) - 1);
                let found = self.emitter.call("yester.filter", &[last]);
                force = self.emitter.or(force, found);
                let number = self.emitter.number(index as u64);
                self.emitter.call("yester.original", &[number, address]);
            }
        }
        force
    }

    /// Passes the kinds of unnamed arguments: 1 for integers and pointers, 2 for floating point in a register, and 16 plus the
    /// size for those in memory.
    fn variadic_arguments(&self, arguments: &[Value], fixed: usize) {
        for (index, argument) in arguments.iter().enumerate().skip(fixed) {
            let kind = match argument.type_of().kind() {
                TypeKind::LLVMIntegerTypeKind | TypeKind::LLVMPointerTypeKind => 1,
                TypeKind::LLVMDoubleTypeKind | TypeKind::LLVMFloatTypeKind => 2,
                _ => 16 + self.emitter.stride(argument.type_of()),
            };
            let (index, kind) = (self.emitter.number(index as u64), self.emitter.number(kind));
            self.emitter.call("yester.original", &[index, kind]);
        }
        if arguments.len() < MOST_PARAMETERS {
            let (index, end) = (
                self.emitter.number(arguments.len() as u64),
                self.emitter.number(0),
            );
            self.emitter.call("yester.original", &[index, end]);
        }
    }

    fn after(
        &self,
        call: Value,
        arguments: &[Value],
        any: Value,
        target: Value,
        callee: &Callee,
        name: &str,
    ) {
        let mut passed = vec![any, target, self.symbolic.text(name)];
        for (index, &argument) in arguments.iter().enumerate() {
            let none = self.emitter.number(0);
            if argument.type_of().kind() != TypeKind::LLVMPointerTypeKind
                || argument.is_function()
                || call.copied(index as u32).is_some()
            {
                passed.extend([none; 4]);
                continue;
            }
            let written = match callee {
                Callee::Writer(written) => written.contains(&index),
                _ => true,
            };
            let (object, size) = match self.object(argument) {
                Some((object, size)) => (self.emitter.word(object), size),
                None => (none, 0),
            };
            passed.extend([
                self.emitter.word(argument),
                object,
                self.emitter.number(size),
                self.emitter.number(u64::from(written)),
            ]);
        }
        self.emitter
            .call(&format!("yester.after.{}", arguments.len()), &passed);
    }

    fn result(&mut self, call: Value, function: Value) {
        let leaves = self.leaves(call.type_of());
        if !call.is_used()
            || leaves.len() > MOST_RESULTS
            || leaves.iter().all(|leaf| leaf.width == 0)
        {
            return;
        }
        let shadow = leaves
            .iter()
            .enumerate()
            .map(|(index, leaf)| {
                if leaf.width == 0 {
                    return self.zero();
                }
                let arguments = [
                    self.emitter.small(index as u32),
                    function,
                    self.word(call, leaf),
                    self.emitter.small(leaf.width),
                ];
                self.emitter.call("yester.result", &arguments)
            })
            .collect();
        self.set(call, shadow);
    }

    /// Reports a loss if the result of a harmless function is used and may depend on symbolic arguments.
    fn observed(&self, call: Value, name: &str) {
        let keeps = library::KEEPERS.contains(&name);
        if !library::HARMLESS.contains(&name) || !(keeps || call.is_used()) {
            return;
        }
        let texts = library::STRINGS
            .iter()
            .find(|(function, _)| *function == name)
            .map_or(&[][..], |(_, texts)| texts);
        self.emitter.before(call);
        let mut any = self.zero();
        let mut passed = vec![];
        for (index, &argument) in call.arguments().iter().enumerate() {
            let is_text = texts.contains(&index);
            let sort = argument.type_of().kind();
            if is_text && sort == TypeKind::LLVMPointerTypeKind {
                passed.push(argument);
            }
            if is_text || sort == TypeKind::LLVMIntegerTypeKind {
                for node in self.shadow(argument) {
                    any = self.emitter.or(any, node);
                }
            }
        }
        if any == self.zero() && passed.is_empty() {
            return;
        }
        passed.resize(2, self.emitter.null());
        passed.insert(0, any);
        passed.push(self.symbolic.text(name));
        self.emitter.call("yester.observed", &passed);
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
        };
        self.emitter.before(call);
        let arguments = call.arguments();
        let from = match index.map(|index| arguments.get(index)) {
            Some(Some(&argument)) => self.emitter.word(argument),
            Some(None) => return,
            None => self.emitter.number(0),
        };
        let passed = [self.emitter.small(kind), from, self.symbolic.text(name)];
        self.emitter.call("yester.call.unread", &passed);
    }

    /// A call of the printf family. The runtime is called before those that print to a stream, and after the others.
    fn printer(&mut self, call: Value, printer: library::PrintFunction) {
        let arguments = call.arguments();
        let first = printer.format + 1;
        let is_foreign = arguments.len() < first
            || arguments[printer.format].type_of().kind() != TypeKind::LLVMPointerTypeKind
            || call.is_must_tail()
            || (printer.is_listed && arguments.len() != first + 1);
        if is_foreign {
            return self.lost_operands(call, "a call of printf that is not modelled");
        }
        let room = self.printed_room(2 * (arguments.len() - first));
        self.emitter.before(call);
        for &argument in &arguments[..first] {
            self.concretise(argument, "what printf is told about where to print");
        }
        for (index, &argument) in arguments[first..].iter().enumerate() {
            let nodes = self.shadow(argument);
            let node = if nodes.len() == 1 {
                nodes[0]
            } else {
                self.zero()
            };
            let (word, node) = (self.emitter.word(argument), self.emitter.word(node));
            self.emitter.put(room, 2 * index as u64, word);
            self.emitter.put(room, 2 * index as u64 + 1, node);
        }
        let format = arguments[printer.format];
        let count = self.emitter.number((arguments.len() - first) as u64);
        if printer.kind == 0 {
            let list = if printer.is_listed {
                arguments[first]
            } else {
                self.emitter.null()
            };
            let used = self.emitter.small(u32::from(call.is_used()));
            let name = self.symbolic.text(printer.name);
            let passed = [used, format, room, count, list, name];
            self.emitter.call("yester.call.prints", &passed);
            return;
        }
        if call.opcode() == Opcode::LLVMInvoke {
            let destination = call.normal_destination();
            let place = destination.first_place();
            let Some(place) = place.filter(|_| destination.is_entered_once()) else {
                return self.lost_operands(call, "a call of printf that is not modelled");
            };
            self.emitter.before(place);
        } else {
            self.behind(call);
        }
        let size = if printer.kind == 2 {
            self.emitter.word(arguments[1])
        } else {
            self.emitter.number(0)
        };
        let kind = self.emitter.small(printer.kind);
        let passed = [kind, arguments[0], size, format, room, count, call];
        self.emitter.call("yester.call.printed", &passed);
    }

    /// The array for the arguments of printf, replaced by a bigger one if a call needs it.
    fn printed_room(&mut self, words: usize) -> Value {
        if let Some((room, size)) = self.printed
            && words <= size
        {
            return room;
        }
        let place = self.function.blocks()[0].instructions()[0];
        self.emitter.before(place);
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
            return self.lost_operands(call, "a call of scanf that is not modelled");
        }
        self.emitter.before(call);
        for &argument in &arguments {
            self.concretise(argument, "a pointer that scanf is given");
        }
        let room = self.scanned_room();
        self.emitter.before(call);
        for (index, &argument) in arguments[first..].iter().enumerate() {
            self.emitter.put(room, index as u64, argument);
        }
        let source = if kind == 2 {
            self.emitter.null()
        } else {
            arguments[0]
        };
        self.emitter.call("yester.no.result", &[]);
        let passed = [
            self.emitter.small(kind),
            source,
            arguments[first - 1],
            room,
            self.emitter.number((arguments.len() - first) as u64),
        ];
        let scanned = self.emitter.call("yester.scan", &passed);
        let function = self
            .emitter
            .function("__yester_scan")
            .expect("yester.scan calls it");
        let word = self.emitter.word(scanned);
        let arguments = [
            self.emitter.small(0),
            function,
            word,
            self.emitter.small(32),
        ];
        let node = self.emitter.call("yester.result", &arguments);
        call.replace_with(scanned);
        call.erase();
        self.set(scanned, vec![node]);
    }

    /// The array for the pointers of scanf, one for each function.
    fn scanned_room(&mut self) -> Value {
        if let Some(room) = self.scanned {
            return room;
        }
        let place = self.function.blocks()[0].instructions()[0];
        self.emitter.before(place);
        let room = self.emitter.room(library::MOST_SCANNED as u32);
        self.scanned = Some(room);
        room
    }

    /// Tells the runtime about objects that `new` allocated. It has no model, since programs replace it themselves.
    fn library_objects(&self, call: Value, name: &str, arguments: &[Value]) {
        if matches!(name, "_Znwm" | "_Znam") && arguments.len() == 1 {
            let (chunk, size) = (self.emitter.word(call), self.emitter.word(arguments[0]));
            self.emitter.call("yester.call.allocated", &[chunk, size]);
        }
    }
}

fn is_null(value: Value) -> bool {
    value.is_constant() && !value.is_global() && !value.is_function() && value.operands().is_empty()
}
