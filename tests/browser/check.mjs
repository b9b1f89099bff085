// Opens pages of `yester report` in Chromium, and says what is wrong with them.
//
//     node check.mjs [--screenshots DIRECTORY] PAGE...
//
// Nothing printed and exit 0: all is well. Otherwise a line for each complaint, and exit 1.

import { readFileSync, mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

// scripts/setup tests puts them there.
const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "../..");
const installed = createRequire(path.join(root, "target/browser/node_modules/"));
const { chromium } = installed("playwright-core");
const axe = readFileSync(installed.resolve("axe-core/axe.min.js"), "utf8");

const words = process.argv.slice(2);
let screenshots;
if (words[0] === "--screenshots") {
  screenshots = words[1];
  mkdirSync(screenshots, { recursive: true });
  words.splice(0, 2);
}

const widths = [400, 1600];
const themes = ["light", "dark"];
const complaints = [];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  // A sandbox of its own needs rights that a container seldom has; the pages are ours.
  chromiumSandbox: false,
  args: ["--disable-gpu", "--disable-dev-shm-usage", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"],
});
try {
  for (const word of words) {
    const page = path.resolve(word);
    const name = path.basename(path.dirname(page)) + "/" + path.basename(page);
    const complain = (what) => complaints.push(`${name}: ${what}`);
    await withScripts(page, complain);
    await withoutScripts(page, complain);
  }
} finally {
  await browser.close();
}
for (const complaint of complaints) console.log(complaint);
process.exitCode = complaints.length ? 1 : 0;

/// A tab of its own, which tells of everything that a page must not do.
async function open(file, options, complain) {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(10_000);
  const tab = await context.newPage();
  const own = pathToFileURL(file).href;
  await context.route("**/*", (route) => {
    const wanted = route.request().url();
    if (wanted.split("#")[0] === own) return route.continue();
    complain(`it asks for ${wanted}`);
    return route.abort();
  });
  tab.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complain(`the console says: ${message.text()}`);
  });
  tab.on("pageerror", (error) => complain(`a script fails: ${error.message}`));
  await tab.goto(own);
  return tab;
}

async function withScripts(file, complain) {
  const tab = await open(file, {}, complain);
  for (const colorScheme of themes) {
    await tab.emulateMedia({ colorScheme });
    for (const width of widths) {
      const at = `${colorScheme}, ${width} pixels`;
      await tab.setViewportSize({ width, height: 1000 });
      await fits(tab, (what) => complain(`${at}: ${what}`));
      await shoot(tab, file, `${colorScheme}-${width}`);
      // Colours come with the theme and the layout with the width: two of the four have all of both.
      if ((colorScheme === "light") === (width === widths[0])) await accessible(tab, (what) => complain(`${at}: ${what}`));
    }
  }
  await links(tab, complain);
  await keyboard(tab, complain);
  await copying(tab, complain);
  await filtering(tab, complain);
  await sorting(tab, complain);
  await printing(tab, complain);
  await tab.context().close();
}

/// Everything is there without scripts but what only they can do.
async function withoutScripts(file, complain) {
  const tab = await open(file, { javaScriptEnabled: false, viewport: { width: 400, height: 1000 } }, complain);
  const shown = async (selector) => await tab.locator(selector).first().isVisible();
  for (const selector of ["h1", "#reproduce pre", "#sure li", "#trials"]) {
    if (!(await shown(selector))) complain(`without scripts ${selector} is not shown`);
  }
  if ((await tab.locator("#trial-table").count()) && !(await shown("#trial-table tbody tr"))) {
    complain("without scripts there are no trials");
  }
  for (const selector of ["#filter", "button"]) {
    if ((await tab.locator(selector).count()) && (await shown(selector))) {
      complain(`without scripts ${selector} is shown, which does nothing then`);
    }
  }
  await shoot(tab, file, "no-script-400");
  await tab.context().close();
}

async function shoot(tab, file, kind) {
  if (!screenshots) return;
  const name = path.basename(path.dirname(file)).replace(/-[0-9a-f]{10}$/, "");
  await tab.screenshot({ path: path.join(screenshots, `${name}-${kind}.png`), fullPage: true });
}

async function fits(tab, complain) {
  const wide = await tab.evaluate(() => {
    const most = document.documentElement.clientWidth;
    const isScrolled = (element) => element.parentElement?.closest(".scroll, pre, .sr");
    const wide = Array.from(document.body.querySelectorAll("*")).filter((element) => {
      const box = element.getBoundingClientRect();
      return box.width && box.right > most + 1 && box.left >= 0 && !isScrolled(element);
    });
    return {
      by: document.documentElement.scrollWidth - most,
      which: wide.slice(0, 3).map((element) => element.outerHTML.slice(0, 100)),
    };
  });
  if (wide.by > 0) complain(`it is ${wide.by} pixels too wide: ${wide.which.join(" ")}`);
}

async function accessible(tab, complain) {
  await tab.evaluate(axe);
  const found = await tab.evaluate(async () => {
    // Ten thousand rows are alike.
    const rows = document.querySelectorAll("#trial-table tbody tr");
    rows.forEach((row, index) => { if (index >= 30) row.dataset.left = ""; });
    const result = await globalThis.axe.run(
      { include: [["html"]], exclude: [["[data-left]"]] },
      { resultTypes: ["violations"], runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] },
    );
    return result.violations.map(({ id, impact, nodes }) => ({ id, impact, html: nodes[0].html, of: nodes.length, why: nodes[0].failureSummary }));
  });
  for (const { id, impact, html, of, why } of found) {
    if (["serious", "critical", "moderate"].includes(impact)) {
      complain(`axe: ${id} (${impact}), ${of} times, first ${html.slice(0, 200)}: ${why.replaceAll("\n", " ")}`);
    }
  }
}

async function links(tab, complain) {
  const found = await tab.evaluate(() => {
    const wrong = [];
    const seen = new Set();
    for (const { id } of document.querySelectorAll("[id]")) {
      if (seen.has(id)) wrong.push(`two things have the name ${id}`);
      seen.add(id);
    }
    for (const link of document.querySelectorAll("a")) {
      const href = link.getAttribute("href");
      if (!href?.startsWith("#")) wrong.push(`a link leads out of the page: ${href}`);
      else if (!seen.has(decodeURIComponent(href.slice(1)))) wrong.push(`a link leads nowhere: ${href}`);
      else if (!link.textContent.trim() && !link.getAttribute("aria-label")) wrong.push(`a link says nothing: ${href}`);
    }
    for (const row of document.querySelectorAll("#trial-table tbody tr")) {
      if (!row.id) wrong.push(`a trial has no anchor: ${row.textContent}`);
    }
    for (const line of document.querySelectorAll(".listing > :not(.gap)")) {
      if (!line.id) wrong.push(`a line has no anchor: ${line.textContent}`);
    }
    return wrong.slice(0, 5);
  });
  found.forEach(complain);
}

/// The first thing that the keyboard reaches leads to the answer.
async function keyboard(tab, complain) {
  await tab.evaluate(() => { location.hash = ""; getSelection().removeAllRanges(); document.activeElement.blur(); });
  await tab.keyboard.press("Tab");
  const first = await tab.evaluate(() => document.activeElement.getAttribute("href"));
  if (first !== "#answer") complain(`the first thing that the keyboard reaches is ${first}`);
  await tab.keyboard.press("Enter");
  await tab.waitForURL(/#answer$/).catch(() => complain("the first link does not lead to the answer"));
}

async function copying(tab, complain) {
  const commands = tab.locator(".command");
  for (let index = 0; index < (await commands.count()); index++) {
    const command = commands.nth(index);
    const words = await command.locator("code").textContent();
    await tab.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await command.getByRole("button").click();
    await command.getByRole("button", { name: /^(Copied|Selected)/ }).waitFor();
    const copied = await tab.evaluate(async () => {
      try { return await navigator.clipboard.readText(); } catch { return String(getSelection()); }
    });
    if (copied !== words) complain(`copying a command gives ${JSON.stringify(copied)}, not ${JSON.stringify(words)}`);
  }
}

async function filtering(tab, complain) {
  const table = tab.locator("#trial-table");
  if (!(await table.count())) return;
  const rows = () => table.evaluate((table) => {
    const column = (name) => Array.from(table.tHead.rows[0].cells).findIndex((head) => head.dataset.column === name);
    const [outcome, why] = [column("outcome"), column("why")];
    return Array.from(table.tBodies[0].rows, (row) => ({
      hidden: row.hidden, outcome: row.cells[outcome]?.textContent, why: row.cells[why].textContent, text: row.textContent.toLowerCase(),
    }));
  });
  const all = await rows();
  const check = async (what, fits) => {
    const now = await rows();
    const wrong = now.filter((row) => row.hidden === fits(row)).length;
    if (wrong) complain(`the filter ${what} is wrong about ${wrong} trials`);
    const said = await tab.locator("#filter-count").textContent();
    const number = now.filter((row) => !row.hidden).length;
    if (!said.startsWith(`${number.toLocaleString("en")} of`)) complain(`the filter ${what} shows ${number} and says ${said}`);
  };
  await check("nothing", () => true);
  if (await tab.locator("#filter-outcome").count()) {
    for (const outcome of ["pass", "fail", "unresolved"]) {
      await tab.selectOption("#filter-outcome", { value: outcome });
      await check(outcome, (row) => row.outcome === outcome);
    }
    await tab.selectOption("#filter-outcome", { value: "" });
  }
  for (const why of new Set(all.map((row) => row.why))) {
    await tab.selectOption("#filter-why", { value: why });
    await check(why, (row) => row.why === why);
  }
  await tab.selectOption("#filter-why", { value: "" });
  await tab.fill("#filter-text", "EXIT 1");
  await check("exit 1", (row) => row.text.includes("exit 1"));
  await tab.fill("#filter-text", "");
  await check("nothing", () => true);
}

async function sorting(tab, complain) {
  const heads = tab.locator("#trial-table th");
  for (let index = 0; index < (await heads.count()); index++) {
    const head = heads.nth(index);
    await head.getByRole("button").click();
    const order = await head.getAttribute("aria-sort");
    const isSorted = await head.evaluate((head, order) => {
      const cells = Array.from(head.closest("table").tBodies[0].rows, (row) => row.cells[head.cellIndex].textContent);
      const number = (text) => parseFloat(text.replaceAll(",", "").replace("−", "-")) || 0;
      const isNumber = head.classList.contains("number") || head.dataset.column === "difference";
      const keys = isNumber ? cells.map(number) : cells;
      const up = order === "ascending";
      return keys.every((key, at) => !at || (up ? keys[at - 1] <= key : keys[at - 1] >= key));
    }, order);
    if (!isSorted) complain(`column ${index + 1} is not sorted as it says: ${order}`);
  }
}

/// On paper there is nothing to press, and nothing is cut off.
async function printing(tab, complain) {
  await tab.emulateMedia({ media: "print", colorScheme: "dark" });
  await tab.setViewportSize({ width: 700, height: 1000 });
  const found = await tab.evaluate(() => {
    const wrong = [];
    const isShown = (element) => element.getClientRects().length > 0;
    if (Array.from(document.querySelectorAll("button, #filter, nav")).some(isShown)) wrong.push("there are buttons on paper");
    for (const box of document.querySelectorAll("pre, .scroll")) {
      if (box.scrollHeight > box.clientHeight + 2) wrong.push(`a part is cut off on paper: ${box.textContent.slice(0, 60)}`);
    }
    const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number);
    if (red + green + blue < 700) wrong.push("paper is dark");
    return wrong;
  });
  found.forEach(complain);
}
