#!/bin/sh
# A reply with signed numbers is read.
exec timeout 10 ./reply
