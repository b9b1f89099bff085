#!/bin/sh
# gcc compiles it at -O2 and warns of a potential null pointer dereference.
export LC_ALL=C
message=$(timeout 20 gcc -O2 -Wnull-dereference -Werror=implicit-function-declaration -Werror=implicit-int \
    -Werror=int-conversion -Werror=incompatible-pointer-types -Werror=uninitialized -Werror=maybe-uninitialized \
    -x c -S -o - "$1" 2>&1 > /dev/null) || exit 1
case "$message" in
    *"potential null pointer dereference"*) exit 0 ;;
esac
exit 1
