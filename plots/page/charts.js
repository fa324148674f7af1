// Draws charts of a page as SVG from plain data, as wide as the page: lines, steps, points, bars, stacked bars and Pareto fronts,
// in panels. The pointer or the arrow keys show the nearest values; the legend switches series on and off.
//
//   drawChart(element, chart)
//   chart: {kind, title, x: axis, y: axis, shared, panels: [{title, series: [{name, colour, points, dashed, front, level}],
//          published: [[x, y, name of its series, further text]], totals: [[x, y, [low, high]]]}], bars}
//   totals: sums of stacked bars, with the ends of their error bars; bars: a note that explains the error bars
//   level: how many series this one would hide, so that it is drawn dashed; y.top: end of the y axis
//   axis: {label, unit, log, time (values are ns), ticks: [[value, text]], categories: [text]}
//   point: [x, y, half width of its interval or [low, high] or null, further text]; with categories x is an index from 0 on
// Shared axes have one range for all panels. Colours are the variables --c1, --c2, ... of style.css.
"use strict";
const drawChart = (() => {
  const SVG = "http://www.w3.org/2000/svg";
  const NARROW = 560, WIDE = 1000, WIDEST_BAR = 120;
  let charts = 0;

  const make = (parent, name, attributes, text) => {
    const element = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, value);
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  };
  const html = (parent, name, className, text) => {
    const element = document.createElement(name);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    parent.append(element);
    return element;
  };

  // Four significant digits; large numbers as integers.
  const plain = (value) => {
    if (value === 0) return "0";
    const size = Math.abs(value);
    if (size >= 1e4 && size < 1e9) return String(Math.round(value));
    return String(Number(value.toPrecision(4)));
  };
  const time = (ns) => {
    if (ns === 0) return "0";
    const units = [[1e9, "s"], [1e6, "ms"], [1e3, "µs"], [1, "ns"]];
    const [scale, unit] = units.find(([least]) => Math.abs(ns) >= least * 0.9995) || [1, "ns"];
    return `${plain(ns / scale)} ${unit}`;
  };
  const say = (axis, value) => axis.categories ? axis.categories[value] : axis.time ? time(value)
      : axis.named ? Number((100 * (1 - 1 / value)).toFixed(Math.max(1, Math.ceil(Math.log10(value))))) + " %"
      : plain(value) + (axis.unit && axis.unit !== "1" ? " " + axis.unit : "");

  // Ticks [value, text] of an axis; minor ones have no text.
  const ticksOf = (axis, low, high, room) => {
    if (axis.categories) return axis.categories.map((name, i) => [i, name]);
    if (axis.ticks) return axis.ticks.filter(([value]) => value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9));
    const text = axis.time ? time : plain;
    if (axis.log) {
      const ticks = [], first = Math.floor(Math.log10(low)), last = Math.ceil(Math.log10(high));
      const decades = Math.log10(high / low);
      const named = decades <= 1.2 ? [1, 2, 3, 5, 7] : decades <= 3 ? [1, 2, 5] : [1];
      const stride = Math.max(1, Math.ceil((last - first) / Math.max(2, room)));
      for (let power = first; power <= last; power++)
        for (let digit = 1; digit < 10; digit++) {
          const value = digit * 10 ** power;
          if (value < low * (1 - 1e-9) || value > high * (1 + 1e-9)) continue;
          ticks.push([value, named.includes(digit) && (digit > 1 || (power - first) % stride === 0) ? text(value) : ""]);
        }
      if (ticks.filter(([, name]) => name).length >= 2) return ticks;
    }
    const rough = (high - low) / Math.max(2, room), power = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].find((n) => n * power >= rough * 0.999) * power;
    const ticks = [];
    for (let n = Math.ceil(low / step - 1e-9); n * step <= high + step * 1e-9; n++) ticks.push([n * step, text(Number((n * step).toPrecision(12)))]);
    return ticks;
  };

  // Both ends of a point's error bar.
  const endsOf = ([, y, bar]) => Array.isArray(bar) ? bar : bar ? [y - bar, y + bar] : null;
  const isBars = (kind) => kind === "bars" || kind === "stacked";
  // Lowest and highest value of panels: [x, x, y, y].
  const rangeOf = (chart, panels, hidden) => {
    const xs = [], ys = [];
    for (const panel of panels) {
      const sums = new Map();
      for (const series of panel.series) {
        if (hidden.has(series.name)) continue;
        for (const point of series.points) {
          const [x, y] = point;
          if (y === null || (chart.y.log && y <= 0) || (chart.x.log && x <= 0)) continue;
          xs.push(x);
          if (chart.kind === "stacked") sums.set(x, (sums.get(x) || 0) + y);
          else ys.push(y, ...(endsOf(point) || []).filter((end) => !chart.y.log || end > 0));
        }
        for (const [, y] of series.dashed || []) if (y !== null && !(chart.y.log && y <= 0)) ys.push(y);
      }
      ys.push(...sums.values());
      if (panel.series.every((series) => !hidden.has(series.name))) for (const total of panel.totals || []) ys.push(...(endsOf(total) || []));
      for (const [x, y] of panel.published || []) if (y !== null && !(chart.y.log && y <= 0)) { ys.push(y); if (!chart.x.categories) xs.push(x); }
    }
    if (ys.length === 0) return [1, 2, 1, 2];
    let [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
    if (chart.x.categories) [x0, x1] = [-0.5, chart.x.categories.length - 0.5];
    else if (chart.x.log) {
      const margin = x1 > x0 ? (x1 / x0) ** 0.03 : 1.5;
      [x0, x1] = chart.x.named ? [x0, x1] : [x0 / margin, x1 * margin];
    } else if (x1 === x0) [x0, x1] = [x0 - 0.5, x1 + 0.5];
    else if (chart.kind === "points" && x0 <= x1 / 2) [x0, x1] = [Math.min(0, x0), x1 * 1.03];  // from 0, unless that squeezes the points
    else if (chart.kind !== "steps") { const margin = (x1 - x0) * 0.03; [x0, x1] = [x0 - margin, x1 + margin]; }
    if (chart.y.log) { const margin = y1 > y0 ? (y1 / y0) ** 0.05 : 1.5; [y0, y1] = [y0 / margin, y1 * margin]; }
    else [y0, y1] = [Math.min(0, y0), y1 > 0 ? Math.min(y1 * 1.05, y1 <= chart.y.top ? chart.y.top : Infinity) : y0 < 0 ? 0 : 1];
    return [x0, x1, y0, y1];
  };
  const scaleOf = (log, low, high, from, to) => {
    const f = log ? Math.log : (value) => value;
    return (value) => from + (to - from) * (f(value) - f(low)) / (f(high) - f(low) || 1);
  };
  const shape = (number, x, y, r) => [
    `M${x - r},${y}a${r},${r} 0 1,0 ${2 * r},0a${r},${r} 0 1,0 ${-2 * r},0z`, `M${x - r},${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
    `M${x},${y - 1.25 * r}L${x + 1.2 * r},${y + r}H${x - 1.2 * r}z`, `M${x},${y - 1.3 * r}l${1.3 * r},${1.3 * r}l${-1.3 * r},${1.3 * r}l${-1.3 * r},${-1.3 * r}z`,
    `M${x},${y + 1.25 * r}L${x + 1.2 * r},${y - r}H${x - 1.2 * r}z`][number % 5];

  const draw = (host, chart, state) => {
    const width = Math.floor(host.clientWidth);
    if (width < 50) return;
    state.width = width;
    host.querySelector("svg")?.remove();
    const count = chart.panels.length;
    const columns = width < NARROW ? 1 : Math.min(count, width < WIDE ? 2 : count === 4 ? 2 : 3);
    const rows = Math.ceil(count / columns), cell = width / columns;
    const titled = chart.panels.some((panel) => panel.title);
    const shared = state.shared ? rangeOf(chart, chart.panels, state.hidden) : null;
    const ranges = chart.panels.map((panel) => shared || rangeOf(chart, [panel], state.hidden));
    // The left margin has room for the longest label of a tick, beside the name of the axis.
    const labels = ranges.flatMap(([, , low, high]) => ticksOf(chart.y, low, high, 6)).map(([, text]) => text.length);
    const [left, right, top] = [Math.max(56, 36 + 6.8 * Math.max(...labels)), 12, titled ? 28 : 10];
    const longest = chart.x.categories ? Math.max(...chart.x.categories.map((name) => name.length)) : 0;
    const slanted = chart.x.categories && longest * 7 > (cell - left - right) / chart.x.categories.length;
    const bottom = slanted ? Math.min(150, 44 + longest * 4.6) : 44;
    const plot = Math.round(Math.max(170, Math.min(count === 1 ? 420 : 300, (cell - left - right) * 0.62)));
    const tall = top + plot + bottom;
    const svg = make(host, "svg", {class: "chart", role: "img", tabindex: "0", width, height: rows * tall, viewBox: `0 0 ${width} ${rows * tall}`,
                                   "aria-labelledby": `chart-${state.number}-title chart-${state.number}-what`});
    make(svg, "title", {id: `chart-${state.number}-title`}, chart.title);
    make(svg, "desc", {id: `chart-${state.number}-what`}, `${chart.y.label} against ${chart.x.label}; ` +
         [...new Set(chart.panels.flatMap((panel) => panel.series.map((series) => series.name)))].join(", "));
    state.targets = [];
    chart.panels.forEach((panel, number) => {
      const x0 = (number % columns) * cell + left, y0 = Math.floor(number / columns) * tall + top;
      const x1 = (number % columns + 1) * cell - right, y1 = y0 + plot;
      const [lowX, highX, lowY, highY] = ranges[number];
      const px = scaleOf(chart.x.log, lowX, highX, x0, x1), py = scaleOf(chart.y.log, lowY, highY, y1, y0);
      const group = make(svg, "g", {class: "panel"});
      if (panel.title) make(group, "text", {x: (x0 + x1) / 2, y: y0 - 10, class: "head", "text-anchor": "middle"}, panel.title);
      let last = -1e9;
      for (const [value, text] of ticksOf(chart.y, lowY, highY, plot / 45)) {
        const y = py(value);
        if (text) make(group, "path", {class: "grid", d: `M${x0},${y}H${x1}`});
        make(group, "path", {class: "tick", d: `M${x0},${y}h${text ? -5 : -3}`});
        if (text && Math.abs(y - last) > 13) { make(group, "text", {x: x0 - 8, y: y + 4, "text-anchor": "end"}, text); last = y; }
      }
      last = -1e9;
      for (const [value, text] of ticksOf(chart.x, lowX, highX, (x1 - x0) / 75)) {
        const x = px(value);
        if (!chart.x.categories) make(group, "path", {class: "tick", d: `M${x},${y1}v${text ? 5 : 3}`});
        if (!text) continue;
        const room = String(text).length * 3.6;
        if (slanted) make(group, "text", {transform: `translate(${x + 4},${y1 + 12}) rotate(-32)`, "text-anchor": "end"}, text.length > 30 ? text.slice(0, 29) + "…" : text);
        else if (x - room > last) { make(group, "text", {x, y: y1 + 18, "text-anchor": "middle"}, text); last = x + room + 4; }
      }
      make(group, "path", {class: "axis", d: `M${x0},${y0}V${y1}H${x1}`});
      const name = (axis) => axis.label + (axis.unit && axis.unit !== "1" ? ` (${axis.unit})` : "");
      make(group, "text", {x: (x0 + x1) / 2, y: y1 + bottom - 8, class: "label", "text-anchor": "middle"}, name(chart.x));
      if (number % columns === 0)
        make(group, "text", {transform: `translate(${x0 - left + 14},${(y0 + y1) / 2}) rotate(-90)`, class: "label", "text-anchor": "middle"}, name(chart.y));
      if (panel.series.every((line) => line.points.every(([, y]) => y === 0)))
        make(group, "text", {x: (x0 + x1) / 2, y: (y0 + y1) / 2, class: "label", "text-anchor": "middle"}, "none");
      series(group, chart, panel, state, px, py, Math.max(lowY, chart.y.log ? lowY : 0), [x0, y0, x1, y1]);
    });
    state.mark = make(svg, "circle", {class: "mark", r: 7, visibility: "hidden"});
  };

  const error = (group, chart, point, x, py) => {
    const ends = endsOf(point);
    if (ends) make(group, "path", {class: "error", d: `M${x},${py(chart.y.log && ends[0] <= 0 ? point[1] / 10 : ends[0])}V${py(ends[1])}`});
  };

  // The width of one of `count` bars beside each other.
  const barWidth = (chart, px, count) => Math.min((px(1) - px(0)) * 0.8 / (chart.kind === "bars" ? count : 1), WIDEST_BAR);

  const series = (group, chart, panel, state, px, py, floor, box) => {
    const shown = panel.series.filter((one) => !state.hidden.has(one.name));
    const stacks = new Map();
    const target = (x, y, line, point, about) => state.targets.push({x, y, box, text: [panel.title, line.name, `${chart.x.label}: ${say(chart.x, point[0])}`,
      `${chart.y.label}: ${say(chart.y, point[1])}` + (Array.isArray(point[2]) ? ` (${say(chart.y, point[2][0])} to ${say(chart.y, point[2][1])})` : point[2] ? ` ± ${say(chart.y, point[2])}` : ""), about, point[3]].filter((words) => words)});
    shown.forEach((line, number) => {
      const one = make(group, "g", {style: `--s: var(--c${line.colour})`});
      const points = line.points.filter(([x, y]) => y !== null && !(chart.y.log && y <= 0) && !(chart.x.log && x <= 0));
      if (isBars(chart.kind)) {
        const wide = barWidth(chart, px, shown.length);
        for (const point of points) {
          const base = chart.kind === "stacked" ? stacks.get(point[0]) || 0 : floor, end = chart.kind === "stacked" ? base + point[1] : point[1];
          stacks.set(point[0], end);
          const x = px(point[0]) + (chart.kind === "bars" ? (number - shown.length / 2) * wide : -wide / 2);
          const [low, high] = [py(Math.min(base, end)), py(Math.max(base, end))];
          make(one, "path", {class: "bar", d: `M${x},${low}H${x + wide}V${high}H${x}z`});
          if (chart.kind === "bars") error(one, chart, point, x + wide / 2, py);  // stacked bars have it at their total
          target(x + wide / 2, chart.kind === "stacked" ? (low + high) / 2 : high, line, point, chart.kind === "stacked" && line.whole ? `${plain(100 * point[1] / line.whole[point[0]])} % of ${say(chart.y, line.whole[point[0]])}` : "");
        }
        return;
      }
      for (const point of points) error(one, chart, point, px(point[0]), py);
      const path = (list, step) => list.map(([x, y], i) => i === 0 ? `M${px(x).toFixed(1)},${py(y).toFixed(1)}`
          : step ? (step === "rise" ? `V${py(y).toFixed(1)}H${px(x).toFixed(1)}` : `H${px(x).toFixed(1)}V${py(y).toFixed(1)}`) : `L${px(x).toFixed(1)},${py(y).toFixed(1)}`).join("");
      const dashed = (line.dashed || []).filter(([, y]) => y !== null && !(chart.y.log && y <= 0));
      if (dashed.length) make(one, "path", {class: "dashed", d: path(dashed)});
      if (line.front) make(one, "path", {class: "front", d: path(points, line.front === "largest" ? "rise" : "run")});
      else if (chart.kind === "lines" || chart.kind === "steps") make(one, "path", {class: "line", d: path(points, chart.kind === "steps" ? "run" : ""), ...(line.level ? {"stroke-dasharray": `6 ${6 * line.level}`} : {})});
      for (const point of points) {
        const [x, y] = [px(point[0]), py(point[1])];
        if (chart.kind !== "steps" && !line.front) make(one, "path", {class: "point", d: shape(line.colour - 1, x, y, 4)});
        if (!line.front) target(x, y, line, point, "");
      }
    });
    if (shown.length === panel.series.length) for (const total of panel.totals || []) error(group, chart, total, px(total[0]), py);
    for (const [at, y, name, about] of panel.published || []) {
      const number = shown.findIndex((line) => line.name === name);
      if (at === null || (name && number < 0)) continue;
      const wide = isBars(chart.kind) ? barWidth(chart, px, shown.length) : 0;
      const x = px(at) + (name ? (number - (shown.length - 1) / 2) * wide : 0);
      make(group, "path", {class: "published", d: `M${x - 5},${py(y)}h10M${x},${py(y) - 5}v10`});
      target(x, py(y), {name: name ? `${name}, published` : "published"}, [at, y, null, about], "");
    }
  };

  const legend = (host, chart, state) => {
    const all = new Map();
    for (const panel of chart.panels) for (const line of panel.series) if (!all.has(line.name)) all.set(line.name, line);
    const box = html(host, "div", "legend");
    for (const [name, line] of all) {
      const marked = !line.front && !isBars(chart.kind) && chart.kind !== "steps";
      const key = html(box, "button", line.front ? "key front" : marked ? `key mark${(line.colour - 1) % 5}` : "key", name);
      key.type = "button";
      key.style.setProperty("--s", `var(--c${line.colour})`);
      key.setAttribute("aria-pressed", "true");
      key.title = "show or hide";
      key.addEventListener("click", () => {
        if (!state.hidden.delete(name)) state.hidden.add(name);
        key.setAttribute("aria-pressed", String(!state.hidden.has(name)));
        draw(host, chart, state);
      });
    }
    if (chart.dashed) html(box, "span", "dashes", chart.dashed);
    if (chart.panels.some((panel) => panel.published)) html(box, "span", "crosses", "published");
    if (chart.bars) html(box, "span", "ends", chart.bars);
    if (chart.panels.length < 2) return;
    const own = html(box, "label", "own", " a range for each panel");
    const tick = document.createElement("input");
    tick.type = "checkbox";
    tick.checked = !state.shared;
    own.prepend(tick);
    tick.addEventListener("change", () => { state.shared = !tick.checked; draw(host, chart, state); });
  };

  const hover = (host, state) => {
    const tip = html(host, "div", "tip");
    tip.hidden = true;
    const show = (target) => {
      state.at = target;
      state.mark?.setAttribute("visibility", target ? "visible" : "hidden");
      tip.hidden = !target;
      if (!target) return;
      state.mark.setAttribute("cx", target.x);
      state.mark.setAttribute("cy", target.y);
      tip.replaceChildren();
      for (const words of target.text) html(tip, "div", "", words);
      const svg = host.querySelector("svg");
      const scroll = [svg.getBoundingClientRect().left - host.getBoundingClientRect().left, svg.getBoundingClientRect().top - host.getBoundingClientRect().top];
      tip.style.left = Math.max(0, Math.min(target.x + scroll[0] + 14, state.width - tip.offsetWidth)) + "px";
      tip.style.top = target.y + scroll[1] + 14 + "px";
    };
    host.addEventListener("pointermove", (event) => {
      const svg = host.querySelector("svg");
      if (!svg || !svg.contains(event.target)) return;
      const at = svg.getBoundingClientRect(), x = event.clientX - at.left, y = event.clientY - at.top;
      let best = null, least = Infinity;
      for (const target of state.targets) {
        const [x0, y0, x1, y1] = target.box;
        if (x < x0 - 10 || x > x1 + 10 || y < y0 - 10 || y > y1 + 10) continue;
        const distance = (target.x - x) ** 2 + (target.y - y) ** 2;
        if (distance < least) [best, least] = [target, distance];
      }
      show(best);
    });
    host.addEventListener("pointerleave", () => show(null));
    host.addEventListener("keydown", (event) => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step || state.targets.length === 0) return;
      event.preventDefault();
      show(state.targets[(state.targets.indexOf(state.at) + step + state.targets.length) % state.targets.length]);
    });
  };

  return (host, chart) => {
    const state = {number: ++charts, hidden: new Set(), shared: chart.shared !== false, targets: [], width: 0};
    host.replaceChildren();
    host.classList.add("drawn");
    legend(host, chart, state);
    hover(host, state);
    draw(host, chart, state);
    if (host.watcher) host.watcher.disconnect();
    host.watcher = new ResizeObserver(() => { if (Math.floor(host.clientWidth) !== state.width) draw(host, chart, state); });
    host.watcher.observe(host);
  };
})();
