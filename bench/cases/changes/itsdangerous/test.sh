#!/bin/sh
# The module can be imported as Flask does it.
PATH=/usr/bin:$PATH # a python3 that is a wrapper script takes longer to start than all the rest
PYTHONPATH=src timeout 10 python3 -P -S -B -W ignore -c '
import sys
import itsdangerous
signer = itsdangerous.URLSafeSerializer("secret")
if signer.loads(signer.dumps([1, "a"])) != [1, "a"]:
    sys.exit(125)
try:
    from itsdangerous import json
except ImportError as error:
    print(error, file=sys.stderr)
    sys.exit(10)
sys.exit(0 if json.loads("[1]") == [1] else 125)'
case $? in
    0) exit 0 ;;
    10) exit 1 ;;
    *) exit 125 ;;
esac
