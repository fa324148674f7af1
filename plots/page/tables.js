// Tables of a page. A click on a header sorts by its column, a second click reverses the order: numbers by value, empty cells
// last. The field below each header filters rows by text in the cell, or for numbers by a range: 5, 2..8, ..8, >5, <=8. The
// field above the table keeps rows that contain all its words; a number must match a whole cell. Constant columns can be
// hidden, and the visible rows saved.
"use strict";
const valueOf = (row, column) => {
  const cell = row.cells[column];
  if (cell.dataset.value !== undefined) return Number(cell.dataset.value);
  const text = cell.textContent.trim();
  return cell.classList.contains("none") || text === "" ? null : text;
};
// The condition that a column's field states; null if it is invalid.
const conditionOf = (text, isNumber) => {
  const words = text.trim().toLowerCase();
  if (words === "") return () => true;
  if (!isNumber) return (value) => value !== null && String(value).toLowerCase().includes(words);
  const close = (a, b) => Math.abs(a - b) <= 5e-4 * Math.abs(b);  // equal in the digits that are shown
  const range = words.match(/^(-?[\d.e+-]*?)\s*\.\.\s*(-?[\d.e+-]*)$/);
  if (range && !(range[1] === "" && range[2] === "")) {
    const [low, high] = [range[1] === "" ? -Infinity : Number(range[1]), range[2] === "" ? Infinity : Number(range[2])];
    return isNaN(low) || isNaN(high) ? null : (value) => value !== null && value >= low && value <= high;
  }
  const compared = words.match(/^([<>]?=?)\s*(-?[\d.]+(?:e[+-]?\d+)?)$/);
  if (!compared || isNaN(Number(compared[2]))) return null;
  const limit = Number(compared[2]);
  const test = {"": (v) => close(v, limit), "=": (v) => close(v, limit), "<": (v) => v < limit, "<=": (v) => v <= limit || close(v, limit),
                ">": (v) => v > limit, ">=": (v) => v >= limit || close(v, limit)}[compared[1]];
  return (value) => value !== null && test(value);
};
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = Array.from(table.tHead.rows[0].cells);
  const names = heads.map((head) => head.textContent);
  const everywhere = document.querySelector(`input.filter[data-table="${table.id}"]`);
  const count = document.getElementById(table.id + "-count");
  const compare = (a, b) => typeof a === "number" && typeof b === "number" ? a - b
      : String(a).localeCompare(String(b), "en", {numeric: true});
  const fields = heads.map((head, column) => {
    head.addEventListener("click", () => {
      const descending = head.getAttribute("aria-sort") === "ascending";
      for (const other of heads) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", descending ? "descending" : "ascending");
      const rows = Array.from(body.rows).map((row) => [valueOf(row, column), row]);
      rows.sort(([a], [b]) => a === null || b === null ? (a === null) - (b === null) : (descending ? -1 : 1) * compare(a, b));
      body.append(...rows.map(([, row]) => row));
    });
    const values = Array.from(body.rows, (row) => valueOf(row, column));
    const field = document.createElement("input");
    field.className = "column";
    field.isNumber = values.some((value) => typeof value === "number");
    head.classList.toggle("text", !field.isNumber);
    field.type = "search";
    field.placeholder = field.isNumber ? "2..8, >5" : "text";
    field.setAttribute("aria-label", `filter ${names[column]}`);
    field.addEventListener("click", (event) => event.stopPropagation());
    field.addEventListener("input", () => apply());
    if (body.rows.length > 3) head.append(field);
    return field;
  });
  const apply = () => {
    const words = (everywhere ? everywhere.value : "").toLowerCase().split(/\s+/).filter((word) => word !== "");
    const conditions = fields.map((field) => {
      const condition = conditionOf(field.value, field.isNumber);
      field.classList.toggle("bad", condition === null);
      return condition || (() => true);
    });
    let shown = 0;
    for (const row of body.rows) {
      const cells = Array.from(row.cells, (cell) => cell.textContent.trim().toLowerCase());
      const fits = words.every((word) => cells.some((cell) => isNaN(word) ? cell.includes(word) : cell === word)) &&
          conditions.every((condition, column) => fields[column].value === "" || condition(valueOf(row, column)));
      row.hidden = !fits;
      shown += fits;
    }
    if (count) count.textContent = shown === body.rows.length ? `${shown} ${shown === 1 ? "row" : "rows"}` : `${shown} of ${body.rows.length} rows`;
    table.dispatchEvent(new Event("filtered"));
  };
  if (everywhere) everywhere.addEventListener("input", apply);

  const tools = document.getElementById(table.id + "-tools");
  if (!tools) continue;
  const button = (text, action) => {
    const made = document.createElement("button");
    made.type = "button";
    made.textContent = text;
    made.addEventListener("click", () => action(made));
    tools.append(made);
  };
  const show = (column, visible) => {
    for (const row of [table.tHead.rows[0], ...body.rows]) row.cells[column].hidden = !visible;
  };
  const isConstant = (column) => body.rows.length > 1 && new Set(Array.from(body.rows, (row) => valueOf(row, column))).size === 1;
  const chooser = document.createElement("details");
  chooser.innerHTML = "<summary>columns</summary>";
  const list = document.createElement("div");
  list.className = "columns";
  const ticks = names.map((name, column) => {
    const label = document.createElement("label"), tick = document.createElement("input");
    tick.type = "checkbox";
    tick.checked = true;
    tick.addEventListener("change", () => show(column, tick.checked));
    label.append(tick, " " + name);
    list.append(label);
    return tick;
  });
  chooser.append(list);
  tools.append(chooser);
  ticks.forEach((tick, column) => {  // what no row has a value of
    if (body.rows.length === 0 || Array.from(body.rows).some((row) => valueOf(row, column) !== null || row.cells[column].textContent.trim())) return;
    tick.checked = false;
    show(column, false);
  });
  let constant = true;
  if (body.rows.length > 1) button("hide constant columns", (made) => {
    constant = !constant;
    ticks.forEach((tick, column) => { if (isConstant(column)) { tick.checked = constant; show(column, constant); } });
    made.textContent = constant ? "hide constant columns" : "show all columns";
  });
  button("save CSV", () => {
    const quoted = (text) => /[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
    const columns = ticks.flatMap((tick, column) => tick.checked ? [column] : []);
    const lines = [columns.map((column) => quoted(names[column])), ...Array.from(body.rows).filter((row) => !row.hidden)
        .map((row) => columns.map((column) => quoted(String(valueOf(row, column) ?? ""))))];
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([lines.map((line) => line.join(",")).join("\n") + "\n"], {type: "text/csv"}));
    link.download = `${table.id}.csv`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
}
