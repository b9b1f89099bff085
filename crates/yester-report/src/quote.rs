//! Commands as a shell takes them, to be copied from the screen.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use crate::visible_line;

/// Quotes one word of a command when it needs to be.
pub fn word(word: &OsStr) -> String {
    let text = match word.to_str() {
        Some(text) if visible_line(text) == text => text,
        _ => return bytes(word.as_bytes()),
    };
    let is_plain =
        |character: char| character.is_ascii_alphanumeric() || "-_./=:,@%+".contains(character);
    if !text.is_empty() && text.chars().all(is_plain) {
        text.to_owned()
    } else {
        format!("'{}'", text.replace('\'', r"'\''"))
    }
}

/// A word with what no terminal shows as it is. This is the way of bash, zsh and POSIX of 2024; older shells have none.
fn bytes(word: &[u8]) -> String {
    let mut text = String::from("$'");
    for chunk in word.utf8_chunks() {
        for character in chunk.valid().chars() {
            let mut buffer = [0; 4];
            let shown = visible_line(character.encode_utf8(&mut buffer));
            match character {
                '\'' | '\\' => text.extend(['\\', character]),
                '\n' => text.push_str(r"\n"),
                _ if shown.starts_with(character) => text.push(character),
                _ => text.extend(
                    character
                        .encode_utf8(&mut buffer)
                        .bytes()
                        .map(|byte| format!(r"\x{byte:02x}")),
                ),
            }
        }
        text.extend(chunk.invalid().iter().map(|byte| format!(r"\x{byte:02x}")));
    }
    text.push('\'');
    text
}

/// Quotes the words of a command.
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

    #[test]
    fn what_no_terminal_shows_as_it_is_comes_back_in_a_shell() {
        let nasty = OsStr::from_bytes(b"it's \x1b[2J\xe2\x80\xae\xff \\ gr\xc3\xb6\n\"a$b\"");
        let quoted = word(nasty);
        assert_eq!(quoted, r#"$'it\'s \x1b[2J\xe2\x80\xae\xff \\ grö\n"a$b"'"#);
        let echoed = std::process::Command::new("bash")
            .args(["-c", &format!("printf %s {quoted}")])
            .output()
            .expect("bash starts");
        assert_eq!(echoed.stdout, nasty.as_bytes());
    }
}
