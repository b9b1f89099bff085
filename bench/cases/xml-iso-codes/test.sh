#!/bin/sh
# Two entries have the same name and different codes.
PATH=/usr/bin:$PATH # a python3 that is a wrapper script takes longer to start than all the rest
exec timeout 5 python3 -I -S -B -c '
import sys
import xml.etree.ElementTree
codes = {}
for entry in xml.etree.ElementTree.parse(sys.argv[1]).iter():
    name, code = entry.get("name"), entry.get("code")
    if name and code and codes.setdefault(name, code) != code:
        sys.exit(0)
sys.exit(1)' "$1" > /dev/null 2>&1
