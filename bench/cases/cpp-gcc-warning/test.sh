#!/bin/sh
# g++ accepts it and warns, in the instantiation of a template, of a cast that increases the required alignment.
export LC_ALL=C
message=$(timeout 20 g++ -std=c++17 -fsyntax-only -Wcast-align=strict -x c++ "$1" 2>&1) || exit 1
case "$message" in
    *"In instantiation of"*"increases required alignment"*) exit 0 ;;
esac
exit 1
