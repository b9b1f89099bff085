#!/bin/sh
# The module can be imported as Jinja does it.
PATH=/usr/bin:$PATH # a python3 that is a wrapper script takes longer to start than all the rest
PYTHONPATH=src timeout 10 python3 -P -S -B -W ignore -c '
import sys
from markupsafe import Markup, escape
if escape("<a>") != Markup("&lt;a&gt;"):
    sys.exit(125)
try:
    from markupsafe import soft_unicode
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(10)
sys.exit(0 if soft_unicode(1) == "1" else 125)'
case $? in
    0) exit 0 ;;
    10) exit 1 ;;
    *) exit 125 ;;
esac
