// Prints how many seconds Chromium takes from opening a page to its first paint, the middle of five times.
//
//     node paint.mjs PAGE

import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

// scripts/setup tests puts it there.
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");
const { chromium } = createRequire(path.join(root, "target/browser/node_modules/"))("playwright-core");

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  chromiumSandbox: false,
  args: ["--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
const times = [];
for (let round = 0; round < 5; round++) {
  const tab = await browser.newPage();
  await tab.goto(pathToFileURL(path.resolve(process.argv[2])).href);
  times.push(await tab.evaluate(() => new Promise((found) => {
    new PerformanceObserver((list) => found(list.getEntriesByName("first-contentful-paint")[0].startTime))
      .observe({ type: "paint", buffered: true });
  })));
  await tab.close();
}
await browser.close();
times.sort((one, other) => one - other);
console.log((times[2] / 1000).toFixed(3));
