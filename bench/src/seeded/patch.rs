//! Applies the patches of the cases, which fit exactly.

/// A text with a patch in the format of `diff -u`.
pub(super) fn apply(text: &str, patch: &str) -> Result<String, String> {
    let mut lines = text.split_inclusive('\n');
    let mut position = 0;
    let mut applied = String::new();
    for line in patch.lines().skip(2) {
        if let Some(header) = line.strip_prefix("@@ -") {
            let start = header
                .split([',', ' '])
                .next()
                .and_then(|word| word.parse().ok());
            let start: usize = start.ok_or(format!("'{line}' has no line"))?;
            while position + 1 < start {
                applied.push_str(lines.next().ok_or("it is for a longer text")?);
                position += 1;
            }
            continue;
        }
        let Some((sign, rest)) = line.split_at_checked(1) else {
            return Err("it has an empty line".to_owned());
        };
        if sign == "+" {
            applied.push_str(rest);
            applied.push('\n');
            continue;
        }
        let own = lines.next().ok_or("it is for a longer text")?;
        position += 1;
        if own.trim_end_matches('\n') != rest {
            return Err(format!("line {position} is not '{rest}'"));
        }
        if sign == " " {
            applied.push_str(own);
        }
    }
    applied.extend(lines);
    Ok(applied)
}

#[cfg(test)]
mod tests {
    use super::apply;

    const PATCH: &str =
        "--- a\n+++ b\n@@ -2,3 +2,3 @@\n two\n-three\n+THREE\n+3\n four\n@@ -6 +7 @@\n-six\n+VI\n";

    #[test]
    fn a_patch_replaces_lines_and_keeps_the_others() {
        let text = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";
        let applied = apply(text, PATCH);
        let wanted = "one\ntwo\nTHREE\n3\nfour\nfive\nVI\nseven\n";
        assert_eq!(applied.as_deref(), Ok(wanted));
    }

    #[test]
    fn a_patch_for_another_text_is_an_error() {
        assert!(apply("one\ntwo\n3\nfour\nfive\nsix\n", PATCH).is_err());
        assert!(apply("one\ntwo\nthree\n", PATCH).is_err());
    }
}
