#!/bin/sh
# A project that depends on the package can load it.
project=$(mktemp -d) || exit 125
trap 'rm -rf "$project"' EXIT
mkdir "$project/node_modules" && cp -R . "$project/node_modules/is-promise" && cd "$project" || exit 125
timeout 10 node -e '
let isPromise;
try {
  isPromise = require("is-promise");
} catch (error) {
  console.error(error.code, error.message);
  process.exit(error.code === "ERR_INVALID_PACKAGE_TARGET" ? 1 : 125);
}
process.exit(isPromise(Promise.resolve()) === true && isPromise("no") === false ? 0 : 125);'
