//! Which other values a place is tried with.

use crate::value::ValueForm;

/// So many values that the place had at other times are tried.
const MOST_OWN: usize = 6;
/// So many values of other places in the function are tried.
const MOST_OTHERS: usize = 8;

/// A number far from all that programs compute with.
pub(super) const FAR: i64 = 1_000_000;

/// Values that are tried everywhere, whatever the place had.
pub fn usual(form: ValueForm) -> Vec<u64> {
    match form {
        ValueForm::Integer { bits: 1, .. } => vec![0, 1],
        ValueForm::Integer { bits, .. } => {
            let mask = u64::MAX >> (64 - bits);
            [0, 1, -1]
                .map(|one: i64| one.cast_unsigned() & mask)
                .to_vec()
        }
        ValueForm::Float => [0.0, 1.0, -1.0]
            .map(|one: f32| u64::from(one.to_bits()))
            .to_vec(),
        ValueForm::Double => [0.0, 1.0, -1.0].map(f64::to_bits).to_vec(),
        ValueForm::Pointer => vec![0],
    }
}

/// The values to try in place of one: usual ones, near ones, far ones, those that the place had at other times, and those of other places of the
/// same form in the function.
pub fn instead(form: ValueForm, value: u64, own: &[u64], others: &[u64]) -> Vec<u64> {
    let mut found = usual(form);
    match form {
        ValueForm::Integer { bits: 1, .. } | ValueForm::Pointer => {}
        ValueForm::Integer { bits, .. } => {
            let mask = u64::MAX >> (64 - bits);
            found.extend([value.wrapping_add(1) & mask, value.wrapping_sub(1) & mask]);
            if bits > 16 {
                found.extend([FAR, -FAR].map(|one| one.cast_unsigned() & mask));
            }
        }
        ValueForm::Float => {
            let value = f32::from_bits(value as u32);
            let other = [value + 1.0, value - 1.0, FAR as f32, -FAR as f32];
            found.extend(other.map(|one| u64::from(one.to_bits())));
        }
        ValueForm::Double => {
            let value = f64::from_bits(value);
            let other = [value + 1.0, value - 1.0, FAR as f64, -FAR as f64];
            found.extend(other.map(f64::to_bits));
        }
    }
    found.extend(own.iter().take(MOST_OWN));
    found.extend(others.iter().take(MOST_OTHERS));
    let mut seen = vec![value];
    found.retain(|one| {
        let is_new = !seen.contains(one);
        seen.push(*one);
        is_new
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_never_tried_with_itself_or_twice() {
        let form = ValueForm::parse("i32").expect("a form");
        let found = instead(form, 1, &[7, 2], &[7, 9]);
        let far = (-FAR).cast_unsigned() & 0xFFFF_FFFF;
        assert_eq!(found, [0, 0xFFFF_FFFF, 2, 1_000_000, far, 7, 9]);
        let form = ValueForm::parse("i1").expect("a form");
        assert_eq!(instead(form, 1, &[], &[]), [0]);
    }
}
