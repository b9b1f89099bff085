//! Input streams of C++: what is read through them is followed, and they read what they always read.

use crate::laboratory::{Input, Laboratory};

fn turns(body: &str, input: Input) {
    let source = format!(
        "#include <fstream>\n#include <iostream>\n#include <sstream>\n#include <string>\n#include <unordered_map>\n\
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
    an_array_of_letters(Input::stdin("ab cd")) "int main() { char b[8], d[8]; std::cin >> b >> d; say(std::string(d) == \"xy\"); }";
    a_line_in_an_array(Input::stdin("ab\ncd\n")) "int main() { char b[8]; std::cin.getline(b, 8).getline(b, 8); say(b[0] == 'x' && std::cin.gcount() == 3); }";
    what_comes_after_a_line_that_is_ignored(Input::stdin("ab\ncd\n")) "int main() { std::cin.ignore(1000, '\\n'); say(std::cin.get() == 'x'); }";
    what_comes_after_letters_that_are_ignored(Input::stdin("abcd")) "int main() { std::cin.ignore(2); say(std::cin.get() == 'x'); }";
    a_line_of_a_file(Input::file("ab\ncd\n")) "int main() { std::ifstream in(\"input\"); std::string s; std::getline(in, s); std::getline(in, s); say(s == \"xy\"); }";
    lines_of_a_file_until_its_end(Input::file("ab\n")) "int main() { std::ifstream in(\"input\"); std::string s; int n = 0; while (std::getline(in, s)) n++; say(n == 2); }";
    words_and_numbers_of_a_file(Input::file("ab 12 ")) "int main() { std::ifstream in(\"input\"); std::string s; int n = 0; in >> s >> n; say(s == \"xy\" && n == 34); }";
    letters_of_a_file(Input::file("abc")) "int main() { std::ifstream in(\"input\"); char c; int n = 0; while (in.get(c)) n = 2 * n + (c == 'q'); say(n == 5); }";
    a_shorter_file(Input::file("abcd")) "int main() { std::ifstream in(\"input\"); char c; int n = 0; while (in.get(c)) n++; say(n == 2); }";
    a_hash_table(Input::stdin("ab")) "int main() { std::string s; std::cin >> s; std::unordered_map<std::string, int> m; m[\"k\"] = 1; m[\"xy\"] = 2; say(m.count(s) && m[s] == 2); }";
    a_count_in_a_hash_table(Input::stdin("ab")) "int main() { std::string s; std::cin >> s; std::unordered_map<std::string, int> m; m[\"xy\"] = 2; m[s]++; say(m.size() == 1); }";
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
fn arrays_and_files_hold_what_they_hold_without_yester() {
    let source = "#include <fstream>\n#include <functional>\n#include <iomanip>\n#include <iostream>\n#include <limits>\n#include <sstream>\n#include <string>\n#include <unordered_map>\n
        static void state(std::istream &in) { std::cout << ' ' << in.gcount() << in.eof() << in.fail() << in.bad() << '\\n'; }
        int main() {
          const long most = std::numeric_limits<std::streamsize>::max();
          for (const char *text : { \"\", \"ab\", \"ab\\n\", \"abcdefghij\\nk\", \"\\n\\n\", \"  a b  c\", \"abc\" }) {
            { std::istringstream in(text); char b[4] = \"zzz\"; for (int n = 0; n < 4; n++) { in.getline(b, 4); std::cout << '[' << b << ']'; state(in); } }
            { std::istringstream in(text); char b[4] = \"zzz\"; for (int n = 0; n < 4; n++) { in >> b; std::cout << '[' << b << ']'; state(in); } }
            { std::istringstream in(text); char b[9] = \"zzz\"; in >> std::setw(3) >> b; std::cout << '[' << b << ']'; state(in); }
            for (long n : { 0L, 1L, 3L, 99L, most }) { std::istringstream in(text); in.ignore(n); state(in); in.clear(); std::istringstream by(text); by.ignore(n, '\\n'); state(by); std::cout << by.get() << '\\n'; by.ignore(n, -1); state(by); }
            { std::ofstream out(\"made\"); out << text << 12 << ' ' << 3.5 << std::endl << std::string(20000, 'x'); out.seekp(1); out << '!'; }
            { std::ifstream in(\"made\"); std::string s; std::getline(in, s); std::cout << s << in.tellg(); in.seekg(0, std::ios::end); std::cout << in.tellg(); in.seekg(-3, std::ios::end); in >> s; std::cout << s; state(in); }
            { std::fstream both(\"made\", std::ios::in | std::ios::out | std::ios::app); both << \"end\"; both.seekg(2); char b[6] = {}; both.read(b, 5); std::cout << b << both.gcount(); both.seekg(-3, std::ios::end); std::string s; both >> s; std::cout << s; state(both); }
            { std::ifstream in(\"missing\"); int n = 3; in >> n; std::cout << n << in.is_open(); state(in); }
            std::cout << std::hash<std::string>()(text) << ' ' << std::hash<std::string>()(std::string(text) + text + \"12345678\") << '\\n';
          }
          std::unordered_map<std::string, int> m; std::string w; while (std::cin >> w) m[w]++; for (const auto &one : m) std::cout << one.first << one.second << ' ';
        }";
    let laboratory = Laboratory::with_language(source, "cc", &[]);
    let input = Input::seekable("one two three two somewhatlonger one one");
    let (output, _) = laboratory.record(&input);
    let plain = laboratory.plain_with(&input, &[]);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&plain.stdout)
    );
    assert!(output.stdout.len() > 1000);
}

#[test]
fn what_the_library_reads_by_itself_is_told() {
    for read in [
        "double d; std::cin >> d; n = d;",
        "std::cin >> std::hex >> n;",
        "bool b; std::cin >> b; n = b;",
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
