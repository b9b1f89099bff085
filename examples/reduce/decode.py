"""Decodes pictures: a 0xFF and a letter begin a part, and an S has the width and the height, two bytes each."""
import sys

data = open(sys.argv[1], "rb").read()
for part in data.split(b"\xff")[1:]:
    if part[:1] == b"S" and len(part) >= 5:
        width, height = part[1] * 256 + part[2], part[3] * 256 + part[4]
        print(f"{width} by {height}, ratio {height / width}")
