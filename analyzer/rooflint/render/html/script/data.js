// The data of the page: columns by loop, texts by their place in one list.
const byId = (id) => document.getElementById(id);
const data = JSON.parse(byId("data").textContent);
const { loops } = data;
const total = loops.line.length;
const all = Array.from({ length: total }, (_, loop) => loop);

// machine, work: what is shown; slider, stop: another value of what a slider varies, -1: none; order: loops as sorted; shown: those of them that pass the filters.
const state = {
  machine: 0, slider: -1, stop: 0, work: 0, selected: -1, sort: "share", down: true, hidden: new Set(), words: [],
  order: all, shown: all,
};

const text = (place) => (place === null || place === undefined ? "" : data.texts[place]);
let view = data.machines[0];
const machine = () => view;
// The machine's own columns, with those in their place that another value changes.
const chooseView = () => {
  view = data.machines[state.machine];
  const stop = data.sliders[state.slider]?.stops[state.stop]?.[state.machine];
  if (stop) view = { ...view, ...stop, verdicts: { ...view.verdicts, ...stop.verdicts } };
};
const verdicts = () => machine().verdicts;
const said = (column, loop) => text(verdicts()[column][loop]);
const shareOf = (loop) => verdicts().share[loop] ?? 0;
const hueOf = (loop) => said("hue", loop) || "none";
const limiterOf = (loop) => said("limiter", loop) || "not analysed";
const placeOf = (loop) => {
  const path = text(loops.file[loop]);
  const name = path.slice(path.lastIndexOf("/") + 1);
  return loops.line[loop] ? `${name}:${loops.line[loop]}` : name;
};
const titleOf = (loop) => `${placeOf(loop)} ${text(loops.function[loop])}`.trim();

const element = (name, className, content) => {
  const made = document.createElement(name);
  if (className) made.className = className;
  if (content !== undefined) made.textContent = content;
  return made;
};

// What a stylesheet says of a colour, as the canvas wants it: both schemes have one value each.
const probe = document.body.appendChild(element("span"));
probe.hidden = true;
const colour = (name) => {
  probe.style.color = `var(--${name})`;
  return getComputedStyle(probe).color;
};
