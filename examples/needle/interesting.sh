#!/bin/sh
# Exit 0 while the word is there.
grep -q needle "$1"
