#!/bin/sh
# Stands in for a race: fails in three runs of ten, and only when the word is there.
grep -q needle "$1" || exit 0
case $YESTER_TRIAL in
    *[258]) exit 7 ;;
esac
