#!/bin/sh
# Python compiles it, and lib2to3 refuses it.
PATH=/usr/bin:$PATH # a python3 that is a wrapper script takes longer to start than all the rest
exec timeout 5 python3 -I -S -B -W ignore -c '
import logging, sys
from lib2to3 import pygram, pytree
from lib2to3.pgen2 import driver, parse
with open(sys.argv[1], encoding="utf-8") as source:
    text = source.read()
compile(text, "input", "exec")
logging.disable()
grammar = pygram.python_grammar_no_print_and_exec_statement
try:
    driver.Driver(grammar, convert=pytree.convert).parse_string(text + "\n")
except parse.ParseError:
    sys.exit(0)
sys.exit(1)' "$1" > /dev/null 2>&1
