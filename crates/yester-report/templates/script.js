"use strict";
for (const command of document.querySelectorAll(".command")) {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = "Copy";
  button.setAttribute("aria-label", "Copy: " + command.querySelector("p").textContent);
  button.addEventListener("click", async () => {
    const code = command.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(code);
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  command.append(button);
}
const table = document.getElementById("trial-table");
if (table) {
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const form = document.getElementById("filter");
  const [outcome, why, text] = ["outcome", "why", "text"].map((name) => document.getElementById("filter-" + name));
  const count = document.getElementById("filter-count");
  const filter = () => {
    const word = text.value.toLowerCase();
    let shown = 0;
    for (const row of rows) {
      const fits = (!outcome.value || row.cells[2].textContent === outcome.value)
        && (!why.value || row.cells[1].textContent === why.value)
        && (!word || row.textContent.toLowerCase().includes(word));
      row.hidden = !fits;
      shown += fits;
    }
    count.textContent = shown + " of " + rows.length;
  };
  form.hidden = false;
  form.addEventListener("submit", (event) => event.preventDefault());
  for (const field of [outcome, why, text]) field.addEventListener("input", filter);
  filter();
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = head.textContent;
    head.replaceChildren(button);
    head.setAttribute("aria-sort", column ? "none" : "ascending");
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const isNumber = head.classList.contains("number");
      const key = (row) => {
        const value = row.cells[column].textContent;
        return isNumber ? Number(value.replaceAll(",", "").replace("−", "-")) || 0 : value;
      };
      const sorted = rows.map((row) => [key(row), row]);
      sorted.sort(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0) * (down ? -1 : 1));
      body.append(...sorted.map(([, row]) => row));
    });
  });
}
