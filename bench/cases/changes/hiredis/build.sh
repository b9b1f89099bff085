#!/bin/sh
# Builds the library and a program that uses it.
set -eu
sources='async.c hiredis.c net.c sds.c'
for file in alloc.c read.c sockcompat.c; do
    [ ! -f $file ] || sources="$sources $file"
done
gcc -O0 -w -I. -o reply "$(dirname "$(readlink -f "$0")")/reply.c" $sources
