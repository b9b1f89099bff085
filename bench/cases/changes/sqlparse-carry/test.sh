#!/bin/sh
# Each value of a row has a line, by a test that only the newest version has.
PATH=/usr/bin:$PATH # a python3 that is a wrapper script takes longer to start than all the rest
PYTHONPATH=. exec timeout 20 python3 -B tests/test_rows.py
