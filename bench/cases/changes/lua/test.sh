#!/bin/sh
# The letters of a text are counted.
cd "$(dirname "$(readlink -f "$0")")" && exec timeout 10 "$OLDPWD/interpreter" letters.lua
