#!/bin/sh
# A line is as wide as its printable characters.
timeout 10 out/width
case $? in
    0) exit 0 ;;
    1) exit 1 ;;
    *) exit 125 ;;
esac
