const assert = require("assert");
const _ = require(process.cwd() + "/underscore.js");

const greeting = _.template("Hello <%= name %>!", { name: "Ada" });
assert.strictEqual(greeting, "Hello Ada!");
