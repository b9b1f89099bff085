const _ = require(process.cwd() + "/underscore.js");

const page = _.defaults({ title: null, lines: 3 }, { title: "Untitled", author: "nobody", lines: 1 });
console.log(`${page.title} by ${page.author}, ${page.lines} lines`);
if (page.title !== "Untitled") {
  process.exit(1);
}
