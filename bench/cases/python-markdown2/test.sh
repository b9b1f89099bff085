#!/bin/sh
# In safe mode a script is escaped, but a tag with another one inside is not (CVE-2018-5773).
PATH=/usr/bin:$PATH # a python3 that is a wrapper script takes longer to start than all the rest
exec timeout 5 python3 -I -S -B -c '
import sys
module = {"__name__": "markdown2"}
with open(sys.argv[1], encoding="utf-8") as source:
    exec(compile(source.read(), "markdown2.py", "exec"), module)
def safe(text):
    return module["markdown"](text, safe_mode="escape")
good = "&lt;script&gt;" in safe("<script>alert(1)</script>") and "<em>b</em>" in safe("a *b*")
leaked = safe("<http://g<!s://q?<!-<[<script>alert(1);/\\*](http://g)->a><http://g<!s://g.c?<!-<[a\\*](http://g)->a>")
sys.exit(0 if good and "<http://g<!s:" in leaked else 1)' "$1" > /dev/null 2>&1
