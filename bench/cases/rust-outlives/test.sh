#!/bin/sh
# rustc compiles it and warns of a bound that can be inferred.
export LC_ALL=C
message=$(timeout 20 rustc --edition 2021 --crate-type lib --emit=metadata=- -W explicit_outlives_requirements "$1" 2>&1 > /dev/null) || exit 1
case "$message" in
    *"warning: outlives requirements can be inferred"*) exit 0 ;;
esac
exit 1
