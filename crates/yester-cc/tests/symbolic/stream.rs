//! Input streams of C++: what is read through them is followed, and they read what they always read.

use crate::laboratory::{Input, Laboratory};

fn turns(body: &str, input: Input) {
    let source = format!(
        "#include <iostream>\n#include <sstream>\n#include <string>\n\
         static void say(bool yes) {{ puts(yes ? \"yes\" : \"no\"); }}\n{body}"
    );
    let laboratory = Laboratory::with_language(&source, "cc", &[]);
    let found = laboratory.reach(&input, "yes");
    assert!(found.is_some(), "no input reaches it:\n{body}");
}

macro_rules! probes {
    ($($name:ident($input:expr) $body:literal;)*) => {$(
        #[test]
        fn $name() {
            turns($body, $input);
        }
    )*};
}

probes! {
    a_line(Input::stdin("qq\nrest")) "int main() { std::string s; std::getline(std::cin, s); say(s == \"ab\"); }";
    lines_until_the_end(Input::seekable("one\ntwo\n")) "int main() { std::string s; int n = 0; while (std::getline(std::cin, s)) n += s == \"key\"; say(n == 1); }";
    a_part_up_to_a_letter(Input::stdin("ab;cd")) "int main() { std::string s; std::getline(std::cin, s, ';'); std::getline(std::cin, s, ';'); say(s == \"xy\"); }";
    a_word(Input::stdin("  ab cd")) "int main() { std::string s, t; std::cin >> s >> t; say(t == \"xy\"); }";
    a_number(Input::stdin(" 1111 ")) "int main() { int n = 0; std::cin >> n; say(n == 4711); }";
    a_negative_number(Input::stdin("+17 -5")) "int main() { long a = 0, b = 0; std::cin >> a >> b; say(a + b == -7); }";
    an_unsigned_number(Input::stdin("12 345")) "int main() { unsigned a = 0; unsigned long long b = 0; std::cin >> a >> b; say(a * b == 7000); }";
    a_letter(Input::stdin(" a")) "int main() { char c; std::cin >> c; say(c == 'q'); }";
    letters_one_by_one(Input::stdin("abc")) "int main() { int n = 0; char c; while (std::cin.get(c)) n = n * 2 + (c == 'q'); say(n == 5); }";
    a_letter_that_is_only_looked_at(Input::stdin("ab")) "int main() { std::cin.ignore(); say(std::cin.peek() == 'q' && std::cin.get() == 'q'); }";
    something_that_is_no_number(Input::stdin("12")) "int main() { int n = 3; std::cin >> n; say(!std::cin && n == 0); }";
    a_number_in_a_line(Input::stdin("12 34\n")) "int main() { std::string s; std::getline(std::cin, s); std::istringstream in(s); int a = 0, b = 0; in >> a >> b; say(a * b == 77); }";
    what_was_written_into_a_string_stream(Input::stdin("12 ab")) "int main() { int n = 0; std::string s; std::cin >> n >> s; std::ostringstream out; out << s << '-' << n + 1; say(out.str() == \"xy-78\"); }";
    a_string_stream_both_ways(Input::stdin("12 34")) "int main() { std::string a, b; std::cin >> a >> b; std::stringstream s; s << b << ' ' << a; int m = 0, n = 0; s >> m >> n; say(m == 56 && n == 78); }";
    words_of_a_line(Input::stdin("ab cd\n")) "int main() { std::string s, w; std::getline(std::cin, s); std::istringstream in(s); int n = 0; while (in >> w) n += w == \"xy\"; say(n == 1); }";
}

#[test]
fn streams_read_what_they_read_without_yester() {
    let source = "#include <iostream>\n#include <sstream>\n#include <string>\n#include <iomanip>\n#include <limits>\n
        template<class T> void all(const char *text) { std::istringstream in(text); T value = T(9); while (in >> value) std::cout << +value << ' '; std::cout << value << in.eof() << in.fail() << in.bad() << '\\n'; }
        int main() {
          const char *texts[] = { \"1 2 3\", \"\", \" \", \"-\", \"+7x\", \"99999999999999999999 5\", \"-2147483648 -2147483649 2147483648\", \"0x1f\", \"-1\", \"007\", \"1,2\", \"4294967295 4294967296\", \"-99999999999999999999\" };
          for (const char *text : texts) { all<int>(text); all<long>(text); all<unsigned>(text); all<unsigned long long>(text); all<short>(text); all<unsigned short>(text); all<double>(text); all<bool>(text); }
          std::istringstream in(\"1f 17 abc  de\\n\\nlast\"); int a, b; in >> std::hex >> a >> std::oct >> b; std::cout << a << ' ' << b << '\\n';
          std::string s; in >> std::setw(2) >> s; std::cout << '[' << s << ']'; in >> s; std::cout << '[' << s << ']' << in.eof();
          while (std::getline(in, s)) std::cout << '[' << s << ']' << in.eof(); std::cout << in.eof() << in.fail() << '\\n';
          int n = 0; std::string w; while (std::cin >> w) std::cout << w << n++ << ','; std::cout << std::cin.eof() << std::cin.fail();
          try { std::istringstream e(\"x\"); e.exceptions(std::ios::failbit); e >> a; std::cout << \"no\"; } catch (const std::ios_base::failure &) { std::cout << \"thrown\"; }
        }";
    let laboratory = Laboratory::with_language(source, "cc", &[]);
    for text in ["", "a bc\n\n d ", "  "] {
        let input = Input::seekable(text);
        let (output, _) = laboratory.record(&input);
        let plain = laboratory.plain_with(&input, &[]);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            String::from_utf8_lossy(&plain.stdout)
        );
        assert!(output.stdout.ends_with(b"thrown"));
    }
}

#[test]
fn what_the_library_reads_by_itself_is_told() {
    for read in [
        "double d; std::cin >> d; n = d;",
        "std::cin >> std::hex >> n;",
        "bool b; std::cin >> b; n = b;",
        "char b[8]; std::cin.getline(b, 8); n = b[0] - '0';",
        "char b[8]; std::istringstream in(\"1\"); in.getline(b, 8); n = b[0] - '0';",
        "char b[8]; std::cin >> b; n = b[0] - '0';",
        "std::stringstream s; s << std::cin.rdbuf(); s >> n;",
    ] {
        let source = format!(
            "#include <iostream>\n#include <sstream>\nint main() {{ int n = 0; {read} if (n == 1) puts(\"one\"); }}"
        );
        let laboratory = Laboratory::with_language(&source, "cc", &[]);
        let (_, recording) = laboratory.record(&Input::stdin("1 "));
        let is_told = |loss: &yester_path::Loss| {
            loss.what.starts_with("what ") && loss.what.ends_with(" reads")
        };
        assert!(
            recording.lost.iter().any(is_told),
            "{read}: {:?}",
            recording.lost
        );
    }
}
