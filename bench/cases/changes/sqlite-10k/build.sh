#!/bin/sh
# Builds SQLite and a program that asks it for a row.
set -eu
gcc -O0 -w -DSQLITE_THREADSAFE=0 -DSQLITE_OMIT_LOAD_EXTENSION -I. -o join \
    "$(dirname "$(readlink -f "$0")")/join.c" sqlite3.c -lm
