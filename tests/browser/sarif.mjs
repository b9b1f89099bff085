// Validates SARIF logs by the schema of the standard, and by what viewers need beyond it.
//
//     node sarif.mjs LOG...
//
// Nothing printed and exit 0: all is well. Otherwise a line for each complaint, and exit 1.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

// scripts/setup tests puts them there.
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");
const installed = createRequire(path.join(root, "target/browser/node_modules/"));
const Ajv = installed("ajv-draft-04").default;
const schemas = path.join(path.dirname(installed.resolve("@microsoft/jest-sarif/package.json")), "lib/schemas");
const schema = JSON.parse(readFileSync(path.join(schemas, "sarif-2.1.0-rtm.5.json"), "utf8"));
const ajv = new Ajv({ allErrors: true, strict: false, unicodeRegExp: false });
installed("ajv-formats").default(ajv);
const validate = ajv.compile(schema);

let complaints = 0;
const complain = (log, what) => {
  complaints += 1;
  console.log(`${log}: ${what}`);
};
for (const log of process.argv.slice(2)) {
  const value = JSON.parse(readFileSync(log, "utf8"));
  if (!validate(value)) {
    for (const error of validate.errors.slice(0, 5)) complain(log, `${error.instancePath} ${error.message}`);
  }
  for (const run of value.runs) {
    const rules = run.tool.driver.rules.map((rule) => rule.id);
    for (const result of run.results) check(log, result, rules);
  }
}
process.exitCode = complaints ? 1 : 0;

/// What the schema leaves open.
function check(log, result, rules) {
  const name = `${result.ruleId}: ${result.message.text.split("\n")[0]}`;
  if (!rules.includes(result.ruleId)) complain(log, `${name}: there is no such rule`);
  if (result.relatedLocations) complain(log, `${name}: viewers do not show related locations`);
  const steps = (result.codeFlows ?? []).flatMap((flow) => flow.threadFlows).flatMap((flow) => flow.locations);
  if (!steps.length) complain(log, `${name}: it has no code flow`);
  for (const { location } of steps) {
    if (!location?.message?.text) complain(log, `${name}: a step says nothing`);
    if (!(location?.physicalLocation?.region?.startLine >= 1)) complain(log, `${name}: a step has no line`);
    const uri = location?.physicalLocation?.artifactLocation?.uri ?? "";
    if (!uri || decodeURIComponent(uri).length < 1) complain(log, `${name}: a step has no file`);
  }
  for (const { description, artifactChanges } of result.fixes ?? []) {
    if (!description?.text) complain(log, `${name}: a fix says nothing`);
    for (const { replacements } of artifactChanges) {
      for (const { deletedRegion } of replacements) {
        if (!(deletedRegion.endLine >= deletedRegion.startLine)) complain(log, `${name}: a fix ends before it begins`);
      }
    }
  }
}
