use std::collections::BTreeMap;

/// The answer to a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SolverAnswer {
    /// This model fulfils it. Checked by evaluation.
    Satisfiable(Model),
    /// No input fulfils it.
    Unsatisfiable,
    /// The solver does not know, and why.
    Unknown(String),
}

/// New values for some bytes of the input. All others keep theirs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Model {
    bytes: BTreeMap<u32, u8>,
}

impl Model {
    /// The bytes with their values, in order.
    pub fn bytes(&self) -> impl Iterator<Item = (u32, u8)> + '_ {
        self.bytes.iter().map(|(byte, value)| (*byte, *value))
    }

    /// The part about these bytes.
    pub(super) fn only(&self, inputs: &[u32]) -> Model {
        let found = inputs.iter().filter_map(|byte| {
            let value = self.bytes.get(byte)?;
            Some((*byte, *value))
        });
        Model {
            bytes: found.collect(),
        }
    }
}

impl FromIterator<(u32, u8)> for Model {
    fn from_iter<I: IntoIterator<Item = (u32, u8)>>(bytes: I) -> Model {
        Model {
            bytes: bytes.into_iter().collect(),
        }
    }
}

/// Reads `((b0 #x41) (b7 #b00000001) (b9 (_ bv7 8)))`.
pub(super) fn values(said: &str) -> Option<Model> {
    let words = said
        .split(|character: char| character.is_whitespace() || "()".contains(character))
        .filter(|word| !word.is_empty());
    let mut bytes = BTreeMap::new();
    let mut words = words.peekable();
    while let Some(name) = words.next() {
        let byte = name.strip_prefix('b')?.parse().ok()?;
        let value = match words.next()? {
            "_" => {
                let value = words.next()?.strip_prefix("bv")?.parse().ok()?;
                words.next().filter(|width| *width == "8")?;
                value
            }
            word => match (word.strip_prefix("#x"), word.strip_prefix("#b")) {
                (Some(digits), _) => u8::from_str_radix(digits, 16).ok()?,
                (_, Some(digits)) => u8::from_str_radix(digits, 2).ok()?,
                _ => return None,
            },
        };
        bytes.insert(byte, value);
    }
    (!bytes.is_empty()).then_some(Model { bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_way_to_write_a_byte_is_read() {
        let model = values("((b0 #x41)\n (b7 #b00000001)\n (b9 (_ bv255 8)))\n").expect("a model");
        assert_eq!(
            model.bytes().collect::<Vec<_>>(),
            [(0, 0x41), (7, 1), (9, 255)]
        );
    }

    #[test]
    fn what_is_no_model_is_none() {
        for said in [
            "",
            "()",
            "(error \"no\")",
            "((b0))",
            "((b0 #xfff))",
            "((b0 ?))",
            "((b0 (_ bv7 9)))",
            "((c0 #x00))",
        ] {
            assert_eq!(values(said), None, "{said}");
        }
    }
}
