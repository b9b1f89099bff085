#!/bin/sh
# g++ accepts it and warns, in the instantiation of a template of the user, of an object that is deleted without a virtual destructor.
export LC_ALL=C
message=$(timeout 60 g++ -std=c++17 -fsyntax-only -Wdelete-non-virtual-dtor -x c++ "$1" 2>&1) || exit 1
case "$message" in
    *"In instantiation of"*"abstract class type 'Base' which has non-virtual destructor"*) exit 0 ;;
esac
exit 1
