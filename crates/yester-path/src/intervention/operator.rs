//! Which other operators a place is tried with.

use yester_pathrt::format::intervention::relation;
use yester_pathrt::protocol::{OperandClass, Operator, Sign};

use crate::value::ValueForm;

/// The operators that compare, with the relations for which they hold.
const COMPARISONS: [(Sign, u64); 6] = [
    (Sign::Less, relation::LESS),
    (Sign::LessOrEqual, relation::LESS | relation::EQUAL),
    (Sign::Greater, relation::GREATER),
    (Sign::GreaterOrEqual, relation::GREATER | relation::EQUAL),
    (Sign::Equal, relation::EQUAL),
    (
        Sign::NotEqual,
        relation::LESS | relation::GREATER | relation::UNORDERED,
    ),
];

/// For an operator that computes, what is written instead by mistake.
fn mistakes(sign: Sign) -> &'static [Sign] {
    match sign {
        Sign::Add => &[Sign::Subtract, Sign::Multiply],
        Sign::Subtract => &[Sign::Add, Sign::Divide],
        Sign::Multiply => &[Sign::Divide, Sign::Add],
        Sign::Divide => &[Sign::Multiply, Sign::Remainder],
        Sign::Remainder => &[Sign::Divide, Sign::Multiply],
        Sign::And => &[Sign::Or, Sign::Exclusive],
        Sign::Or => &[Sign::And, Sign::Exclusive],
        Sign::Exclusive => &[Sign::And, Sign::Or],
        Sign::ShiftLeft => &[Sign::ShiftRight],
        Sign::ShiftRight => &[Sign::ShiftLeft],
        _ => &[],
    }
}

/// The operators that would have given something else in this run. Of those that would have given the same as each other, the first.
pub fn others(text: &str, form: ValueForm, relations: u64) -> Vec<Operator> {
    let Some(written) = Sign::parse(text) else {
        return Vec::new();
    };
    let class = class(form);
    let operator = |sign| operator(sign, form, 0);
    if let Some((_, holds)) = COMPARISONS.iter().find(|(one, _)| *one == written) {
        let seen = relations >> shift(form) & 0xF;
        let mut results = vec![holds & seen];
        let mut found = Vec::new();
        // Of those that would have given the same, the one that looks most like what is written.
        let mut others = COMPARISONS;
        others.sort_by_key(|(other, _)| other.text()[..1] != text[..1]);
        for (other, holds) in others {
            if !results.contains(&(holds & seen)) {
                results.push(holds & seen);
                found.push(operator(other));
            }
        }
        return found;
    }
    let others = mistakes(written).iter().copied();
    let has_meaning = |sign: &Sign| class != OperandClass::Float || *sign != Sign::Remainder;
    others.filter(has_meaning).map(operator).collect()
}

/// The same operator with a right operand that is one more or one less: another constant, or an index that is off by one. What another operator
/// does too is left to that.
pub fn shifted(text: &str, form: ValueForm) -> Vec<Operator> {
    let Some(written) = Sign::parse(text) else {
        return Vec::new();
    };
    let is_whole = class(form) != OperandClass::Float;
    let more: &[i64] = match written {
        _ if form == ValueForm::Pointer => &[],
        Sign::Less | Sign::GreaterOrEqual if is_whole => &[-1],
        Sign::LessOrEqual | Sign::Greater if is_whole => &[1],
        _ => &[1, -1],
    };
    more.iter()
        .map(|more| operator(written, form, *more))
        .collect()
}

fn operator(sign: Sign, form: ValueForm, more: i64) -> Operator {
    Operator {
        sign,
        class: class(form),
        bits: bits(form),
        more,
    }
}

fn class(form: ValueForm) -> OperandClass {
    match form {
        ValueForm::Integer {
            is_unsigned: false, ..
        } => OperandClass::Signed,
        ValueForm::Integer { .. } | ValueForm::Pointer => OperandClass::Unsigned,
        ValueForm::Float | ValueForm::Double => OperandClass::Float,
    }
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
        found.into_iter().map(|one| one.sign.text()).collect()
    }

    #[test]
    fn a_right_operand_is_shifted_where_no_other_operator_does_the_same() {
        let more = |sign, form| {
            let form = ValueForm::parse(form).expect("a form");
            let found = shifted(sign, form).into_iter();
            found.map(|one| one.more).collect::<Vec<_>>()
        };
        assert_eq!(more("<", "i32"), [-1]);
        assert_eq!(more(">", "i32"), [1]);
        assert_eq!(more("<", "f64"), [1, -1]);
        assert_eq!(more("+", "i32"), [1, -1]);
        assert_eq!(more("==", "p"), []);
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
