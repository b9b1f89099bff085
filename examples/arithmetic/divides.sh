#!/bin/sh
# Exit 0 while the shell complains that the expression in the file divides by zero.
(: $(($(cat "$1")))) 2>&1 | grep -q 'division by'
