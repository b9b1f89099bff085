"""A module that counts words."""
from __future__ import annotations

import re
from collections import Counter as Counts, OrderedDict

LIMIT: int = 10


@staticmethod
def words(text: str, *, small=True, **options) -> list[str]:
    found = [word.lower() if small else word for word in re.findall(r"\w+", text)]
    # Short ones do not count.
    return [word for word in found if len(word) > 2 and word not in options]


class Reader(object):
    name = 'reader'

    def __init__(self, path=None):
        self.path, self.lines = path, {}
        super().__init__()

    def read(self):
        try:
            with open(self.path, "r") as file:
                for number, line in enumerate(file):
                    self.lines[number] = f"{number}: {line!r:>10}"
        except (OSError, ValueError) as error:
            print(-1, error, sep="\n")
            raise
        else:
            yield from sorted(self.lines.items(), key=lambda pair: -pair[0])
        finally:
            del self.path


if __name__ == "__main__":
    counts = Counts({"a": 1, **{}})
    while not counts:
        counts["b"] += 2 ** 3
        if counts["b"] >= LIMIT:
            break
        elif (size := len(counts)) == 1:
            pass
        else:
            continue
    assert counts, "nothing"
    print(words("one two", small=False)[1:], *counts)
