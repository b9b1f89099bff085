const _ = require(process.cwd() + "/underscore.js");

const page = _.defaults({ title: null, lines: 3 }, { title: "Untitled", lines: 1 });
console.log(`${page.title}, ${page.lines} lines`);
if (page.title !== "Untitled") {
  process.exit(1);
}
