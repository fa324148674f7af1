// Sortable tables: a click on a header sorts by it, a second one the other way. Numbers by value, empty cells last.
"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const valueOf = (row, column) => {
    const cell = row.cells[column];
    if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
    const text = cell.textContent.trim();
    return text === "" ? null : text;
  };
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b
      : String(a).localeCompare(String(b), "en", {numeric: true});
  for (const [column, head] of Array.from(table.tHead.rows[0].cells).entries()) {
    head.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const rows = Array.from(body.rows).map((row) => [valueOf(row, column), row]);
      rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null) : (descending ? -1 : 1) * compare(a, b));
      body.append(...rows.map(([, row]) => row));
    });
  }
}
// Filters: a row stays if each word stands in one of its cells, a number as a whole cell.
for (const input of document.querySelectorAll("input.filter")) {
  const table = document.getElementById(input.dataset.table);
  const count = document.getElementById(input.dataset.table + "-count");
  input.addEventListener("input", () => {
    const words = input.value.toLowerCase().split(/\s+/).filter((word) => word !== "");
    let shown = 0;
    for (const row of table.tBodies[0].rows) {
      const cells = Array.from(row.cells, (cell) => cell.textContent.trim().toLowerCase());
      const fits = words.every((word) => cells.some((cell) => isNaN(word) ? cell.includes(word) : cell === word));
      row.hidden = !fits;
      shown += fits;
    }
    count.textContent = `${shown} of ${table.tBodies[0].rows.length} rows`;
  });
}
