"""All places of all kinds of faults, by the rule of README.md."""

import hashlib
import re
from dataclasses import dataclass

from scan import Source

KINDS = [
    "tightened",
    "loosened",
    "constant",
    "variable",
    "index",
    "operator",
    "table",
    "missing-statement",
    "missing-guard",
    "missing-branch",
    "missing-call",
]

TIGHTER = {">=": ">", "<=": "<"}
LOOSER = {">": ">=", "<": "<="}
SWAPPED = {"+": "-", "-": "+", "*": "/", "/": "*", "%": "/", "&": "|", "|": "&", "<<": ">>", ">>": "<<"}
SWAPPED |= {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "%=": "/=", "|=": "&="}
ASSIGNMENTS = ("=", "+=", "-=", "*=", "/=", "%=", "|=", "&=", "^=", "<<=", ">>=")
NOT_A_TYPE = ("return", "else", "case", "goto", "sizeof", "break", "continue")


def digest(*words):
    return hashlib.sha256(":".join(map(str, words)).encode()).hexdigest()


@dataclass
class Place:
    kind: str
    function: str
    start: int
    end: int
    after: str
    old_lines: list  # the lines of the right text that are wrong or missing
    key: str = ""

    @property
    def is_missing(self):
        return self.kind.startswith("missing-")


class Enumeration:
    def __init__(self, program, source):
        self.program = program
        self.source = source
        self.tokens = source.tokens
        self.places = []
        self.fields = self._fields()
        self.own = {function.name for function in source.functions}
        self.enumerators = self._enumerators()
        for function in source.functions:
            self._in_function(function)
        self._in_tables()
        seen = {}
        for place in self.places:
            before = source.text[place.start : place.end]
            words = (program, place.kind, place.function, before, place.after)
            seen[words] = seen.get(words, 0) + 1
            place.key = digest(*words, seen[words])

    def _add(self, kind, function, start, end, after, lines=None):
        source = self.source
        if lines is None:
            lines = [source.line(start)]
        self.places.append(Place(kind, function, start, end, after, lines))

    def _by_hash(self, token, choices):
        """One of some choices, by nothing but the program and the place."""
        return choices[int(digest(self.program, token.text, token.start), 16) % len(choices)]

    def _fields(self):
        """For each field, its type and structure."""
        fields = {}
        for match in re.finditer(r"struct (\w+) \{(.*?)\n\}", self.source.text, re.S):
            body = re.sub(r"/\*.*?\*/|//[^\n]*", "", match[2], flags=re.S)
            for line in re.finditer(r"([\w: <>]+?[ *]+)(\w[^;()]*);", body):
                for name in line[2].split(","):
                    shape = re.sub(r"=.*", "", name).strip()
                    word = re.match(r"\*?(\w+)", shape)
                    if word:
                        rest = shape.replace(word[1], "")
                        fields[word[1]] = (match[1], line[1].strip() + rest)
        return fields

    def _enumerators(self):
        following = {}
        for match in re.finditer(r"enum \w+ \{([^}]*)\}", self.source.text):
            names = [name.strip() for name in match[1].split(",")]
            for index, name in enumerate(names):
                following[name] = names[(index + 1) % len(names)]
        return following

    def _locals(self, function):
        """The parameters and local variables of a function by type."""
        kinds = {}
        index = function.parameters + 1
        while index < function.body.last:
            token, previous = self.tokens[index], self.tokens[index - 1]
            is_declared = self.tokens[index + 1].text in (",", ";", "=", ")", "[")
            if token.kind == "name" and is_declared:
                back = index - 1
                while self.tokens[back].text in ("*", "&"):
                    back -= 1
                before = self.tokens[back]
                if previous.text == "," and before.text == "," and index > function.body.first:
                    kind = self._list_type(index)
                elif before.kind == "name" and before.text not in NOT_A_TYPE:
                    kind = "".join(t.text for t in self.tokens[back : index])
                else:
                    kind = None
                if kind and self.tokens[index + 1].text == "[":
                    kind += "[]"
                if kind and token.text not in kinds:
                    kinds[token.text] = kind
            index += 1
        return kinds

    def _list_type(self, index):
        """The type of a name in `int a, b;`, or None in a call."""
        back = index - 1
        while self.tokens[back].text not in (";", "{", "}", "("):
            back = self.source.partner[back] - 1 if self.tokens[back].text in (")", "]") else back - 1
        first, second = self.tokens[back + 1], self.tokens[back + 2]
        if self.tokens[back].text == "(" or first.kind != "name" or second.kind != "name":
            return None
        return first.text

    def _in_function(self, function):
        kinds = self._locals(function)
        statements = list(function.body.walk())
        loops = [s.header for s in statements if s.kind in ("for", "while", "do")]
        conditions = [s.header for s in statements if s.kind in ("if", "while", "do")]
        name = function.name
        for first, last in conditions:
            self._operands(name, first, last)
        for index in range(function.body.first + 1, function.body.last):
            in_loop = any(first <= index <= last for first, last in loops)
            self._token(name, index, in_loop)
        for statement in statements:
            self._statement(name, statement, kinds)

    def _token(self, function, index, in_loop):
        token, before = self.tokens[index], self.tokens[index - 1]
        is_binary = before.kind in ("name", "number", "string") or before.text in (")", "]")
        text = token.text
        if text in TIGHTER or text in LOOSER:
            other = TIGHTER.get(text) or LOOSER[text]
            kind = "index" if in_loop else "tightened" if text in TIGHTER else "loosened"
            self._add(kind, function, token.start, token.end, other)
        elif text in SWAPPED and is_binary:
            self._add("operator", function, token.start, token.end, SWAPPED[text])
        elif token.kind == "number" and not in_loop and before.text not in ("[", "case"):
            self._add("constant", function, token.start, token.end, self._number(token))
        elif text in self.enumerators and before.text != "case":
            self._add("constant", function, token.start, token.end, self.enumerators[text])
        elif text == "[" and before.kind == "name" and self.tokens[index - 2].kind != "name":
            close = self.tokens[self.source.partner[index]]
            self._add("index", function, close.start, close.start, self._by_hash(token, [" + 1", " - 1"]))

    def _number(self, token):
        digits = re.match(r"(0[xX][0-9a-fA-F]+|[\d.eE+-]+)([uUlL]*)", token.text)
        change = self._by_hash(token, [1, -1])
        if "x" in digits[1].lower():
            return hex(int(digits[1], 16) + change) + digits[2]
        if re.fullmatch(r"\d+", digits[1]):
            return str(int(digits[1]) + change) + digits[2]
        return str(float(digits[1]) + change)

    def _operands(self, function, first, last):
        """Operands of `||` and `&&` that can be left out of a condition, at each depth."""
        groups, index = [(first, last)], first
        while index <= last:
            if self.tokens[index].text == "(" and self.tokens[index - 1].kind != "name":
                groups.append((index + 1, self.source.partner[index] - 1))
            index += 1
        for start, end in groups:
            alternatives = self._split(start, end, "||")
            self._leave_out("tightened", function, alternatives)
            for a, b in alternatives:
                self._leave_out("loosened", function, self._split(a, b, "&&"))

    def _split(self, first, last, sign):
        parts, start, index = [], first, first
        while index <= last:
            text = self.tokens[index].text
            if text in ("(", "["):
                index = self.source.partner[index]
            elif text == sign:
                parts.append((start, index - 1))
                start = index + 1
            index += 1
        return parts + [(start, last)]

    def _leave_out(self, kind, function, parts):
        if len(parts) < 2:
            return
        for position, (first, last) in enumerate(parts):
            if position == 0:
                start, end = self.tokens[first].start, self.tokens[last + 2].start
            else:
                start, end = self.tokens[first - 2].end, self.tokens[last].end
            lines = range(self.source.line(self.tokens[first].start), self.source.line(self.tokens[last].start) + 1)
            self._add(kind, function, start, end, "", list(lines))

    def _statement(self, function, statement, kinds):
        tokens = self.tokens
        words = [token.text for token in tokens[statement.first : statement.last + 1]]
        if statement.kind == "plain":
            depth_free = self._outside_brackets(statement)
            assigned = [i for i in depth_free if tokens[i].text in ASSIGNMENTS]
            is_declaration = tokens[statement.first].kind == "name" and (
                tokens[statement.first + 1].kind == "name" or words[0] == "const" or words[1] == "::"
            ) or (words[1] in ("*", "&") and tokens[statement.first + 2].kind == "name")
            if assigned:
                self._variables(function, assigned[0] + 1, statement.last, kinds)
            if is_declaration:
                return
            if assigned or "++" in words or "--" in words:
                self._remove("missing-statement", function, statement.first, statement.last)
            elif self._is_own_call(statement):
                self._remove("missing-call", function, statement.first, statement.last)
        elif statement.kind in ("break", "continue"):
            self._remove("missing-statement", function, statement.first, statement.last)
        elif statement.kind == "if":
            self._guard(function, statement)
            self._branch(function, statement)
        elif statement.kind == "switch":
            self._cases(function, statement)

    def _outside_brackets(self, statement):
        index, found = statement.first, []
        while index <= statement.last:
            if self.tokens[index].text in ("(", "[", "{"):
                index = self.source.partner[index]
            found.append(index)
            index += 1
        return found

    def _is_own_call(self, statement):
        open_at = next((i for i in self._outside_brackets(statement) if self.tokens[i].text == ")"), None)
        if open_at is None or open_at + 1 != statement.last:
            return False
        return self.tokens[self.source.partner[open_at] - 1].text in self.own

    def _variables(self, function, first, last, kinds):
        for index in range(first, last):
            token, before, after = self.tokens[index], self.tokens[index - 1], self.tokens[index + 1]
            if token.kind != "name" or after.text == "(":
                continue
            if before.text in (".", "->"):
                if token.text not in self.fields:
                    continue
                own = self.fields[token.text]
                others = [name for name, kind in self.fields.items() if kind == own and name != token.text]
            elif token.text in kinds:
                own = kinds[token.text]
                others = [name for name, kind in kinds.items() if kind == own and name != token.text]
            else:
                continue
            for other in others:
                self._add("variable", function, token.start, token.end, other)

    def _lines(self, start, end):
        """The lines of a removed text that say something."""
        text = self.source.text
        first = self.source.line(start)
        lines = enumerate(text[start:end].split("\n"), first)
        return [number for number, line in lines if re.search(r"\w", line)]

    def _remove(self, kind, function, first, last):
        text = self.source.text
        start, end = self.tokens[first].start, self.tokens[last].end
        lines = self._lines(start, end)
        begin = text.rfind("\n", 0, start) + 1
        finish = text.index("\n", end)
        if not text[begin:start].strip() and not text[end:finish].strip():
            start, end = begin, finish + 1
        self._add(kind, function, start, end, "", lines)

    def _guard(self, function, statement):
        tokens, text = self.tokens, self.source.text
        if statement.otherwise is not None or statement.body.kind != "block" or not statement.body.children:
            return
        if self.source.is_at(statement.first - 1, "else"):
            return
        if statement.body.children[-1].kind in ("return", "break", "continue"):
            self._remove("missing-guard", function, statement.first, statement.last)
            return
        start = text.rfind("\n", 0, tokens[statement.first].start) + 1
        end = text.index("\n", tokens[statement.last].end) + 1
        inner = text[tokens[statement.body.first].end + 1 : tokens[statement.body.last].start]
        kept = [line[4:] if line.startswith("    ") else line for line in inner.rstrip(" ").split("\n")]
        header = self._lines(tokens[statement.first].start, tokens[statement.body.first].start)
        self._add("missing-guard", function, start, end, "\n".join(kept), header)

    def _branch(self, function, statement):
        other = statement.otherwise
        if other is None or statement.body.kind != "block":
            return
        start = self.tokens[statement.body.last].end
        end = self.tokens[other.body.last if other.kind == "if" else other.last].end
        self._add("missing-branch", function, start, end, "", self._lines(start, end))

    def _cases(self, function, statement):
        children = statement.body.children
        starts = [i for i, child in enumerate(children) if child.kind == "case"]
        groups = [i for i in starts if i == 0 or children[i - 1].kind != "case"]
        for position, index in enumerate(groups):
            end = groups[position + 1] if position + 1 < len(groups) else len(children)
            self._remove("missing-branch", function, children[index].first, children[end - 1].last)

    def _in_tables(self):
        spans = [(f.parameters, f.body.last) for f in self.source.functions]
        for index, token in enumerate(self.tokens):
            is_inside = any(first <= index <= last for first, last in spans)
            if token.kind == "number" and not is_inside:
                self._add("table", "-", token.start, token.end, self._number(token))
        for directive in self.source.directives:
            number = re.fullmatch(r"(#define \w+ )(\d+)", directive.text)
            if number:
                start = directive.start + len(number[1])
                other = str(int(number[2]) + self._by_hash(directive, [1, -1]))
                self._add("table", "-", start, directive.end, other)


def places(program, text):
    return Enumeration(program, Source(text)).places
