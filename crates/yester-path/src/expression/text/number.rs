//! Numbers as they are written in C.

use super::signed;

/// A byte: a letter if it is one.
pub(super) fn character(value: u64) -> String {
    match value as u8 {
        b'\n' => r"'\n'".to_owned(),
        b'\t' => r"'\t'".to_owned(),
        b'\r' => r"'\r'".to_owned(),
        b'\'' => r"'\''".to_owned(),
        b'\\' => r"'\\'".to_owned(),
        letter @ 0x20..0x7f => format!("'{}'", char::from(letter)),
        other => other.to_string(),
    }
}

/// A number that is negative if it looks like one: equality and addition do not know the difference.
pub(super) fn decimal(value: u64, width: u32) -> String {
    match signed(value, width) {
        negative @ -0x1_0000..0 if width >= 8 => negative.to_string(),
        _ => value.to_string(),
    }
}

/// A mask, or bytes of a file.
pub(super) fn hexadecimal(value: u64) -> String {
    match value {
        0..10 => value.to_string(),
        _ => format!("{value:#x}"),
    }
}
