//! The values that programs record: how their bits are to be read.

/// How the bits of a value are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ValueForm {
    /// An integer, extended with zeros.
    Integer {
        /// How many bits it has.
        bits: u32,
        /// Whether it is known to have no sign.
        is_unsigned: bool,
    },
    /// A floating point number of 32 bits.
    Float,
    /// One of 64 bits.
    Double,
    /// A pointer: 0 if it is null, 1 if not.
    Pointer,
}

impl ValueForm {
    /// The form that the table of a recording names.
    pub(crate) fn parse(text: &str) -> Option<ValueForm> {
        Some(match text {
            "f32" => ValueForm::Float,
            "f64" => ValueForm::Double,
            "p" => ValueForm::Pointer,
            _ => {
                let is_unsigned = text.starts_with('u');
                let bits = text.strip_prefix(['i', 'u'])?.parse().ok()?;
                (1..=64).contains(&bits).then_some(())?;
                ValueForm::Integer { bits, is_unsigned }
            }
        })
    }

    /// A value as a programmer would write it.
    pub fn text(self, value: u64) -> String {
        match self {
            ValueForm::Integer {
                is_unsigned: true, ..
            }
            | ValueForm::Integer { bits: 1, .. } => value.to_string(),
            ValueForm::Integer { bits, .. } => {
                let unused = 64 - bits;
                (value.cast_signed() << unused >> unused).to_string()
            }
            ValueForm::Float => format!("{:?}", f32::from_bits(value as u32)),
            ValueForm::Double => format!("{:?}", f64::from_bits(value)),
            ValueForm::Pointer if value == 0 => "null".to_owned(),
            ValueForm::Pointer => "not null".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(form: &str, value: u64) -> String {
        ValueForm::parse(form).expect("a form").text(value)
    }

    #[test]
    fn values_are_written_as_their_form_says() {
        assert_eq!(text("i32", 0xFFFF_FFFF), "-1");
        assert_eq!(text("u32", 0xFFFF_FFFF), "4294967295");
        assert_eq!(text("i3", 4), "-4");
        assert_eq!(text("i1", 1), "1");
        assert_eq!(text("i64", u64::MAX), "-1");
        assert_eq!(text("f32", u64::from(1.5_f32.to_bits())), "1.5");
        assert_eq!(text("f64", (-0.1_f64).to_bits()), "-0.1");
        assert_eq!(text("p", 0), "null");
        assert_eq!(text("p", 1), "not null");
    }

    #[test]
    fn a_form_that_is_not_known_is_none() {
        for wrong in ["", "i", "i0", "i65", "u-1", "f16", "pp", "x8"] {
            assert_eq!(ValueForm::parse(wrong), None, "{wrong}");
        }
    }
}
