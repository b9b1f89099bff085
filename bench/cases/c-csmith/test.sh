#!/bin/sh
# gcc compiles it, and when it runs, it shifts by too many bits.
program=$(mktemp) || exit 1
trap 'rm -f "$program"' EXIT
timeout 20 gcc -x c -w -O0 -fsanitize=shift -Werror=implicit-function-declaration -Werror=implicit-int -Werror=int-conversion \
    -Werror=incompatible-pointer-types -Werror=return-type -o "$program" "$1" > /dev/null 2>&1 || exit 1
timeout 2 "$program" 2>&1 | grep -q "shift exponent .* is too large"
