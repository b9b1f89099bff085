#!/bin/sh
# Two words are as similar as they were.
timeout 10 out/similarity
case $? in
    0) exit 0 ;;
    1) exit 1 ;;
    *) exit 125 ;;
esac
