#!/bin/sh
# An old version number can be compared with a new one.
PATH=/usr/bin:$PATH # a python3 that is a wrapper script takes longer to start than all the rest
PYTHONPATH=src:. timeout 10 python3 -P -S -B -W ignore -c '
import sys
from packaging.version import InvalidVersion, parse
if not parse("1.9") < parse("1.10"):
    sys.exit(125)
try:
    sys.exit(0 if parse("2004d") < parse("1.9") else 125)
except InvalidVersion as error:
    print(error, file=sys.stderr)
    sys.exit(10)'
case $? in
    0) exit 0 ;;
    10) exit 1 ;;
    *) exit 125 ;;
esac
