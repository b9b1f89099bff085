"""Systematic variations of an input that is text."""

import re


def of_text(entry):
    """Each line left out, each number one more and one less, each sign left out; in this order."""
    text = entry["stdin"]
    lines = text.splitlines(keepends=True)
    changed = ["".join(lines[:index] + lines[index + 1 :]) for index in range(len(lines))]
    for number in re.finditer(r"\d+", text):
        for other in (int(number[0]) + 1, int(number[0]) - 1):
            changed.append(text[: number.start()] + str(other) + text[number.end() :])
    for sign in re.finditer(r"[^\w\s]", text):
        changed.append(text[: sign.start()] + text[sign.end() :])
    for variant in changed:
        yield {**entry, "stdin": variant}
