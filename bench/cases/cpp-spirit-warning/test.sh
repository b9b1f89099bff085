#!/bin/sh
# g++ accepts it and warns, in the instantiation of a template of Boost, of a destructor that is called for a null pointer.
export LC_ALL=C
message=$(timeout 60 g++ -std=c++17 -fsyntax-only -Wnonnull -x c++ "$1" 2>&1) || exit 1
case "$message" in
    *"In instantiation of"*"'this' pointer is null"*) exit 0 ;;
esac
exit 1
