"""Real programs of bench/programs with their own tests, and faults in them by the rule of bench/cases/seeded."""

import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE.parent / "seeded"))

import mutation
from mutation import KINDS, digest
from scan import Function, Source

COLUMNS = ["program", "kind", "function", "file", "line", "key"]
SECONDS = 20  # for a test of a faulty version
FAULTS = 2  # of different kinds, for each program


@dataclass
class Project:
    name: str
    package: str  # in Debian's archive
    configure: str  # for a shell in the tree, with CC set; may be empty
    make: str  # the same, after that, and again after every change
    test: list
    sources: list  # what the tested program is made of, without its tests
    files: dict  # what the test needs and the archive has not

    @property
    def build(self):
        return f"{self.configure} && {self.make}" if self.configure else self.make


LUA = """\
local function fib(n) if n < 2 then return n end return fib(n - 1) + fib(n - 2) end
local text = {}
for i = 1, 500 do text[#text + 1] = ("%d:%s:%.3f"):format(i, ("x"):rep(i % 7), i / 3) end
table.sort(text)
local joined = table.concat(text, ","):gsub("%d+", function(n) return n % 10 end)
local ok, message = pcall(function() error({ code = fib(15) }) end)
local co = coroutine.wrap(function() for i = 1, 5 do coroutine.yield(i * i) end end)
print(#joined, ok, message.code, co(), co(), co(), select("#", table.unpack(text)), utf8.char(228, 8364), 7 // 2, 1 << 40)
print(string.pack("<i4z", 77, "ab"):byte(1, -1))
print(load("local a <const> = 4; return a * 2")(), pcall(load, "x ="))
collectgarbage()
"""
# What the released version prints.
LUA_EXPECTED = """\
4996\tfalse\t610\t1\t4\t9\t500\t\u00e4\u20ac\t3\t1099511627776
77\t0\t0\t0\t97\t98\t0
8\ttrue\tnil\t[string "x ="]:1: unexpected symbol near <eof>
"""

PROJECTS = [
    Project(
        "lua",
        "lua5.4",
        "",
        'make -C src linux CC="$CC -std=gnu99"',
        ["sh", "yester-test.sh"],
        ["src/l*.c", "!src/luac.c"],
        {
            "yester.lua": LUA,
            "yester.expected": LUA_EXPECTED,
            "yester-test.sh": "src/lua yester.lua > yester.printed && cmp yester.printed yester.expected\n",
        },
    ),
    Project(
        "bzip2",
        "bzip2",
        "",
        'make CC="$CC" bzip2',
        ["make", "test"],
        ["blocksort.c", "huffman.c", "compress.c", "decompress.c", "bzlib.c", "bzip2.c"],
        {},
    ),
    Project(
        "zlib",
        "zlib",
        "./configure --static",
        "make",
        ["make", "test"],
        ["*.c", "test/minigzip.c"],
        {},
    ),
    Project(
        "libpng",
        "libpng1.6",
        "./configure --disable-shared",
        "make pngtest",
        ["./pngtest", "pngtest.png"],
        ["png*.c", "!pngtest.c"],
        {},
    ),
]


def place():
    return Path(os.environ.get("YESTER_BENCH_PROGRAMS") or ROOT / "target/bench-programs")


class RealSource(Source):
    """Strangers' code: macros of several lines, alternatives of the preprocessor, parameters as Kernighan and Ritchie wrote them."""

    def __init__(self, text):
        super().__init__(plain(text))

    def _brackets(self):
        partner, open_ones = {}, []
        for index, token in enumerate(self.tokens):
            if token.text in ("(", "[", "{"):
                open_ones.append(index)
            elif token.text in (")", "]", "}") and open_ones:
                start = open_ones.pop()
                partner[start], partner[index] = index, start
        return partner

    def _functions(self):
        functions, index = [], 0
        while index < len(self.tokens):
            before = index - 1
            if self.is_at(index, "{") and self.is_at(before, ")") and before in self.partner:
                try:
                    body, index = self.statement(index)
                    start = self.partner[before]
                    functions.append(Function(self.tokens[start - 1].text, start, body))
                    continue
                except (IndexError, KeyError):
                    # A macro makes it something else than it looks like.
                    index = self.partner.get(index, index)
            index += 1
        return functions


class RealEnumeration(mutation.Enumeration):
    """Statements that are a macro or nothing at all have no places."""

    def _statement(self, function, statement, kinds):
        try:
            super()._statement(function, statement, kinds)
        except (IndexError, KeyError):
            pass


def blank(text):
    return re.sub(r"[^\n]", " ", text)


def plain(text):
    """The text with blanks for all directives and for all alternatives but the first; everything stays where it is."""
    lines, taken, in_directive = [], [], False
    for line in text.split("\n"):
        word = re.match(r"\s*#\s*(\w*)\s*(\w*)", line)
        if in_directive or word:
            in_directive = line.endswith("\\")
            lines.append(blank(line))
        else:
            lines.append(line if all(is_kept for is_kept, _ in taken) else blank(line))
            continue
        if not word:
            continue
        # Whether this alternative is kept, and whether one was.
        if word[1] in ("if", "ifdef", "ifndef"):
            taken.append((word[2] != "0",) * 2)
        elif word[1] in ("else", "elif") and taken:
            taken[-1] = (not taken[-1][1], True)
        elif word[1] == "endif" and taken:
            taken.pop()
    whole = "\n".join(lines)
    old_style = re.compile(r"(?<=\))(\s*\n(?:[ \t]+[\w \t*,\[\]]+;[^\n]*\n)+)(?=\{)")
    return old_style.sub(lambda match: blank(match[1]), whole)


def unpack(project, directory):
    """The tree as it was released, with what the test needs."""
    sources = place() / "sources"
    archives = list(sources.glob(f"{project.package}_*.orig.tar.*")) if sources.exists() else []
    if not archives:
        subprocess.run([ROOT / "bench/programs", "--fetch", project.name], check=True)
        archives = list(sources.glob(f"{project.package}_*.orig.tar.*"))
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    subprocess.run(["tar", "xf", archives[0], "-C", directory, "--strip-components", "1"], check=True)
    for name, text in project.files.items():
        (directory / name).write_text(text)
    return directory


def built(line, directory, compiler):
    """Whether a tree can be built by a line for the shell."""
    done = subprocess.run(
        ["sh", "-c", line],
        cwd=directory,
        env={**os.environ, "CC": compiler},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    return done.returncode == 0


def passes(project, directory, compiler):
    """Whether the test of a tree that was built passes; None if it takes too long."""
    process = subprocess.Popen(
        project.test,
        cwd=directory,
        env={**os.environ, "CC": compiler},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    try:
        return process.wait(SECONDS) == 0
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        return None


def read(path):
    return path.read_bytes().decode("latin-1")


def write(path, text):
    path.write_bytes(text.encode("latin-1"))


def places_in(project, tree, name):
    """All places of a file."""
    source = RealSource(read(tree / name))
    return RealEnumeration(f"{project.name}:{name}", source).places


def rows():
    """The faults of faults.tsv. They have the key of a place and not its text, which is not ours."""
    lines = (HERE / "faults.tsv").read_text().splitlines()
    assert lines[0].split("\t") == COLUMNS
    return [dict(zip(COLUMNS, line.split("\t"))) for line in lines[1:]]


def put(project, row, tree):
    """Puts a fault into a tree; gives the lines that are wrong then."""
    found = [place for place in places_in(project, tree, row["file"]) if place.key == row["key"]]
    assert len(found) == 1, f"{row['file']} has no place {row['key']}"
    text = read(tree / row["file"])
    write(tree / row["file"], text[: found[0].start] + found[0].after + text[found[0].end :])
    return new_lines(text, found[0])


def says_something(line):
    return re.search(r"\w", line.replace("else", "")) is not None


def new_lines(text, place):
    """The wrong lines of the faulty text, or, where code is missing, what says something next to the gap."""
    faulty = text[: place.start] + place.after + text[place.end :]
    line = text.count("\n", 0, place.start) + 1
    if not place.is_missing:
        return list(range(line, line + place.after.count("\n") + 1))
    lines = faulty.split("\n")
    column = place.start - (text.rfind("\n", 0, place.start) + 1)
    before = line if says_something(lines[line - 1][:column]) else line - 1
    after = line if says_something(lines[line - 1][column:]) else line + 1
    while before > 1 and not says_something(lines[before - 1]):
        before -= 1
    while after < len(lines) and not says_something(lines[after - 1]):
        after += 1
    return sorted({before, after})
