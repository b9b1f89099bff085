#!/bin/sh
# The values of a list come without another list around them.
exec timeout 10 node "$(dirname "$(readlink -f "$0")")/colours.js"
