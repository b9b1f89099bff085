#!/bin/sh
# gcc compiles it and warns that something is used uninitialized.
gcc -Wall -S -o out.s "$1" 2> messages || exit 1
grep -q 'is used uninitialized' messages
