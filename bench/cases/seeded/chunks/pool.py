"""Pictures as lists of chunks; the file is made from them, with the right checksums."""

import zlib

HEAD = ("HEAD", bytes([0, 4, 0, 3, 2, 1]))
GREY = ("HEAD", bytes([0, 5, 0, 2, 4, 0]))
COLORS = ("COLR", bytes([0, 0, 0, 255, 255, 255, 200, 30, 10]))
DATA = ("DATA", bytes([5, 0, 4, 1, 3, 2]))
NOTE = ("NOTE", b"author\0somebody")
DONE = ("DONE", b"")


def render(chunks, start=b"PIXC\1", end=b""):
    content = start
    for name, payload in chunks:
        body = name.encode() + len(payload).to_bytes(2, "big") + payload
        content += body + zlib.crc32(body).to_bytes(4, "big")
    return {"arguments": ["{file}"], "file": content + end}


PICTURES = [
    [HEAD, COLORS, DATA, DONE],
    [HEAD, NOTE, COLORS, DATA, DONE],
    [GREY, ("DATA", bytes([3, 0, 3, 15, 4, 7])), DONE],
    [GREY, ("DATA", bytes([3, 1])), ("note", b"x"), ("DATA", bytes([7, 14])), NOTE, DONE],
    [HEAD, ("COLR", bytes(range(12))), ("DATA", bytes([12, 3])), DONE],
    [HEAD, ("COLR", bytes(range(15))), ("DATA", bytes([12, 3])), DONE],
    [HEAD, COLORS, ("DATA", bytes([5, 0, 4, 3, 3, 2])), DONE],
    [HEAD, COLORS, ("DATA", bytes([5, 0, 4, 4, 3, 2])), DONE],
    [HEAD, DATA, DONE],
    [HEAD, COLORS, COLORS, DATA, DONE],
    [HEAD, COLORS, DATA, COLORS, DONE],
    [HEAD, HEAD, COLORS, DATA, DONE],
    [HEAD, COLORS, ("DATA", bytes([5, 0, 4, 1, 3, 2, 1, 0])), DONE],
    [HEAD, COLORS, ("DATA", bytes([5, 0, 0, 1, 3, 2])), DONE],
    [HEAD, COLORS, ("DATA", bytes([5, 0, 4, 1, 2, 2])), DONE],
    [HEAD, COLORS, ("DATA", bytes([5, 0, 4, 1, 3, 2, 9])), DONE],
    [HEAD, COLORS, DATA, ("DONE", b"!")],
    [GREY, COLORS, DONE],
    [GREY, ("DATA", bytes([10, 16])), DONE],
    [("HEAD", bytes([0, 4, 0, 0, 2, 0])), DONE],
    [("HEAD", bytes([0, 0, 0, 4, 2, 0])), DONE],
    [("HEAD", bytes([0, 4, 0, 1, 3, 0])), DONE],
    [("HEAD", bytes([0, 4, 0, 1, 8, 2])), DONE],
    [("HEAD", bytes([0, 4, 0, 1, 8])), DONE],
    [("HEAD", bytes([1, 4, 0, 1, 8, 0])), ("DATA", bytes([250, 255, 10, 128])), DONE],
    [("HEAD", bytes([0, 8, 0, 1, 1, 0])), ("DATA", bytes([3, 1, 5, 0])), DONE],
    [NOTE, HEAD, COLORS, DATA, DONE],
    [GREY, ("NOTE", b"key"), DONE],
    [GREY, ("NOTE", b"\0text"), DONE],
    [GREY, ("NOTE", b"exactly fifteen\0text"), ("NOTE", b"more"), DONE],
    [GREY, ("NOTE", b"longer than fifteen\0text"), DONE],
    [GREY, ("NOTE", b"key\0"), ("DATA", bytes([10, 5])), DONE],
    [HEAD, ("COLR", b""), DATA, DONE],
    [HEAD, ("COLR", bytes([1, 2, 3, 4])), DATA, DONE],
    [GREY, ("WHAT", b"ever"), DONE],
    [GREY, ("Zone", b"4"), DONE],
    [],
]

NATURAL = [render(picture) for picture in PICTURES] + [
    render(PICTURES[0], end=b"tail"),
    render(PICTURES[2], start=b"PIXC\2"),
    render(PICTURES[2], start=b"PIXC\3"),
    render(PICTURES[2], start=b"PIXD\1"),
    {"arguments": ["{file}"], "file": b"PIXC"},
    {"arguments": ["{file}"], "file": b""},
    {"arguments": []},
]


def variations(entry):
    """Each byte changed by one, the file cut at each place."""
    content = entry.get("file", b"")
    for index, byte in enumerate(content):
        changed = content[:index] + bytes([byte ^ 1]) + content[index + 1 :]
        yield {"arguments": ["{file}"], "file": changed}
        yield {"arguments": ["{file}"], "file": content[:index]}
