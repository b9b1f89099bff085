#!/bin/sh
# An error about a warranty, and after it a line with the word downstream.
exec awk '/ERROR.*warranty/ { seen = 1; next } seen && /downstream/ { found = 1; exit } END { exit !found }' "$1"
