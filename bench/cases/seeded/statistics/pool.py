"""Series of measurements."""

from variation import of_text as variations  # noqa: F401

NATURAL = [
    {"arguments": arguments, "stdin": text}
    for arguments, text in [
        ([], "a: 1 2 3 4 5.5\n"),
        ([], "speed: 12.5 13 12.8 40 12.1 12.9\nheat: 20*3 21 22.5\n"),
        (["-w", "2"], "a: 4 3 2 1\nb: 7\nc:\n"),
        (["-t", "20"], "a: 1 2 3 4 100 6 7 8 9 -50\n"),
        (["-t", "50"], "a: 1 2 3 4 100 6 7 8 9 -50\n"),
        (["-w", "4", "-t", "0"], "n: 1 3 2 5 4 6 8 7\n"),
        ([], "no series\n: 1\nalongnamealongname: 1\nok: 1 x\nfine: 1 \n"),
        ([], "many: 1*101\n"),
        ([], "full: 1*50 2*50\n"),
        ([], "same: 5 5 5 5\nlow: -5 -7 -6\n"),
        (["-w", "0"], "a: 1\n"),
        (["-x", "0"], "a: 1\n"),
        (["-w"], "a: 1\n"),
        (["-t", "-1"], "a: 1\n"),
        ([], "down: 9 7.5 6 4.5 3\nzigzag: 1 9 1 9 1 9\n"),
        ([], "out: 1 1 1 1 1 1 1 1 1 50\ntwo: 0 0 0 0 0 0 0 90 -90 0\n"),
        ([], "tiny: 0.001 0.002 0.004\nbig: 1e6 2e6 1.5e6\n"),
        (["-w", "5"], "w: 2 4 6 8\nv: 2 4 6 8 10\n"),
        ([], "bins: 0 1 2 3 4 5 6 7 8 9 10\n"),
        (["-t", "25"], "t: 10 20 30 40\nu: 5 1 3\n"),
    ]
]
