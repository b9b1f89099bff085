#!/bin/sh
# A file that was clean is clean.
PATH=/usr/bin:$PATH # a python3 that is a wrapper script takes longer to start than all the rest
cd "$(dirname "$(readlink -f "$0")")" && exec timeout 20 python3 -B -W ignore "$OLDPWD/pycodestyle.py" stack.py
