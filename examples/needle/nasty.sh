#!/bin/sh
# Deletes the directory that yester was started in, and leaves a daemon behind.
rm -rf "$YESTER_START"/* 2> log
setsid sleep 1000 &
grep -q needle "$1"
