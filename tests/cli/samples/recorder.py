#!/usr/bin/env python3
"""Records its run as a program that yester-cc has built would: what small.c does, with its input from anywhere."""
import os
import struct
import sys

SITES = (
    "module\t0\tsmall.c\n"
    "function\tcheck\tsmall.c\t1\t1\nbranch\t\t2\t9\t\n"
    "function\tmain\tsmall.c\t5\t3\nbranch\t\t7\t11\t\nbranch\t\t9\t11\t\nswitch\t\t11\t5\t1,2\t0:1\n"
)
ENTER, RETURN, EXIT = 0xF8, 0xF9, 0xFC
CHECK, MAIN = 0, 1
INPUT, CONSTANT, NOT, EQUAL, LESS, EXTEND = 1, 2, 3, 18, 21, 25


class Recorder:
    def __init__(self):
        self.nodes = [(0, 0, 0, 0, 0)]
        self.constraints = []
        self.input = []
        self.events = b""
        self.source = os.environ.get("YESTER_SYMBOLIC")

    def node(self, *node):
        self.nodes.append((node + (0, 0, 0))[:5])
        return len(self.nodes) - 1

    def byte(self, offset, value):
        if not self.source:
            return 0
        self.input.append((offset, value))
        return self.node(EXTEND, 32, self.node(INPUT, 8, len(self.input) - 1))

    def compare(self, operation, value, number, holds):
        if not value:
            return 0
        found = self.node(operation, 1, value, self.node(CONSTANT, 32, number))
        return found if holds else self.node(NOT, 1, found)

    def constrain(self, node, kind=0):
        if node:
            self.constraints.append((len(self.events), node, kind))

    def branch(self, code, holds, node):
        self.constrain(node)
        self.events += bytes([code + holds])
        return holds

    def enter(self, function):
        self.events += struct.pack("<BI", ENTER, function)

    def leave(self):
        self.events += bytes([RETURN])

    def write(self, directory):
        os.mkdir(directory)

        def put(name, content):
            with open(os.path.join(directory, name), "wb") as file:
                file.write(content + bytes(64))

        lost = b"sprintf\tmain\n" if "--lossy" in sys.argv else b""
        words = [0] * 512
        words[:10] = [
            0x3152545345590001, os.getpid(), 0, len(self.nodes), len(self.constraints), len(self.input), len(SITES),
            len(lost), 1, len(self.events),
        ]
        put("sites", SITES.encode())
        put("lost", lost)
        put("events-0", b"")
        put("window-0", bytes(16) + self.events + b"\xff")
        put("nodes", b"".join(struct.pack("<BBHIII", op, 0, width, a, b, c) for op, width, a, b, c in self.nodes))
        put("constraints", b"".join(struct.pack("<QIIII", at, node, kind, 0, 0) for at, node, kind in self.constraints))
        put("input", b"".join(struct.pack("<QIBBBB", at, 0, value, 0, 0, 0) for at, value in self.input))
        put("sources", (self.source + "\n").encode() if self.source else b"")
        put("head", struct.pack("<512Q", *words))


def read():
    for flag, number in [("--file", 1), ("--arg", 1)]:
        if flag in sys.argv:
            given = sys.argv[sys.argv.index(flag) + number]
            return open(given, "rb").read() if flag == "--file" else os.fsencode(given)
    return sys.stdin.buffer.read()


def main():
    recorder = Recorder()
    data = read() + bytes(2)
    print("a program with an output of its own")
    a, b = recorder.byte(0, data[0]), recorder.byte(1, data[1])
    recorder.enter(MAIN)
    is_a = "--deaf" in sys.argv or data[0] == ord("a")
    if recorder.branch(0, is_a, recorder.compare(EQUAL, a, ord("a"), is_a)):
        recorder.enter(CHECK)
        if "--concrete" in sys.argv:
            recorder.constrain(recorder.compare(EQUAL, b, data[1], True), 1)
        is_less = data[1] < 10
        recorder.branch(0, is_less, recorder.compare(LESS, b, 10, is_less))
        recorder.leave()
    is_b = "--deaf" not in sys.argv and data[0] == ord("b")
    recorder.branch(2, is_b, recorder.compare(EQUAL, a, ord("b"), is_b))
    case = data[1] if data[1] in (1, 2) else 0
    recorder.branch(4, case, 0)
    for _ in range(2000 if "--long" in sys.argv else 0):
        recorder.branch(4, 2, 0)
    recorder.leave()
    recorder.events += bytes([EXIT, 3])
    if "YESTER_RECORD" in os.environ:
        recorder.write(os.environ["YESTER_RECORD"] + "/0")
    if "--hang" in sys.argv:
        import time
        time.sleep(1000)
    sys.exit(3)


main()
