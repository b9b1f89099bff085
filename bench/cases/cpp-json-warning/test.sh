#!/bin/sh
# g++ accepts it and warns, in a class of the user, of a comparison of signed and unsigned.
export LC_ALL=C
message=$(timeout 60 g++ -std=c++20 -fsyntax-only -Wsign-compare -x c++ "$1" 2>&1) || exit 1
case "$message" in
    *"comparison of integer expressions of different signedness: 'int' and 'unsigned int'"*) exit 0 ;;
esac
exit 1
