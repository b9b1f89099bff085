#!/bin/sh
# DDD reads what GDB answers to "show args". Run in the tree. 0 pass, 1 another answer than before, 125 anything else.
test -x gdb/gdb || exit 125
answer=$(printf 'set args a b c\nshow args\n' | timeout 10 gdb/gdb) || exit 125
case "$answer" in
    'Arguments to give program being debugged when it is started is "a b c".') exit 0 ;;
    'Argument list to give program being debugged when it is started is "a b c".')
        echo 'DDD does not find the arguments' >&2
        exit 1 ;;
esac
exit 125
