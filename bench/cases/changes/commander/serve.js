const program = require(process.cwd() + "/index.js");
const { version } = require(process.cwd() + "/package.json");

console.log(`with commander ${version}`);
program.option("-p, --port <number>", "where to listen", 80).parse(process.argv);
if (program.port !== "8080") {
  console.error(`error: asked for port 8080, got ${program.port}`);
  process.exitCode = 1;
}
