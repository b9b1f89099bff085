//! Branches through the C++ library: strings and containers are instantiated in the program, and so followed.

use crate::laboratory::{Input, Laboratory};

fn turns(body: &str, input: Input) {
    let source = format!(
        "#include <cstdio>\n#include <string>\n#include <vector>\n#include <map>\n#include <set>\n#include <list>\n\
         #include <deque>\n#include <algorithm>\n#include <memory>\n#include <functional>\n\
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
    an_equal_string(Input::argument("cd")) "int main(int, char **v) { std::string s(v[1]); say(s == \"ab\"); }";
    two_strings(Input::stdin("abcd")) "int main() { std::string s, t; s += getchar(); s += getchar(); t += getchar(); t += getchar(); say(s == t); }";
    an_ordered_string(Input::stdin("ab")) "int main() { std::string s; s += getchar(); s += getchar(); say(s < \"Zz\"); }";
    a_part_of_a_string(Input::stdin("abc")) "int main() { std::string s; for (int i = 0; i < 3; i++) s.push_back(getchar()); std::string t = \"<\" + s.substr(1) + \">\"; say(t == \"<xy>\"); }";
    a_long_string(Input::stdin("a")) "int main() { std::string s(40, 'q'); s[33] = getchar(); std::string t = s; t += s; say(t[73] == 'k'); }";
    a_character_in_a_string(Input::stdin("abc")) "int main() { char b[4] = {}; fread(b, 1, 3, stdin); std::string s(b, 3); say(s.find('=') == 1); }";
    a_word_in_a_string(Input::stdin("abcde")) "int main() { char b[8] = {}; fread(b, 1, 5, stdin); std::string s(b, 5); say(s.find(\"key\") == 1); }";
    a_vector_of_numbers(Input::stdin("ab")) "int main() { std::vector<int> v; v.push_back(getchar()); v.push_back(getchar()); v.push_back(7); int s = 0; for (int x : v) s = s * 3 + x; say(s == ('x' * 3 + 'y') * 3 + 7); }";
    a_vector_of_strings(Input::stdin("ab")) "int main() { std::vector<std::string> v; for (int i = 0; i < 2; i++) v.emplace_back(1, (char)getchar()); say(v[1] == \"x\"); }";
    a_sorted_vector(Input::stdin("cab")) "int main() { std::vector<int> v; for (int i = 0; i < 3; i++) v.push_back(getchar()); std::sort(v.begin(), v.end()); say(v[0] == 'k'); }";
    a_key_of_a_map(Input::stdin("a")) "int main() { std::map<int, int> m; m['x'] = 1; m['y'] = 2; m['z'] = 3; auto found = m.find(getchar()); say(found != m.end() && found->second == 2); }";
    a_value_of_a_map(Input::stdin("ab")) "int main() { std::map<int, int> m; m[5] = getchar(); m[3] = getchar(); m[9] = 4; say(m[5] + m[3] == 'x' + 'y'); }";
    a_map_with_keys_of_the_input(Input::stdin("ab")) "int main() { std::map<int, int> m; for (int i = 0; i < 2; i++) m[getchar()]++; say(m.size() == 1); }";
    a_map_of_strings(Input::stdin("ab")) "int main() { std::map<std::string, int> m; m[\"ab\"] = 1; m[\"key\"] = 2; std::string s(1, (char)getchar()); s += getchar(); s += 'y'; say(m.count(s) > 0); }";
    a_set(Input::stdin("a")) "int main() { std::set<char> s = { 'q', 'r' }; say(s.count(getchar()) == 1); }";
    a_list(Input::stdin("ab")) "int main() { std::list<int> l; l.push_back(getchar()); l.push_front(getchar()); say(l.front() == 'x' && l.back() == 'y'); }";
    a_deque(Input::stdin("ab")) "int main() { std::deque<int> d; d.push_back(getchar()); d.push_front(getchar()); say(d[0] - d[1] == 5); }";
    an_object_behind_a_pointer(Input::stdin("a")) "struct shape { virtual int area(int) = 0; virtual ~shape() {} }; struct square : shape { int area(int a) override { return a * a; } };
        int main() { std::unique_ptr<shape> s = std::make_unique<square>(); say(s->area(getchar()) == 'x' * 'x'); }";
    a_lambda(Input::stdin("a")) "int main() { int c = getchar(); std::function<int(int)> f = [c](int x) { return c + x; }; say(f(3) == 'x' + 3); }";
    an_exception(Input::stdin("a")) "int main() { try { int c = getchar(); if (c == 'x') throw c; puts(\"no\"); } catch (int c) { say(c == 'x'); } }";
}
