#!/bin/sh
# The package takes a script for a URL (CVE-2025-56200), and knows a good one from a bad one.
exec timeout 5 node -e '
const { isURL } = require(require("path").resolve(process.argv[1]));
const good = isURL("http://example.com/a") === true && isURL("no url") === false && isURL("ftp//example") === false;
process.exit(good && isURL("javascript:alert(1);@example.com") === true ? 0 : 1);' "$1" > /dev/null 2>&1
