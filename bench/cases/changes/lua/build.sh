#!/bin/sh
# Builds an interpreter.
set -eu
exec make --silent --file "$(dirname "$(readlink -f "$0")")/Makefile"
