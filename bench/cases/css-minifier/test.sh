#!/bin/sh
# A sum in calc() has its blanks, all brackets are closed, and what the minifier makes of it has lost the blanks.
PATH=/usr/bin:$PATH # a python3 that is a wrapper script takes longer to start than all the rest
exec timeout 5 python3 -I -S -B -c '
import re, sys
sys.path.insert(0, sys.argv[1])
from cssmin import cssmin
with open(sys.argv[2], encoding="utf-8") as source:
    text = source.read()
bare = re.sub(r"/\*.*?\*/|\"[^\"]*\"", "", text, flags=re.S)
open_brackets = []
for sign in re.findall(r"[][(){}]", bare):
    if sign in "([{":
        open_brackets.append(sign)
    elif not open_brackets or open_brackets.pop() + sign not in ("()", "[]", "{}"):
        sys.exit(1)
declaration = r"\{(?:[^{}]*;)?\s*[a-z-]+\s*:[^{};]*calc\([0-9.]+[a-z]+%s[0-9.]+[a-z]+\)"
had = re.search(declaration % r" \+ ", bare)
sys.exit(0 if not open_brackets and had and re.search(declaration % r"\+", cssmin(text)) else 1)' "$(dirname "$0")" "$1" > /dev/null 2>&1
