#!/bin/sh
# A template that gets its data is filled in.
exec timeout 10 node "$(dirname "$(readlink -f "$0")")/greet.js"
