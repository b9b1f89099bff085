#!/bin/sh
# Builds GDB.
exec make -j2
