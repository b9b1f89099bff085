#!/bin/sh
# Fails about three times in ten, and only when the word is there.
grep -q needle "$1" || exit 0
test $(($(od -An -N2 -tu2 /dev/urandom) % 10)) -lt 3 || exit 0
exit 7
