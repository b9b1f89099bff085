#!/bin/sh
# rustc compiles it and warns of a trivial cast.
export LC_ALL=C
message=$(timeout 20 rustc --edition 2021 --crate-type lib --emit=metadata=- -W trivial_casts "$1" 2>&1 > /dev/null) || exit 1
case "$message" in
    *"warning: trivial cast: "*) exit 0 ;;
esac
exit 1
