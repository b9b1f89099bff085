#!/bin/sh
# black starts and formats a line.
case=$(dirname "$(readlink -f "$0")")
output=$(echo "x  =  1" | PYTHONDONTWRITEBYTECODE=1 PYTHONPATH=$PWD/src timeout 30 "$case/black/bin/python" -m black -q - 2>&1)
[ "$output" = "x = 1" ] && exit 0
echo "$output" >&2
case $output in
    *ImportError:*_unicodefun*"from 'click'"*) exit 1 ;;
    *) exit 125 ;;
esac
