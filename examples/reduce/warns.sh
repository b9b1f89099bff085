#!/bin/sh
# The same without asking that the file compiles.
gcc -Wall -S -o out.s "$1" 2>&1 | grep -q 'is used uninitialized'
