use std::io;

/// What the system says of an error, without Rust's number, to go on in the middle of a sentence.
pub fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    let message = match text.rfind(" (os error ") {
        Some(end) => &text[..end],
        None => &text,
    };
    match error.raw_os_error() {
        // Only the system's own words start with a capital letter; others may start with a path.
        Some(_) => lower_first(message),
        None => message.to_owned(),
    }
}

fn lower_first(message: &str) -> String {
    let mut characters = message.chars();
    match characters.next() {
        Some(first) => first.to_lowercase().chain(characters).collect(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_first_letter_of_what_the_system_says_is_lowered() {
        let error = io::Error::from_raw_os_error(libc::ENOSPC);
        assert_eq!(plain(&error), "no space left on device");
        let error = io::Error::other("Makefile in /Users/Ann is a link");
        assert_eq!(plain(&error), "Makefile in /Users/Ann is a link");
    }
}
