"use strict";
const said = document.getElementById("copied");
for (const command of document.querySelectorAll(".command")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  const what = document.createElement("span");
  what.className = "hidden";
  what.textContent = ": " + command.querySelector("p").textContent;
  const say = (word) => {
    button.firstChild.data = word;
    said.textContent = word === "Copy" ? "" : word + what.textContent;
  };
  button.append(what);
  button.addEventListener("click", async () => {
    const code = command.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      say("Copied");
    } catch {
      getSelection().selectAllChildren(code);
      say("Selected");
    }
    setTimeout(() => say("Copy"), 2000);
  });
  command.append(button);
}
// Numbers of lines lead to themselves. Whoever goes by the keyboard need not stop at each.
for (const link of document.querySelectorAll(".at, #trial-table td a")) link.tabIndex = -1;
const table = document.getElementById("trial-table");
if (table) {
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const rows = Array.from(body.rows);
  const form = document.getElementById("filter");
  const text = document.getElementById("filter-text");
  const count = document.getElementById("filter-count");
  const choices = ["outcome", "why"].map((name) => ({
    field: document.getElementById("filter-" + name),
    column: heads.findIndex((head) => head.dataset.column === name),
  })).filter((choice) => choice.field);
  const number = (value) => value.toLocaleString("en");
  const filter = () => {
    const word = text.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = choices.every(({ field, column }) => !field.value || row.cells[column].textContent === field.value)
        && (!word || row.textContent.toLowerCase().includes(word));
      row.hidden = !fits;
      shown += fits;
    }
    count.textContent = number(shown) + " of " + number(rows.length);
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const field of [text, ...choices.map((choice) => choice.field)]) field.addEventListener("input", filter);
  filter();
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    head.setAttribute("aria-sort", column ? "none" : "ascending");
    const isNumber = head.classList.contains("number") || head.dataset.column === "difference";
    const key = (row) => {
      const value = row.cells[column].textContent;
      return isNumber ? parseFloat(value.replaceAll(",", "").replace("−", "-")) || 0 : value;
    };
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const sorted = rows.map((row) => [key(row), row]);
      sorted.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0) * (down ? -1 : 1));
      body.append(...sorted.map(([, row]) => row));
    });
  });
}
