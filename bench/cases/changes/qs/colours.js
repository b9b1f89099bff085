const assert = require("assert");
const qs = require(process.cwd() + "/lib/index.js");

function colours(query) {
  const values = qs.parse(query, { comma: true }).colour;
  // Releases before 6.7.0 do not know the option.
  return values.length === 1 && typeof values[0] === "string" ? values[0].split(",") : values;
}

assert.deepStrictEqual(colours("colour[]=red,blue"), ["red", "blue"]);
