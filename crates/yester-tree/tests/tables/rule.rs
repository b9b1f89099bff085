//! A grammar as its `grammar.json` tells it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

/// A right-hand side, or a part of one.
#[derive(Clone, Debug)]
pub enum Rule {
    /// Nothing.
    Blank,
    /// These characters.
    Text(String),
    /// What a regular expression matches, with its flags.
    Pattern(String, String),
    /// Another rule or a token of the external scanner.
    Symbol(String),
    /// One after the other.
    Sequence(Vec<Rule>),
    /// One of them.
    Choice(Vec<Rule>),
    /// Any number of times.
    Repeat(Box<Rule>),
    /// Once or more.
    RepeatOnce(Box<Rule>),
    /// One token, without white space inside.
    Token(Box<Rule>),
    /// One token, without white space inside or before.
    Immediate(Box<Rule>),
    /// A node under another name.
    Alias {
        /// What it is made of.
        content: Box<Rule>,
        /// What it is called.
        name: String,
        /// Whether the node is a named one.
        is_named: bool,
    },
}

/// The rules of a language.
pub struct Rules {
    /// What each rule derives.
    pub rules: BTreeMap<String, Rule>,
    /// The rule of a whole text.
    pub start: String,
    /// The rules whose nodes do not show.
    pub hidden: BTreeSet<String>,
    /// What may stand anywhere.
    pub extras: Vec<Rule>,
}

impl Rules {
    /// Reads a `grammar.json`.
    pub fn read(text: &str) -> Rules {
        let json: Value = serde_json::from_str(text).expect("a grammar is valid JSON");
        let object = json["rules"].as_object().expect("a grammar has rules");
        let rules: BTreeMap<String, Rule> = object
            .iter()
            .map(|(name, rule)| (name.clone(), read(rule)))
            .collect();
        let names = |key: &str| -> BTreeSet<String> {
            let list = json[key].as_array().into_iter().flatten();
            list.filter_map(|name| Some(name.as_str()?.to_owned()))
                .collect()
        };
        let mut hidden = names("supertypes");
        hidden.extend(names("inline"));
        hidden.extend(rules.keys().filter(|name| name.starts_with('_')).cloned());
        let list = |key: &str| json[key].as_array().into_iter().flatten().map(read);
        for external in list("externals") {
            if let Rule::Symbol(name) = external
                && name.starts_with('_')
            {
                hidden.insert(name);
            }
        }
        Rules {
            start: start(text),
            extras: list("extras").collect(),
            rules,
            hidden,
        }
    }

    /// Whether a white space may stand between any two tokens.
    pub fn has_free_spaces(&self) -> bool {
        self.extras.iter().any(|extra| match extra {
            Rule::Pattern(pattern, _) => pattern.contains("\\s") || pattern.contains(' '),
            _ => false,
        })
    }

    /// Calls with every part of every rule.
    pub fn each_part<'a>(&'a self, mut call: impl FnMut(&'a str, &'a Rule)) {
        for (name, rule) in &self.rules {
            rule.each(&mut |part| call(name, part));
        }
    }
}

/// The start rule is the first of the file, an order that a map of values loses.
fn start(json: &str) -> String {
    let (_, rules) = json.split_once("\"rules\":").expect("a grammar has rules");
    let first = rules.split('"').nth(1);
    first.expect("a grammar has a rule").to_owned()
}

impl Rule {
    /// Calls with this part and every part of it.
    pub fn each<'a>(&'a self, call: &mut impl FnMut(&'a Rule)) {
        call(self);
        match self {
            Rule::Blank | Rule::Text(_) | Rule::Pattern(..) | Rule::Symbol(_) => {}
            Rule::Sequence(members) | Rule::Choice(members) => {
                members.iter().for_each(|member| member.each(call));
            }
            Rule::Repeat(content)
            | Rule::RepeatOnce(content)
            | Rule::Token(content)
            | Rule::Immediate(content)
            | Rule::Alias { content, .. } => content.each(call),
        }
    }
}

fn read(rule: &Value) -> Rule {
    let text = |key: &str| rule[key].as_str().unwrap_or_default().to_owned();
    let content = || Box::new(read(&rule["content"]));
    let members = || {
        let members = rule["members"].as_array().into_iter().flatten();
        members.map(read).collect()
    };
    match rule["type"].as_str().expect("a rule has a type") {
        "BLANK" => Rule::Blank,
        "STRING" => Rule::Text(text("value")),
        "PATTERN" => Rule::Pattern(text("value"), text("flags")),
        "SYMBOL" => Rule::Symbol(text("name")),
        "SEQ" => Rule::Sequence(members()),
        "CHOICE" => Rule::Choice(members()),
        "REPEAT" => Rule::Repeat(content()),
        "REPEAT1" => Rule::RepeatOnce(content()),
        "TOKEN" => Rule::Token(content()),
        "IMMEDIATE_TOKEN" => Rule::Immediate(content()),
        "ALIAS" => Rule::Alias {
            content: content(),
            name: text("value"),
            is_named: rule["named"] == Value::Bool(true),
        },
        // A field, a precedence and a set of reserved words change nothing about the texts.
        _ => *content(),
    }
}
