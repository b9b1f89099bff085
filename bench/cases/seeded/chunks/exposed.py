"""Faults that are in both versions and show only after a change."""

import zlib


def render(*chunks):
    content = b"PIXC\1"
    for name, payload in chunks:
        body = name + len(payload).to_bytes(2, "big") + payload
        content += body + zlib.crc32(body).to_bytes(4, "big")
    return {"arguments": ["{file}"], "file": content}


HEAD = (b"HEAD", bytes([0, 3, 0, 2, 2, 1]))
COLORS = (b"COLR", bytes([10, 20, 30, 90, 80, 70]))

EXPOSED = [
    {
        "change": "one-check",
        # The caller had checked already.
        "before": "    if (index >= picture->color_count) {\n        return NULL;",
        "after": "    if (index > picture->color_count) {\n        return NULL;",
        "input": render(HEAD, COLORS, (b"DATA", bytes([4, 1, 2, 2])), (b"DONE", b"")),
    },
    {
        "change": "checksum-in-parts",
        # It was always called with 0.
        "before": "    crc ^= 0xFFFFFFFFUL;\n    for",
        "after": "    crc = 0xFFFFFFFFUL;\n    for",
        "input": render(HEAD, COLORS, (b"DATA", bytes([4, 1, 2, 0])), (b"DONE", b"")),
    },
]
