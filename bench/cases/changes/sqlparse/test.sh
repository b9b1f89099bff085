#!/bin/sh
# A statement without its comment has single spaces.
PATH=/usr/bin:$PATH # a python3 that is a wrapper script takes longer to start than all the rest
PYTHONPATH=. exec timeout 20 python3 -B "$(dirname "$(readlink -f "$0")")/test_comments.py"
