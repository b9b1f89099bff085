//! Character classes: the functions, and the glibc tables that its macros use.

use super::super::engine::Engine;
use super::start;
use crate::format::Operation;
use core::ffi::{c_int, c_ushort};
use core::sync::atomic::{AtomicBool, AtomicI32, Ordering};

unsafe extern "C" {
    fn __ctype_b_loc() -> *const *const c_ushort;
    fn __ctype_tolower_loc() -> *const *const c_int;
    fn __ctype_toupper_loc() -> *const *const c_int;
    fn tolower(character: c_int) -> c_int;
    fn toupper(character: c_int) -> c_int;
}

/// The tables go from here on, up to 255.
const FIRST: i64 = -128;
const ENTRIES: u64 = 384;

impl Engine {
    /// Registers a table as an object, so that a lookup with a symbolic character becomes a choice.
    fn know_table(&mut self, middle: u64, entry: u64) {
        let start = middle.wrapping_add((FIRST * entry as i64) as u64);
        if self.objects.find(middle).is_none() {
            self.objects.add(start, ENTRIES * entry);
        }
    }

    /// The node of a table lookup; 0 if the character does not depend on the input.
    fn looked_up(&mut self, middle: u64, entry: u64, character: u32, value: c_int) -> u32 {
        if character == 0 {
            return 0;
        }
        let address = middle.wrapping_add((i64::from(value) * entry as i64) as u64);
        let base = self.graph.constant(64, middle);
        let scale = self.graph.constant(64, entry);
        let wide = self.graph.extend(Operation::SignExtend, character, 64);
        let offset = self.graph.binary(Operation::Multiply, wide, scale);
        let pointer = self.graph.binary(Operation::Add, base, offset);
        let concrete = super::super::memory::value(address, entry as usize);
        if pointer == 0 || self.graph.is_constant(pointer) {
            return 0;
        }
        self.load_at(address, entry, concrete, pointer, None)
    }
}

static KNOWN: AtomicBool = AtomicBool::new(false);

fn know_tables(engine: &mut Engine) {
    if !KNOWN.swap(true, Ordering::Relaxed) {
        // SAFETY: glibc's functions have no conditions.
        unsafe {
            engine.know_table(*__ctype_b_loc() as u64, 2);
            engine.know_table(*__ctype_tolower_loc() as u64, 4);
            engine.know_table(*__ctype_toupper_loc() as u64, 4);
        }
    }
}

models! {
    /// The table of kinds.
    fn __yester_model___ctype_b_loc() -> *const *const c_ushort {
        if super::super::is_active()
            && !KNOWN.load(Ordering::Relaxed)
            && let Some(mut engine) = super::super::enter()
        {
            know_tables(&mut engine);
        }
        __ctype_b_loc()
    }

    /// The table of lower case.
    fn __yester_model___ctype_tolower_loc() -> *const *const c_int {
        __yester_model___ctype_b_loc();
        __ctype_tolower_loc()
    }

    /// The table of upper case.
    fn __yester_model___ctype_toupper_loc() -> *const *const c_int {
        __yester_model___ctype_b_loc();
        __ctype_toupper_loc()
    }
}

macro_rules! kind {
    ($name:ident, $real:ident, $documentation:literal, $mask:literal) => {
        unsafe extern "C" {
            fn $real(character: c_int) -> c_int;
        }
        models! {
            #[doc = $documentation]
            fn $name(character: c_int) -> c_int {
                let callee = $name as *const () as usize;
                let result = $real(character);
                let values = [(u64::from(character as u32), 32)];
                if let Some((mut engine, [node])) = start(callee, values)
                    && node != 0
                {
                    know_tables(&mut engine);
                    let kinds = engine.looked_up(*__ctype_b_loc() as u64, 2, node, character);
                    // The function need not give the bit of the table: glibc's `isdigit` gives 1.
                    static MEMBER: AtomicI32 = AtomicI32::new(0);
                    let mut member = MEMBER.load(Ordering::Relaxed);
                    if member == 0 {
                        member = (0..128).map(|one| $real(one)).find(|&one| one != 0).unwrap_or(0);
                        MEMBER.store(member, Ordering::Relaxed);
                    }
                    if kinds != 0 {
                        let graph = &mut engine.graph;
                        let mask = graph.constant(16, $mask);
                        let masked = graph.binary(Operation::And, kinds, mask);
                        let is_none = graph.is(masked, 0);
                        let none = graph.constant(32, 0);
                        let member = graph.constant(32, u64::from(member as u32));
                        let given = graph.choose(is_none, none, member);
                        engine.give(callee as u64, given, u64::from(result as u32));
                    }
                }
                result
            }
        }
    };
}

// The bits of glibc's table: the first eight in the high byte.
kind!(__yester_model_isupper, isupper, "`isupper`.", 0x0100);
kind!(__yester_model_islower, islower, "`islower`.", 0x0200);
kind!(__yester_model_isalpha, isalpha, "`isalpha`.", 0x0400);
kind!(__yester_model_isdigit, isdigit, "`isdigit`.", 0x0800);
kind!(__yester_model_isxdigit, isxdigit, "`isxdigit`.", 0x1000);
kind!(__yester_model_isspace, isspace, "`isspace`.", 0x2000);
kind!(__yester_model_isprint, isprint, "`isprint`.", 0x4000);
kind!(__yester_model_isgraph, isgraph, "`isgraph`.", 0x8000);
kind!(__yester_model_isblank, isblank, "`isblank`.", 0x0001);
kind!(__yester_model_iscntrl, iscntrl, "`iscntrl`.", 0x0002);
kind!(__yester_model_ispunct, ispunct, "`ispunct`.", 0x0004);
kind!(__yester_model_isalnum, isalnum, "`isalnum`.", 0x0008);

models! {
    /// `isascii`.
    fn __yester_model_isascii(character: c_int) -> c_int {
        let callee = __yester_model_isascii as *const () as usize;
        let result = c_int::from(character & !0x7F == 0);
        if let Some((mut engine, [node])) = start(callee, [(u64::from(character as u32), 32)])
            && node != 0
        {
            let graph = &mut engine.graph;
            let limit = graph.constant(32, 0x80);
            let is_small = graph.binary(Operation::LessUnsigned, node, limit);
            let given = graph.extend(Operation::ZeroExtend, is_small, 32);
            engine.give(callee as u64, given, u64::from(result as u32));
        }
        result
    }

    /// `toascii`.
    fn __yester_model_toascii(character: c_int) -> c_int {
        let callee = __yester_model_toascii as *const () as usize;
        let result = character & 0x7F;
        if let Some((mut engine, [node])) = start(callee, [(u64::from(character as u32), 32)])
            && node != 0
        {
            let mask = engine.graph.constant(32, 0x7F);
            let given = engine.graph.binary(Operation::And, node, mask);
            engine.give(callee as u64, given, u64::from(result as u32));
        }
        result
    }

    /// `tolower`.
    fn __yester_model_tolower(character: c_int) -> c_int {
        let callee = __yester_model_tolower as *const () as usize;
        let result = tolower(character);
        if let Some((mut engine, [node])) = start(callee, [(u64::from(character as u32), 32)])
            && node != 0
        {
            let moved = engine.shifted_letter(node, b'A', b'Z', 32);
            engine.give(callee as u64, moved, u64::from(result as u32));
        }
        result
    }

    /// `toupper`.
    fn __yester_model_toupper(character: c_int) -> c_int {
        let callee = __yester_model_toupper as *const () as usize;
        let result = toupper(character);
        if let Some((mut engine, [node])) = start(callee, [(u64::from(character as u32), 32)])
            && node != 0
        {
            let moved = engine.shifted_letter(node, b'a', b'z', 0_u64.wrapping_sub(32));
            engine.give(callee as u64, moved, u64::from(result as u32));
        }
        result
    }
}

macro_rules! magnitude {
    ($name:ident, $kind:ty, $width:literal, $documentation:literal) => {
        models! {
            #[doc = $documentation]
            fn $name(number: $kind) -> $kind {
                let callee = $name as *const () as usize;
                let result = number.wrapping_abs();
                if let Some((mut engine, [node])) = start(callee, [(number as u64, $width)])
                    && node != 0
                {
                    let absolute = super::super::intrinsic::absolute(&mut engine.graph, node);
                    engine.give(callee as u64, absolute, result as u64);
                }
                result
            }
        }
    };
}

magnitude!(__yester_model_abs, c_int, 32, "`abs`.");
magnitude!(__yester_model_labs, i64, 64, "`labs`.");
magnitude!(__yester_model_llabs, i64, 64, "`llabs`.");
