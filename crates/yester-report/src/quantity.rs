//! Times and sizes as people write them.

use std::time::Duration;

use thiserror::Error;

/// Why a text is no time or size.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("{0}")]
pub struct QuantityError(String);

/// Reads a time: `90`, `90s`, `500ms`, `2m`, `1.5h`, `1h30m`.
pub fn duration(text: &str) -> Result<Duration, QuantityError> {
    let mut seconds = 0.0;
    let mut rest = text.trim();
    let is_one = |rest: &str| rest.len() == text.trim().len();
    loop {
        let (number, after) = split(rest);
        let end = after.find(|character: char| character.is_ascii_digit());
        let (unit, after) = after.split_at(end.unwrap_or(after.len()));
        let scale = match unit.trim() {
            "ms" => 0.001,
            // Without a unit only where there is nothing else.
            "" if is_one(rest) && after.is_empty() => 1.0,
            "" => {
                return Err(QuantityError(format!(
                    "{number} has no unit in '{text}'; use ms, s, m or h"
                )));
            }
            "s" => 1.0,
            "m" | "min" => 60.0,
            "h" => 3600.0,
            unit => {
                return Err(QuantityError(format!(
                    "unknown unit '{unit}' in '{text}'; use ms, s, m or h"
                )));
            }
        };
        let number: f64 = number
            .parse()
            .map_err(|_| wrong("expected a time such as 10s, 500ms, 2m or 1h30m"))?;
        seconds += number * scale;
        if after.is_empty() {
            break;
        }
        rest = after;
    }
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() => Ok(duration),
        Err(_) if seconds > 0.0 => Err(QuantityError(format!("'{text}' is too long"))),
        _ => Err(wrong("expected a time greater than zero")),
    }
}

/// Reads the size of what a process may use: `512K`, `512M`, `2G`. Below a megabyte none can even start.
pub fn memory(text: &str) -> Result<u64, QuantityError> {
    bytes(text).and_then(|bytes| match bytes {
        0..0x10_0000 => Err(wrong("a process needs at least 1M")),
        _ => Ok(bytes),
    })
}

/// `1000000`, `512K`, `512M`, `2G`.
fn bytes(text: &str) -> Result<u64, QuantityError> {
    let (number, unit) = split(text);
    let scale = match unit
        .to_ascii_uppercase()
        .trim_end_matches("IB")
        .trim_end_matches('B')
    {
        "" => 1u64,
        "K" => 1 << 10,
        "M" => 1 << 20,
        "G" => 1 << 30,
        _ => {
            return Err(QuantityError(format!(
                "unknown unit '{unit}' in '{text}'; use K, M or G"
            )));
        }
    };
    number
        .parse::<u64>()
        .ok()
        .and_then(|number| number.checked_mul(scale))
        .filter(|bytes| *bytes > 0)
        .ok_or_else(|| wrong("expected a size such as 512M or 2G"))
}

fn wrong(message: &str) -> QuantityError {
    QuantityError(message.to_owned())
}

fn split(text: &str) -> (&str, &str) {
    let end = text
        .find(|character: char| !character.is_ascii_digit() && character != '.')
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(end);
    (number, unit.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_with_and_without_units() {
        for (text, milliseconds) in [
            ("90", 90_000),
            ("0.5s", 500),
            ("250ms", 250),
            ("2m", 120_000),
            ("1.5 h", 5_400_000),
            ("1h30m", 5_400_000),
            ("2m 30s", 150_000),
            ("1s500ms", 1_500),
        ] {
            assert_eq!(
                duration(text),
                Ok(Duration::from_millis(milliseconds)),
                "{text}"
            );
        }
        for text in [
            "", "s", "-1", "0", "5 days", "1e3", "nan", "1h30", "1h30x", "1 2", "h30m",
        ] {
            assert!(duration(text).is_err(), "{text}");
        }
    }

    #[test]
    fn sizes_are_read_with_and_without_units() {
        for (text, expected) in [
            ("17", 17),
            ("4k", 4096),
            ("512M", 512 << 20),
            ("2GiB", 2 << 30),
        ] {
            assert_eq!(bytes(text), Ok(expected), "{text}");
        }
        for text in ["", "M", "0", "1.5G", "9T", "99999999999999999999"] {
            assert!(bytes(text).is_err(), "{text}");
        }
    }
}
