#!/bin/sh
# Both parsers read it, and differ in a string that is not blank, but only in its white space.
exec timeout 5 node -e '
const [directory, file] = process.argv.slice(1).map((path) => require("path").resolve(path));
const text = require("fs").readFileSync(file, "utf8");
const one = require(directory + "/yamljs/lib/Yaml.js").parse(text);
const other = require(directory + "/js-yaml/dist/js-yaml.js").load(text);
const differs = (a, b) => {
  if (typeof a === "string" && typeof b === "string") return a !== b && a.trim() && a.replace(/\s/g, "") === b.replace(/\s/g, "");
  if (a && b && typeof a === "object" && typeof b === "object") return Object.keys(a).some((key) => differs(a[key], b[key]));
  return false;
};
process.exit(differs(one, other) ? 0 : 1);' "$(dirname "$0")" "$1" > /dev/null 2>&1
