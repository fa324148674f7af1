// Plots any column of a table against any other, for the rows that its filters keep: <div class="explorer" data-table="ID"
// data-axes="N">. The first N columns are the axes, whose values are shown with each point.
"use strict";
for (const box of document.querySelectorAll(".explorer")) {
  const table = document.getElementById(box.dataset.table), axes = Number(box.dataset.axes);
  const rows = () => Array.from(table.tBodies[0].rows).filter((row) => !row.hidden);
  const names = Array.from(table.tHead.rows[0].cells, (head) => head.textContent);
  const isNumber = names.map((_, column) => rows().some((row) => typeof valueOf(row, column) === "number"));
  const numbers = names.flatMap((_, column) => isNumber[column] ? [column] : []);
  if (numbers.length < 2) { box.remove(); continue; }
  const tools = document.createElement("div"), chart = document.createElement("div");
  tools.className = "tools";
  box.append(tools, chart);
  const choose = (label, columns, chosen, empty) => {
    const around = document.createElement("label"), select = document.createElement("select");
    if (empty) select.append(new Option("nothing", "-1"));
    for (const column of columns) select.append(new Option(names[column], column, false, column === chosen));
    select.addEventListener("change", () => draw());
    around.append(label + " ", select);
    tools.append(around);
    return select;
  };
  const whole = (column) => rows().every((row) => typeof valueOf(row, column) === "number");
  const metrics = numbers.filter((column) => column >= axes).sort((a, b) => whole(b) - whole(a) || a - b);
  const x = choose("across", numbers, metrics.length > 1 ? metrics[1] : numbers[0]);
  const y = choose("up", numbers, metrics.length ? metrics[0] : numbers[1]);
  const differs = (_, column) => column < axes && new Set(rows().map((row) => row.cells[column].textContent)).size > 1;
  const coloured = axes > 0 ? Math.max(0, names.findIndex(differs)) : -1;
  const by = choose("colour by", names.flatMap((_, column) => column < axes ? [column] : []), coloured, true);
  const switches = ["log across", "log up"].map((text) => {
    const label = document.createElement("label"), tick = document.createElement("input");
    tick.type = "checkbox";
    tick.addEventListener("change", () => draw());
    label.append(tick, " " + text);
    tools.append(label);
    return tick;
  });
  const axis = (column, log) => {
    const [, label, unit] = names[column].match(/^(.*?)(?: \(([^()]*)\))?$/);
    return {label, unit: unit || "", log: log.checked};
  };
  const draw = () => {
    const [cx, cy, cb] = [Number(x.value), Number(y.value), Number(by.value)];
    const series = new Map();
    for (const row of rows()) {
      const [vx, vy] = [valueOf(row, cx), valueOf(row, cy)];
      if (typeof vx !== "number" || typeof vy !== "number") continue;
      const name = cb < 0 ? "all" : `${names[cb]} ${row.cells[cb].textContent.trim()}`;
      if (!series.has(name)) series.set(name, {name, points: []});
      const about = names.slice(0, axes).map((words, column) => `${words}: ${row.cells[column].textContent.trim()}`).join("\n");
      series.get(name).points.push([vx, vy, null, about]);
    }
    const ordered = [...series.values()].sort((a, b) => a.name.localeCompare(b.name, "en", {numeric: true}));
    ordered.forEach((one, number) => { one.colour = number % 20 + 1; });
    drawChart(chart, {kind: "points", title: `${names[cy]} against ${names[cx]}`, x: axis(cx, switches[0]), y: axis(cy, switches[1]),
                      panels: [{title: "", series: ordered}]});
  };
  table.addEventListener("filtered", draw);
  draw();
}
