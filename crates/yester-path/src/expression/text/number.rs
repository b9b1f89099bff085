//! Numbers as they are written in C.

use super::signed;

/// A byte that another one is equal to, or not: a letter if it is one.
pub(super) fn character(value: u64) -> String {
    match value as u8 {
        b'\n' => r"'\n'".to_owned(),
        b'\t' => r"'\t'".to_owned(),
        b'\r' => r"'\r'".to_owned(),
        other => letter(value).unwrap_or(other.to_string()),
    }
}

/// A letter, if it is a visible one: less than 10 is not less than `'\n'`.
pub(super) fn letter(value: u64) -> Option<String> {
    let byte = u8::try_from(value).ok()?;
    match byte {
        b'\'' => Some(r"'\''".to_owned()),
        b'\\' => Some(r"'\\'".to_owned()),
        0x20..0x7f => Some(format!("'{}'", char::from(byte))),
        _ => None,
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
