#!/bin/sh
# What is null gets its default.
exec timeout 10 node "$(dirname "$(readlink -f "$0")")/title.js"
