#!/bin/sh
# Exit 0 while gcc compiles the file and warns that something is used uninitialized.
gcc -Wall -S -o out.s "$1" 2> messages || exit 1
grep -q 'is used uninitialized' messages
