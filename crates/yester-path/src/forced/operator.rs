//! Which other operators a place is tried with.

use yester_pathrt::format::force::relation;

use crate::value::ValueForm;

/// The operators that compare, with the relations for which they hold.
const COMPARISONS: [(&str, u8, u64); 6] = [
    ("<", b'<', relation::LESS),
    ("<=", b'l', relation::LESS | relation::EQUAL),
    (">", b'>', relation::GREATER),
    (">=", b'g', relation::GREATER | relation::EQUAL),
    ("==", b'=', relation::EQUAL),
    (
        "!=",
        b'!',
        relation::LESS | relation::GREATER | relation::UNORDERED,
    ),
];

/// For operators that compute, what is written instead by mistake.
const COMPUTATIONS: [(&str, &[(&str, u8)]); 10] = [
    ("+", &[("-", b'-'), ("*", b'*')]),
    ("-", &[("+", b'+'), ("/", b'/')]),
    ("*", &[("/", b'/'), ("+", b'+')]),
    ("/", &[("*", b'*'), ("%", b'%')]),
    ("%", &[("/", b'/'), ("*", b'*')]),
    ("&", &[("|", b'|'), ("^", b'^')]),
    ("|", &[("&", b'&'), ("^", b'^')]),
    ("^", &[("&", b'&'), ("|", b'|')]),
    ("<<", &[(">>", b'R')]),
    (">>", &[("<<", b'L')]),
];

/// The operators that would have given something else in this run, with the numbers that the runtime knows them by. Of those that
/// would have given the same as each other, the first.
pub fn others(sign: &str, form: ValueForm, relations: u64) -> Vec<(&'static str, u64)> {
    let class = match form {
        ValueForm::Integer {
            is_unsigned: false, ..
        } => b'i',
        ValueForm::Integer { .. } | ValueForm::Pointer => b'u',
        ValueForm::Float | ValueForm::Double => b'f',
    };
    let code = |sign: u8| u64::from(sign) | u64::from(class) << 8 | u64::from(bits(form)) << 16;
    if let Some((_, _, holds)) = COMPARISONS.iter().find(|(one, ..)| *one == sign) {
        let seen = relations >> shift(form) & 0xF;
        let mut results = vec![holds & seen];
        let mut found = Vec::new();
        // Of those that would have given the same, the one that looks most like what is written.
        let mut others = COMPARISONS;
        others.sort_by_key(|(other, ..)| other.chars().next() != sign.chars().next());
        for (other, byte, holds) in others {
            if !results.contains(&(holds & seen)) {
                results.push(holds & seen);
                found.push((other, code(byte)));
            }
        }
        return found;
    }
    let computation = COMPUTATIONS.iter().find(|(one, _)| *one == sign);
    let others = computation.map_or(&[][..], |(_, others)| others);
    let is_float = matches!(form, ValueForm::Float | ValueForm::Double);
    let others = others
        .iter()
        .filter(|(other, _)| !is_float || *other != "%");
    others.map(|(other, byte)| (*other, code(*byte))).collect()
}

fn bits(form: ValueForm) -> u32 {
    match form {
        ValueForm::Integer { bits, .. } => bits,
        ValueForm::Float => 32,
        ValueForm::Double | ValueForm::Pointer => 64,
    }
}

/// Where the relations of operands of a form are.
fn shift(form: ValueForm) -> u32 {
    match form {
        ValueForm::Integer {
            is_unsigned: false,
            bits,
        } => match bits {
            8 => relation::SIGNED_8,
            16 => relation::SIGNED_16,
            32 => relation::SIGNED_32,
            _ => relation::SIGNED_64,
        },
        ValueForm::Integer { .. } | ValueForm::Pointer => relation::UNSIGNED,
        ValueForm::Float => relation::FLOAT_32,
        ValueForm::Double => relation::FLOAT_64,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn signs(sign: &str, seen: u64) -> Vec<&'static str> {
        let form = ValueForm::parse("i32").expect("a form");
        let found = others(sign, form, seen << relation::SIGNED_32);
        found.into_iter().map(|(sign, _)| sign).collect()
    }

    #[test]
    fn an_operator_that_would_have_given_the_same_is_not_tried() {
        // Only once less: whatever holds for less is the same, whatever does not is the same too.
        assert_eq!(signs("<", relation::LESS), [">"]);
        assert_eq!(signs(">", relation::LESS), ["<"]);
        // Less and equal: <= and < differ.
        let both = relation::LESS | relation::EQUAL;
        assert_eq!(signs("<", both), ["<=", ">", ">="]);
        assert_eq!(signs(">", both), [">=", "<", "<="]);
        assert_eq!(signs("+", 0), ["-", "*"]);
    }
}
