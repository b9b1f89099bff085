"""C and C++ as far as the seeder needs them: tokens, functions, statements."""

import re
from dataclasses import dataclass, field

PATTERN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)|(?P<directive>^[ \t]*\#[^\n]*)|(?P<name>[A-Za-z_]\w*)
    |(?P<number>0[xX][0-9a-fA-F]+[uUlL]*|\d+\.?\d*(?:[eE][+-]?\d+)?[uUlL]*)
    |(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')
    |(?P<sign><<=|>>=|\.\.\.|->|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|::|[^\s\w])""",
    re.S | re.M | re.X,
)


@dataclass
class Token:
    kind: str
    text: str
    start: int

    @property
    def end(self):
        return self.start + len(self.text)


@dataclass
class Statement:
    """Tokens first to last (inclusive); `header` is the range inside the parentheses."""

    kind: str
    first: int
    last: int
    header: tuple = None
    body: "Statement" = None
    otherwise: "Statement" = None
    children: list = field(default_factory=list)

    def walk(self):
        yield self
        for child in [self.body, self.otherwise, *self.children]:
            if child is not None:
                yield from child.walk()


@dataclass
class Function:
    name: str
    parameters: int  # the token of the parenthesis
    body: Statement


class Source:
    def __init__(self, text):
        self.text = text
        everything = [Token(m.lastgroup, m[0], m.start()) for m in PATTERN.finditer(text)]
        self.directives = [token for token in everything if token.kind == "directive"]
        self.tokens = [t for t in everything if t.kind not in ("comment", "directive")]
        self.partner = self._brackets()
        self.functions = self._functions()

    def line(self, offset):
        return self.text.count("\n", 0, offset) + 1

    def column(self, offset):
        return offset - (self.text.rfind("\n", 0, offset) + 1) + 1

    def is_at(self, index, text):
        return 0 <= index < len(self.tokens) and self.tokens[index].text == text

    def _brackets(self):
        partner, open_ones = {}, []
        for index, token in enumerate(self.tokens):
            if token.text in ("(", "[", "{"):
                open_ones.append(index)
            elif token.text in (")", "]", "}"):
                start = open_ones.pop()
                partner[start], partner[index] = index, start
        return partner

    def _functions(self):
        functions, index = [], 0
        while index < len(self.tokens):
            if self.is_at(index, "{"):
                before = index - 1
                if self.is_at(before, "const"):
                    before -= 1
                if self.is_at(before, ")"):
                    start = self.partner[before]
                    body, after = self.statement(index)
                    functions.append(Function(self.tokens[start - 1].text, start, body))
                    index = after
                    continue
            index += 1
        return functions

    def statement(self, index):
        """The statement that starts at a token, and the token after it."""
        word = self.tokens[index].text
        if word == "{":
            block = Statement("block", index, self.partner[index])
            at = index + 1
            while at < self.partner[index]:
                child, at = self.statement(at)
                block.children.append(child)
            return block, self.partner[index] + 1
        if word in ("if", "while", "for", "switch"):
            close = self.partner[index + 1]
            body, after = self.statement(close + 1)
            found = Statement(word, index, after - 1, (index + 2, close - 1), body)
            if word == "if" and self.is_at(after, "else"):
                found.otherwise, after = self.statement(after + 1)
                found.last = after - 1
            return found, after
        if word == "do":
            body, after = self.statement(index + 1)
            close = self.partner[after + 1]
            return Statement("do", index, close + 1, (after + 2, close - 1), body), close + 2
        if word in ("case", "default"):
            at = index
            while not self.is_at(at, ":"):
                at += 1
            return Statement("case", index, at), at + 1
        at = index
        while not self.is_at(at, ";"):
            at = self.partner[at] + 1 if self.tokens[at].text in ("(", "[", "{") else at + 1
        kind = word if word in ("return", "break", "continue") else "plain"
        return Statement(kind, index, at), at + 1
