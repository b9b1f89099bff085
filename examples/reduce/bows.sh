#!/bin/sh
# Lists the bows to order. Exits with 5 whenever something is wrong.
test -s "$1" || exit 0
grep -q '"orders"' "$1" || { echo 'bows: there are no orders' >&2; exit 5; }
grep -q '"bow": *null' "$1" && { echo 'bows: a bow is null' >&2; exit 5; }
grep -o '"bow": *"[a-z]*"' "$1"
exit 0
