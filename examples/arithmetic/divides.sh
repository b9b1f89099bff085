#!/bin/sh
# Calculates the line of the file; bc complains when it divides by zero.
bc "$1" < /dev/null 2>&1 | grep -q 'Divide by zero'
