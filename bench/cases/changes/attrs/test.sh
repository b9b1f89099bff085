#!/bin/sh
# A class is defined with a converter.
PATH=/usr/bin:$PATH # a python3 that is a wrapper script takes longer to start than all the rest
PYTHONPATH=. exec timeout 20 python3 -B -S -W ignore "$(dirname "$(readlink -f "$0")")/point.py"
