use super::code;

/// What the action of a lexer's rule does, as far as it can be seen without running it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LexerAction {
    pub returns: Returns,
    pub change: Option<ConditionChange>,
}

/// The token that an action makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Returns {
    Nothing,
    Name(String),
    Literal(String),
    /// The character that was matched.
    Text,
}

/// The start condition that an action goes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ConditionChange {
    To(String),
    Push(String),
    Pop,
}

/// Calls that decide by code how a text is cut into tokens.
const BEYOND: &[&str] = &[
    "REJECT",
    "yymore",
    "yyless",
    "unput",
    "yyunput",
    "input",
    "yyinput",
    "yyterminate",
];

/// Reads the code of an action.
pub(super) fn read(action: &str) -> Result<LexerAction, String> {
    let atoms = atoms(action);
    let is_call = |at: &usize| atoms[*at] == "REJECT" || atoms.get(*at + 1) == Some(&"(");
    if let Some(at) = (0..atoms.len())
        .filter(is_call)
        .find(|at| BEYOND.contains(&atoms[*at]))
    {
        let call = atoms[at];
        return Err(format!("`{call}` is not supported: actions are not run"));
    }
    let mut returns: Option<Returns> = None;
    for at in positions(&atoms, "return") {
        let expression: Vec<&str> = atoms[at + 1..]
            .iter()
            .copied()
            .take_while(|atom| !matches!(*atom, ";" | "}"))
            .collect();
        let token = token(&expression).ok_or_else(|| {
            format!(
                "cannot see which token `return {}` makes: actions are not run",
                expression.concat()
            )
        })?;
        if returns.as_ref().is_some_and(|before| *before != token) {
            return Err("this returns one of several tokens: actions are not run".to_owned());
        }
        returns = Some(token);
    }
    Ok(LexerAction {
        returns: returns.unwrap_or(Returns::Nothing),
        change: change(&atoms),
    })
}

fn positions<'a>(atoms: &'a [&str], word: &'a str) -> impl Iterator<Item = usize> + 'a {
    (0..atoms.len()).filter(move |at| atoms[*at] == word)
}

fn change(atoms: &[&str]) -> Option<ConditionChange> {
    let argument = |at: usize| {
        let name = atoms[at + 1..].iter().find(|atom| **atom != "(")?;
        Some(match *name {
            "0" => "INITIAL".to_owned(),
            name => name.to_owned(),
        })
    };
    let last = |word: &str| positions(atoms, word).last();
    if last("yy_pop_state").is_some() {
        return Some(ConditionChange::Pop);
    }
    if let Some(at) = last("yy_push_state") {
        return argument(at).map(ConditionChange::Push);
    }
    last("BEGIN").and_then(argument).map(ConditionChange::To)
}

/// Names, quoted texts and single signs; no comments.
fn atoms(text: &str) -> Vec<&str> {
    let is_part = |character: char| character.is_alphanumeric() || character == '_';
    let mut atoms = Vec::new();
    let mut at = 0;
    while let Some(character) = text[at..].chars().next() {
        let after = if is_part(character) {
            at + text[at..]
                .find(|character| !is_part(character))
                .unwrap_or(text.len() - at)
        } else {
            code::after_piece(text, at)
        };
        let atom = &text[at..after];
        let is_comment = atom.starts_with("/*") || atom.starts_with("//");
        if !character.is_whitespace() && !is_comment {
            atoms.push(atom);
        }
        at = after;
    }
    atoms
}

fn token(expression: &[&str]) -> Option<Returns> {
    let is_name =
        |atom: &str| atom.starts_with(|first: char| first.is_alphabetic() || first == '_');
    match expression {
        ["(", inner @ .., ")"] if !inner.contains(&")") => token(inner),
        ["(", "int" | "char", ")", rest @ ..] => token(rest),
        ["(", "unsigned", "char", ")", rest @ ..] => token(rest),
        ["yytext", "[", "0", "]"] | ["*", "yytext"] => Some(Returns::Text),
        [quoted] if quoted.starts_with('\'') && quoted.len() > 2 => Some(Returns::Literal(
            code::unescaped(&quoted[1..quoted.len() - 1]),
        )),
        [path @ .., name]
            if is_name(name)
                && path
                    .iter()
                    .all(|atom| is_name(atom) || matches!(*atom, ":" | ".")) =>
        {
            Some(Returns::Name((*name).to_owned()))
        }
        [path @ .., ")"] => {
            let call = path.iter().position(|atom| *atom == "(")?;
            let name = path[..call].last()?.strip_prefix("make_")?;
            Some(Returns::Name(name.to_owned()))
        }
        _ => None,
    }
}
