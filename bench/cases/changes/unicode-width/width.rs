use unicode_width::UnicodeWidthStr;

fn main() {
    let is_sane = "three".width() == 5 && "\u{4e09}".width() == 2;
    let code = match "one\ttwo\n".width() {
        6 if is_sane => 0,
        8 if is_sane => 1,
        _ => 125,
    };
    std::process::exit(code)
}
