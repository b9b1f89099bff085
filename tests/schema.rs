//! What programs read is what `book/schemas` says. This knows as much of JSON Schema as those files use.

use std::fs;
use std::path::Path;

use serde_json::{Map, Value};

/// A schema of the book.
pub struct Schema {
    whole: Value,
}

impl Schema {
    pub fn read(name: &str) -> Schema {
        let schemas = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../book/schemas");
        let path = schemas.join(format!("{name}.schema.json"));
        let text = fs::read_to_string(path).expect(name);
        let whole = serde_json::from_str(&text).expect("a schema is JSON");
        Schema { whole }
    }

    /// Fails unless a value is as the schema says.
    #[track_caller]
    pub fn check(&self, value: &Value) {
        if let Err(complaint) = self.holds(&self.whole, value, "") {
            panic!("{complaint}\n{value:#}");
        }
    }

    /// What is wrong with a value, if anything is.
    fn holds(&self, schema: &Value, value: &Value, place: &str) -> Result<(), String> {
        let schema = schema.as_object().expect("a schema is an object");
        for (word, rule) in schema {
            match word.as_str() {
                "$schema" | "$defs" | "title" | "description" => {}
                // With the object that they belong to.
                "properties" | "additionalProperties" => {}
                "type" => self.has_type(rule, value, place)?,
                "const" if rule == value => {}
                "const" => return Err(format!("{place} is not {rule}")),
                "enum" if list(rule).contains(value) => {}
                "enum" => return Err(format!("{place} is none of {rule}: {value}")),
                "minimum" => {
                    let is_less = value.as_f64() < rule.as_f64();
                    if value.is_number() && is_less {
                        return Err(format!("{place} is less than {rule}"));
                    }
                }
                "minItems" | "maxItems" => {
                    let items = list(value).len() as u64;
                    if rule.as_u64() != Some(items) {
                        return Err(format!("{place} has {items} items, not {rule}"));
                    }
                }
                "required" => {
                    for name in list(rule) {
                        if value.get(name.as_str().expect("a name")).is_none() {
                            return Err(format!("{place} has no {name}"));
                        }
                    }
                }
                "items" => {
                    for (index, item) in list(value).iter().enumerate() {
                        self.holds(rule, item, &format!("{place}[{index}]"))?;
                    }
                }
                "anyOf" => {
                    let tried = list(rule).iter();
                    let complaints = tried.map(|one| self.holds(one, value, place).err());
                    let complaints: Option<Vec<String>> = complaints.collect();
                    if let Some(complaints) = complaints {
                        return Err(complaints.join("\n  or "));
                    }
                }
                "$ref" => {
                    let pointer = rule.as_str().and_then(|text| text.strip_prefix('#'));
                    let named = self
                        .whole
                        .pointer(pointer.expect("a reference to this file"));
                    self.holds(named.expect("a definition"), value, place)?;
                }
                _ => panic!("this checker does not know {word}"),
            }
        }
        match (schema.get("properties"), value) {
            (Some(properties), Value::Object(fields)) => {
                self.has_properties(properties, fields, place)
            }
            _ => Ok(()),
        }
    }

    fn has_type(&self, rule: &Value, value: &Value, place: &str) -> Result<(), String> {
        let is = |name: &Value| match name.as_str().expect("a type") {
            "null" => value.is_null(),
            "boolean" => value.is_boolean(),
            "integer" => value.is_i64() || value.is_u64(),
            "number" => value.is_number(),
            "string" => value.is_string(),
            "array" => value.is_array(),
            "object" => value.is_object(),
            other => panic!("there is no type {other}"),
        };
        let fits = match rule {
            Value::Array(types) => types.iter().any(is),
            one => is(one),
        };
        if fits {
            Ok(())
        } else {
            Err(format!("{place} is no {rule}: {value}"))
        }
    }

    /// Every field is one that the schema has.
    fn has_properties(
        &self,
        properties: &Value,
        fields: &Map<String, Value>,
        place: &str,
    ) -> Result<(), String> {
        for (name, field) in fields {
            let place = format!("{place}.{name}");
            let Some(rule) = properties.get(name) else {
                return Err(format!("{place} is not in the schema"));
            };
            self.holds(rule, field, &place)?;
        }
        Ok(())
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

#[test]
fn a_value_that_is_not_as_the_schema_says_is_found() {
    let schema = Schema::read("languages");
    let language = serde_json::json!({
        "name": "c", "title": "C", "extensions": ["c"], "file_names": [], "grammar": true
    });
    let of =
        |language: &Value| serde_json::json!({"schema": 1, "yester": "0", "languages": [language]});
    schema.check(&of(&language));
    for (field, wrong) in [
        ("name", Value::Null),
        ("extensions", "c".into()),
        ("grammar", 1.into()),
        ("colour", "red".into()),
    ] {
        let mut broken = language.clone();
        broken[field] = wrong;
        let complaint = schema.holds(&schema.whole, &of(&broken), "");
        assert!(complaint.is_err_and(|text| text.contains(field)), "{field}");
    }
    let mut less = language;
    less.as_object_mut().expect("an object").remove("title");
    assert!(schema.holds(&schema.whole, &of(&less), "").is_err());
}
