// The roofline of all loops: uPlot has scales, axes and grid; roofs, dots and labels are drawn here.
const LARGEST = 34; // radius in pixels of a loop that takes all the time
const SMALLEST = 2.5;
const CELL = 32; // pixels of a side: dots are looked for in the cells around the pointer
const LABELLED = 10;
const NAMED_FIRST = 3; // loops that have their names before the roofs have theirs
const ROOM = 4; // factor around the outermost loops, so that the edge cuts none of them
const RING = 3;

let plot = null;
let dots = new Map(); // by loop: place and radius in pixels of the page
let cells = new Map();

const clamped = (value, [low, high]) => Math.min(Math.max(value, low), high);
const roofs = () => machine().roofs.filter((roof) => roof.work === state.work);
const hasDot = (loop) =>
  verdicts().work[loop] === state.work && verdicts().x[loop] !== null && verdicts().y[loop] !== null;
const byShare = () => state.shown.filter(hasDot).sort((a, b) => shareOf(b) - shareOf(a) || a - b);
const radiusOf = (loop) => Math.max(SMALLEST, LARGEST * Math.sqrt(Math.min(1, shareOf(loop))));

const WORTH = 0.002; // share of the time from which a loop takes part in the choice of both axes

const extent = (values, low, high) =>
  [Math.max(Math.min(...values) / ROOM, low), Math.min(Math.max(...values) * ROOM, high)];

// Ends of both axes: ridges, and the dots that matter; others stand at the edge if they lie beyond.
const ranges = () => {
  const placed = all.filter(hasDot);
  const hot = placed.filter((loop) => shareOf(loop) >= WORTH);
  const [xs, ys] = ["x", "y"].map((name) => (hot.length ? hot : placed).map((loop) => verdicts()[name][loop]));
  const peaks = roofs().flatMap((roof) => roof.peaks.map(([, rate]) => rate));
  const top = peaks.length ? Math.max(...peaks) : Math.max(...ys);
  const ridges = roofs().flatMap((roof) => roof.links.map(([, rate]) => top / rate));
  if (!ridges.length) ridges.push(...xs);
  const x = extent([...xs, ...ridges], Math.min(...ridges) / 1e3, Math.max(...ridges) * 1e2);
  return { x, y: extent([...ys, top, top / 100], top / 1e6, top * 2) };
};

// Whole decades; where an axis has few, also their halves and fifths.
const splits = (_, __, low, high) => {
  const parts = Math.log10(high / low) > 3 ? [1] : [1, 2, 5];
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power += 1) {
    for (const part of parts) {
      const value = Number((part * 10 ** power).toPrecision(3));
      if (value >= low && value <= high) found.push(value);
    }
  }
  return found;
};

const line = (context, ends, dash) => {
  context.setLineDash(dash);
  context.beginPath();
  ends.forEach(([x, y], place) => context[place ? "lineTo" : "moveTo"](
    plot.valToPos(x, "x", true), plot.valToPos(y, "y", true)));
  context.stroke();
};

const highest = (roof) => Math.max(...roof.peaks.map(([, rate]) => rate));
const topOf = (roof) => (roof.peaks.length ? highest(roof) : plot.scales.y.max);

const drawRoofs = (context) => {
  const { min: left, max: right } = plot.scales.x;
  context.lineWidth = 1.5 * uPlot.pxRatio;
  roofs().forEach((roof, place) => {
    const top = topOf(roof);
    const dash = place ? [6 * uPlot.pxRatio, 4 * uPlot.pxRatio] : [];
    context.strokeStyle = colour("dim");
    for (const [, rate] of roof.links) {
      const ridge = Math.min(top / rate, right);
      if (ridge > left) line(context, [[left, rate * left], [ridge, rate * ridge]], dash);
    }
    const fastest = Math.max(...roof.links.map(([, rate]) => rate));
    for (const [, peak] of roof.peaks) {
      const begin = roof.links.length ? Math.max(peak / fastest, left) : left;
      line(context, [[begin, peak], [right, peak]], dash);
    }
  });
};

const circle = (context, { x, y, r }, more) => {
  context.beginPath();
  context.arc(x, y, r + more, 0, 2 * Math.PI);
};

const drawDots = (context) => {
  const hues = new Map();
  context.setLineDash([]);
  for (const [loop, dot] of dots) {
    const hue = hueOf(loop);
    if (!hues.has(hue)) hues.set(hue, colour(hue));
    context.fillStyle = context.strokeStyle = hues.get(hue);
    context.globalAlpha = 0.75;
    context.lineWidth = 2;
    circle(context, dot, 0);
    if (verdicts().lower_bound[loop]) context.stroke();
    else context.fill();
    context.globalAlpha = 1;
    if (verdicts().rule[loop] !== null) {
      circle(context, dot, RING);
      context.lineWidth = 1.5;
      context.stroke();
    }
  }
  const chosen = dots.get(state.selected);
  if (chosen) {
    context.strokeStyle = colour("ink");
    context.lineWidth = 3;
    circle(context, chosen, 2 * RING);
    context.stroke();
  }
};

const locate = () => {
  const range = { x: [plot.scales.x.min, plot.scales.x.max], y: [plot.scales.y.min, plot.scales.y.max] };
  dots = new Map();
  cells = new Map();
  for (const loop of byShare()) {
    const x = plot.valToPos(clamped(verdicts().x[loop], range.x), "x");
    const y = plot.valToPos(clamped(verdicts().y[loop], range.y), "y");
    const dot = { x, y, r: radiusOf(loop) };
    dots.set(loop, dot);
    const reach = Math.max(dot.r + RING, CELL / 4);
    for (let column = Math.floor((x - reach) / CELL); column <= (x + reach) / CELL; column += 1) {
      for (let row = Math.floor((y - reach) / CELL); row <= (y + reach) / CELL; row += 1) {
        const key = `${column},${row}`;
        if (!cells.has(key)) cells.set(key, []);
        cells.get(key).push(loop);
      }
    }
  }
};

// The dot whose edge is nearest: of dots above each other the smallest, which is drawn last.
const dotAt = (x, y) => {
  const near = cells.get(`${Math.floor(x / CELL)},${Math.floor(y / CELL)}`) ?? [];
  let best = -1, least = CELL / 4;
  for (const loop of near) {
    const dot = dots.get(loop);
    const distance = Math.hypot(dot.x - x, dot.y - y) - dot.r;
    if (distance <= least) {
      best = loop;
      least = Math.max(distance, 0);
    }
  }
  return best;
};

const putRoofLabels = (layer) => {
  const { clientWidth: width } = plot.over;
  for (const roof of roofs()) {
    const cores = roofs().length > 1 ? `, ${roof.cores} core${roof.cores === 1 ? "" : "s"}` : "";
    for (const [name, peak] of roof.peaks) {
      const y = plot.valToPos(peak, "y");
      const label = `${name} ${peak} ${data.works[state.work].unit}${cores}`;
      layer.put(label, "roof", (w, h) => [0, 1, 2].map((part) => [width - w - 4 - part * w, y - h - 1]));
    }
    for (const [name, rate] of roof.links) {
      const at = (x) => plot.valToPos(rate * plot.posToVal(x, "x"), "y");
      const along = [0.01, 0.04, 0.08, 0.13, 0.19, 0.26, 0.34, 0.43, 0.53].map((part) => part * width);
      layer.put(`${name} ${rate} GB/s${cores}`, "roof", (w, h) =>
        along.filter((x) => rate * plot.posToVal(x, "x") < topOf(roof)).map((x) => [x, at(x) - h - 2]));
    }
  }
};

const around = (dot) => (w, h) => {
  const gap = dot.r + RING + 2;
  const slant = 0.7 * gap;
  return [
    [dot.x + gap, dot.y - h / 2], [dot.x - gap - w, dot.y - h / 2],
    [dot.x + slant, dot.y - slant - h], [dot.x + slant, dot.y + slant],
    [dot.x - slant - w, dot.y - slant - h], [dot.x - slant - w, dot.y + slant],
    [dot.x - w / 2, dot.y - gap - h], [dot.x - w / 2, dot.y + gap],
  ];
};

const putLabels = () => {
  for (const label of plot.over.querySelectorAll(".label")) label.remove();
  const layer = labelLayer(plot.over);
  const largest = [...dots.keys()].slice(0, LABELLED);
  for (const loop of largest) {
    const { x, y, r } = dots.get(loop);
    layer.block({ left: x - r, right: x + r, top: y - r, bottom: y + r }, loop);
  }
  const name = (loop) => layer.put(titleOf(loop), "dot", around(dots.get(loop)), loop);
  // where most of the time goes has a name before the roofs have theirs
  largest.slice(0, NAMED_FIRST).forEach(name);
  putRoofLabels(layer);
  largest.slice(NAMED_FIRST).forEach(name);
};

const drawAll = () => {
  const { ctx: context, bbox } = plot;
  context.save();
  context.beginPath();
  context.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  context.clip();
  drawRoofs(context);
  context.translate(bbox.left, bbox.top);
  context.scale(uPlot.pxRatio, uPlot.pxRatio);
  drawDots(context);
  context.restore();
};

const sentence = () => {
  const placed = byShare();
  const first = placed.length ? `; the hottest, ${titleOf(placed[0])}, is limited by ${limiterOf(placed[0])}` : "";
  const advised = placed.filter((loop) => verdicts().rule[loop] !== null).length;
  return `Roofline of ${placed.length} loops, ${text(machine().heading)}${first}; ${advised} have advice.`
    + " The table below has the same loops. Arrow keys go from loop to loop, Enter leads to the code.";
};

const axis = (label, more) => ({
  stroke: () => colour("ink"),
  grid: { stroke: () => colour("line"), width: 1 },
  ticks: { stroke: () => colour("line"), width: 1, size: 5 },
  gap: 3,
  label,
  labelSize: 18,
  font: "12px system-ui, sans-serif",
  labelFont: "12px system-ui, sans-serif",
  splits,
  filter: (_, values) => values,
  values: (_, values) => values.map((value) => (value === null ? "" : String(Number(value.toPrecision(6))))),
  ...more,
});

const size = () => ({ width: byId("chart").clientWidth, height: byId("chart").clientHeight });

const makeChart = () => {
  const chart = byId("chart");
  plot?.destroy();
  plot = null;
  const isEmpty = !all.some(hasDot);
  chart.classList.toggle("empty", isEmpty);
  if (isEmpty) {
    chart.textContent = "no loop has a place under a roof: the table has all of them";
    chart.setAttribute("aria-label", chart.textContent);
    return;
  }
  chart.textContent = "";
  const { x, y } = ranges();
  const { work, unit } = data.works[state.work];
  plot = new uPlot({
    ...size(),
    mode: 2,
    legend: { show: false },
    cursor: { show: false },
    scales: { x: { time: false, distr: 3, range: x }, y: { distr: 3, range: y } },
    axes: [axis(`${work} per byte`, { size: 24 }), axis(unit, { scale: "y", size: 56 })],
    series: [null, { paths: () => null, points: { show: false }, facets: [{ scale: "x", auto: true }, { scale: "y", auto: true }] }],
  }, [null, [x, y]], chart);
  plot.hooks.draw = [locate, drawAll, putLabels];
  watchPointer(plot.over);
  drawChart();
};

const drawChart = () => {
  if (!plot) return;
  plot.redraw(false, true);
  byId("chart").setAttribute("aria-label", sentence());
};

const showCard = (loop) => {
  const card = byId("card");
  card.hidden = loop < 0;
  if (loop < 0) return;
  const parts = [titleOf(loop), said("share_text", loop), said("hint", loop), said("time_text", loop)];
  const over = said("over", loop);
  card.textContent = `${parts.filter(Boolean).join(" · ")} · over ${over} · click: code`;
  const dot = dots.get(loop);
  const { offsetLeft, offsetTop } = plot.over;
  const left = Math.min(dot.x + offsetLeft + 16, byId("overview").clientWidth - card.offsetWidth - 4);
  card.style.left = `${Math.max(0, left)}px`;
  card.style.top = `${dot.y + offsetTop + dot.r + 10}px`;
};

const watchPointer = (over) => {
  const under = (event) => {
    const box = over.getBoundingClientRect();
    return dotAt(event.clientX - box.left, event.clientY - box.top);
  };
  over.addEventListener("mousemove", (event) => {
    const loop = under(event);
    over.style.cursor = loop < 0 ? "default" : "pointer";
    showCard(loop);
  });
  over.addEventListener("mouseleave", () => showCard(-1));
  over.addEventListener("click", (event) => {
    const loop = under(event);
    if (loop < 0) return;
    choose(loop);
    goToCode();
  });
};
