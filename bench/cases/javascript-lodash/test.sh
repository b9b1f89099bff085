#!/bin/sh
# merge merges, and writes to the prototype of all objects when it is told to (CVE-2018-3721).
exec timeout 5 node -e '
const { merge } = require(require("path").resolve(process.argv[1]));
const merged = JSON.stringify(merge({ a: { b: [1], d: 1 } }, { a: { b: [2, 3], c: 4 } }));
if (merged !== `{"a":{"b":[2,3],"d":1,"c":4}}` || {}.polluted !== undefined) process.exit(1);
merge({}, JSON.parse(`{"__proto__":{"polluted":1}}`));
process.exit({}.polluted === 1 ? 0 : 1);' "$1" > /dev/null 2>&1
