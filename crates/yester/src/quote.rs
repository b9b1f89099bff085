//! Commands as a shell takes them, to be copied from the screen.

use std::ffi::OsStr;

/// One word of a command, quoted when it needs to be.
pub fn word(word: &OsStr) -> String {
    let text = word.to_string_lossy();
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "-_./=:,@%+".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.into_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// A whole command.
pub fn command<'a>(words: impl IntoIterator<Item = &'a OsStr>) -> String {
    words.into_iter().map(word).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_a_shell_would_change_is_quoted() {
        let words = ["./a.sh", "two words", "it's", "", "$HOME"].map(OsStr::new);
        assert_eq!(command(words), r"./a.sh 'two words' 'it'\''s' '' '$HOME'");
    }
}
