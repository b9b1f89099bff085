#!/bin/sh
# A program finds the value of an option. It also prints with which release, so BAD prints more than the guilty step.
exec timeout 10 node "$(dirname "$(readlink -f "$0")")/serve.js" --port 8080
