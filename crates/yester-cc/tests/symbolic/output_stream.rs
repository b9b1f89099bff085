//! Output streams of C++: what goes through them is recorded with its expressions and the line that wrote it, and they write what
//! they always write.

use crate::laboratory::{Input, Laboratory};
use yester_path::{Evaluator, Output, Recording};

/// Runs a C++ program, and checks that all it writes is told, with expressions that have the right values.
fn written(source: &str, input: &str) -> (Recording, Output, Laboratory) {
    let laboratory = Laboratory::with_language(source, "cc", &[]);
    let input = Input::stdin(input);
    let (result, recording) = laboratory.record(&input);
    let plain = laboratory.plain(&input);
    let output = recording.output().expect("it can be read");
    for (descriptor, real, expected) in [
        (1, &result.stdout, &plain.stdout),
        (2, &result.stderr, &plain.stderr),
    ] {
        let target = output.target(descriptor);
        let bytes = target.map(|target| output.bytes(target)).into_iter();
        let told: Vec<u8> = bytes.flatten().map(|byte| byte.value).collect();
        assert_eq!(
            String::from_utf8_lossy(&told),
            String::from_utf8_lossy(real)
        );
        assert_eq!(told, *expected);
    }
    let mut evaluator = Evaluator::new(&recording.graph);
    evaluator.compute_all(&recording.values());
    for target in 0..output.targets.len() {
        for byte in output.bytes(target) {
            if let Some(node) = byte.node {
                assert_eq!(evaluator.value(node), u64::from(byte.value));
            }
        }
    }
    (recording, output, laboratory)
}

/// What each line of the program wrote to a descriptor, with a mark behind each byte that depends on the input.
fn by_line(recording: &Recording, output: &Output, descriptor: u32) -> Vec<(u32, String)> {
    let target = output.target(descriptor).expect("something was written");
    let origins: Vec<_> = output.pieces.iter().map(|piece| piece.origin).collect();
    let places = recording.places(&origins).expect("events can be read");
    let mut lines: Vec<(u32, String)> = Vec::new();
    for byte in output.bytes(target) {
        let place = places[byte.piece].expect("a place");
        let function = recording
            .sites
            .function(place.function)
            .expect("a function");
        assert!(function.file.ends_with("program.cc"), "{function:?}");
        if lines.last().is_none_or(|(line, _)| *line != place.line) {
            lines.push((place.line, String::new()));
        }
        let text = &mut lines.last_mut().expect("it was added").1;
        text.push(char::from(byte.value));
        if byte.node.is_some() {
            text.push('\'');
        }
    }
    lines
}

#[test]
fn each_byte_has_its_expression_and_its_line() {
    let (recording, output, _laboratory) = written(
        "#include <iostream>
#include <sstream>
#include <string>
struct Point { int x, y; };
std::ostream &operator<<(std::ostream &out, const Point &point) {
  return out << '(' << point.x
             << ',' << point.y << ')'; }
int main() { std::string s; int n = 0; char c;
  std::cin >> n >> s >> c;
  std::cout << n;
  std::cout << \"a\" << s;
  std::cout << c << true << std::endl;
  std::cerr << s.c_str() << 7u;
  Point point = { n, 2 };
  std::cout << point;
  std::ostringstream out;
  out << n << s;
  std::cout << out.str() << '\\n';
  std::cout.put(c).write(s.data(), 1) << 2.5 << std::flush;
  std::clog << -5L << (unsigned long long)n;
  return 0; }",
        "42 xy z",
    );
    let line = |number: u32, text: &str| (number, text.to_owned());
    assert_eq!(
        by_line(&recording, &output, 1),
        [
            line(10, "4'2'"),
            line(11, "ax'y'"),
            line(12, "z'1\n"),
            line(6, "(4'2'"),
            line(7, ",2)"),
            line(18, "4'2'x'y'\n"),
            line(19, "z'x'2.5"),
        ]
    );
    assert_eq!(
        by_line(&recording, &output, 2),
        [line(13, "x'y'7"), line(20, "-54'2'")]
    );
    assert_eq!(recording.lost, []);
}

#[test]
fn how_long_a_text_is_belongs_to_its_layout() {
    let (recording, output, _) = written(
        "#include <iostream>
        #include <string>
        int main() { char b[8] = \"\"; std::cin.get(b[0]).get(b[1]).get(b[2]); std::cout << b; return 0; }",
        "abc",
    );
    // Writing tells nothing about the input.
    assert_eq!(recording.lost, []);
    let layout = output.pieces[0].layout.expect("a zero would end the text");
    let mut evaluator = Evaluator::new(&recording.graph);
    let mut values = recording.values();
    evaluator.compute_all(&values);
    assert_eq!(evaluator.value(layout), 1);
    let place = recording.input.iter().position(|byte| byte.offset == 1);
    values[place.expect("it was read")] = 0;
    evaluator.compute_all(&values);
    assert_eq!(evaluator.value(layout), 0);
}

#[test]
fn streams_write_what_they_write_without_yester() {
    let source = "#include <iostream>\n#include <sstream>\n#include <iomanip>\n#include <locale>\n#include <string>\n
        struct Grouped : std::numpunct<char> { std::string do_grouping() const { return \"\\3\"; } char do_thousands_sep() const { return '.'; } std::string do_truename() const { return \"ja\"; } };
        template<class T> void each(std::ostream &out, T value) {
          typedef std::ios_base I;
          I::fmtflags bases[] = { I::dec, I::hex, I::oct, I::fmtflags() }, sides[] = { I::left, I::right, I::internal, I::fmtflags() };
          I::fmtflags others[] = { I::fmtflags(), I::showpos, I::showbase | I::uppercase, I::boolalpha };
          for (I::fmtflags base : bases) for (I::fmtflags side : sides) for (I::fmtflags other : others) for (char fill : { ' ', '0', '*' }) for (int width : { 0, fill == '*' && base == I::hex ? 300 : 7 }) {
            out.flags(base | side | other); out << std::setfill(fill) << std::setw(width) << value << '|' << out.width();
          }
          out << '\\n';
        }
        void all(std::ostream &out, long n) {
          each(out, n); each(out, int(n)); each(out, short(n)); each(out, (unsigned short)n); each(out, unsigned(n)); each(out, (unsigned long)n); each(out, (long long)n);
          each(out, (unsigned long long)n); each(out, n > 0); each(out, 'c'); each(out, (signed char)'d'); each(out, \"text\"); each(out, std::string(\"string\")); each(out, n / 8.0); each(out, (const void *)n);
        }
        int main() {
          long n = 0; std::cin >> n;
          for (long value : { n, -1L - 9223372036854775807L }) all(std::cout, value); each(std::cout, 0); each(std::cout, -n);
          std::ostringstream text; all(text, n); std::cout << text.str().size() << text.str();
          std::cout.imbue(std::locale(std::locale(), new Grouped)); all(std::cout, n); std::cout.imbue(std::locale::classic());
          std::cout.flags(std::ios_base::dec); std::cout << (const char *)0 << std::cout.bad() << std::endl; std::cout.clear(); std::cout << std::cout.tellp() << std::ends;
          std::streambuf *before = std::cout.rdbuf(text.rdbuf()); std::cout << \"elsewhere\" << 5; std::cout.rdbuf(before); std::cout << text.str().substr(text.str().size() - 10);
          std::cout << \"one\" << std::unitbuf << 2; std::printf(\"three\"); std::cout << std::nounitbuf << 4 << std::endl;
        }";
    let laboratory = Laboratory::with_language(source, "cc", &[]);
    let input = Input::stdin("1234567");
    let (output, recording) = laboratory.record(&input);
    let plain = laboratory.plain(&input);
    assert_eq!(
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&plain.stdout)
    );
    assert!(output.stdout.len() > 100_000);
    let told = recording.output().expect("it can be read");
    let stdout = told.target(1).expect("something was written");
    let told: Vec<u8> = told.bytes(stdout).map(|byte| byte.value).collect();
    assert!(told == output.stdout, "not everything is told");
}

#[test]
fn streams_stay_followed_when_they_part_from_the_c_library() {
    let (recording, output, laboratory) = written(
        "#include <iostream>
int main() { std::ios_base::sync_with_stdio(false); std::cin.tie(nullptr);
  int n = 0; std::cin >> n;
  std::cout << n << '\\n';
  if (n == 77) std::cout << \"yes\";
  return 0; }",
        "42",
    );
    assert_eq!(by_line(&recording, &output, 1), [(4, "4'2'\n".to_owned())]);
    let found = laboratory.reach(&Input::stdin("42"), "yes");
    assert_eq!(found.expect("it is followed").stdin, b"77");
}
