//! Writes numbers as people read them.

/// 1234567 as `1,234,567`.
pub fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 trial`, `2 trials`.
pub fn count(number: u64, thing: &str) -> String {
    format!(
        "{} {thing}{}",
        grouped(number),
        if number == 1 { "" } else { "s" }
    )
}

/// A number in a unit that is given in the plural: `1 byte`, `2 bytes`.
pub fn amount(number: u64, units: &str) -> String {
    let unit = match number {
        1 => units.trim_end_matches('s'),
        _ => units,
    };
    format!("{} {unit}", grouped(number))
}

/// The share of `part` in `whole`, with as many digits as matter: `50%`, `99.98%`, never `100%` for less than all.
pub fn percent(part: u64, whole: u64) -> String {
    if whole == 0 {
        return "0%".to_owned();
    }
    if part == whole {
        return "100%".to_owned();
    }
    let share = 100.0 * part as f64 / whole as f64;
    let decimals =
        (0..6).find(|decimals| format!("{share:.decimals$}") != format!("{:.decimals$}", 100.0));
    let decimals = decimals.unwrap_or(6).max(usize::from(share < 10.0));
    format!("{share:.decimals$}%")
}

/// A time span: `0.12 s`, `12 s`, `3 min 5 s`, `2 h 10 min`.
pub fn seconds(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match whole {
        0..10 => format!("{seconds:.2} s"),
        10..100 => format!("{seconds:.0} s"),
        100..7200 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_thousands() {
        assert_eq!(
            [0, 999, 1000, 1234567].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
    }

    #[test]
    fn one_of_a_unit_is_singular() {
        assert_eq!(amount(1, "changed lines"), "1 changed line");
        assert_eq!(amount(1200, "bytes"), "1,200 bytes");
    }

    #[test]
    fn less_than_all_is_never_called_all() {
        assert_eq!(percent(107_744, 107_761), "99.98%");
        assert_eq!(percent(1, 2), "50%");
        assert_eq!(percent(1, 1000), "0.1%");
        assert_eq!(percent(7, 7), "100%");
        assert_eq!(percent(0, 0), "0%");
    }

    #[test]
    fn times_grow_in_units() {
        assert_eq!(
            [0.123, 12.3, 185.0, 7800.0].map(seconds),
            ["0.12 s", "12 s", "3 min 5 s", "2 h 10 min"]
        );
    }
}
