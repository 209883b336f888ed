// One selection for chart, table and code; filters, keys and the choice of machine.
let cameFrom = null;

const select = (loop) => {
  state.selected = loop;
  drawLoop();
  reveal(loop);
  drawRows();
  drawChart();
  byId("body").setAttribute("aria-activedescendant", `row-${loop}`);
};

const choose = (loop) => {
  select(loop);
  history.replaceState(null, "", `#${encodeURIComponent(`${text(loops.file[loop])}:${loops.line[loop]}`)}`);
};

const goToCode = () => {
  cameFrom = document.activeElement?.id === "body" ? byId("body") : byId("chart");
  byId("loop").scrollIntoView({ block: "start" });
  byId("title").focus({ preventScroll: true });
};

const goBack = () => {
  const place = cameFrom ?? byId("chart");
  place.scrollIntoView({ block: "nearest" });
  place.focus({ preventScroll: true });
  if (place.id === "chart") scrollTo(0, 0);
};

const redraw = () => {
  filterLoops();
  drawTable();
  drawChart();
};

const makeLegend = () => {
  const legend = byId("legend");
  const counts = new Map();
  for (const loop of all) {
    const name = limiterOf(loop);
    counts.set(name, [(counts.get(name)?.[0] ?? 0) + 1, hueOf(loop)]);
  }
  legend.textContent = "";
  for (const [name, [count, hue]] of [...counts].sort((a, b) => b[1][0] - a[1][0])) {
    const button = legend.appendChild(element("button"));
    button.type = "button";
    button.append(element("span", `swatch ${hue}`), `${name} ${count}`);
    button.setAttribute("aria-pressed", String(!state.hidden.has(name)));
    button.addEventListener("click", () => {
      if (!state.hidden.delete(name)) state.hidden.add(name);
      button.setAttribute("aria-pressed", String(!state.hidden.has(name)));
      redraw();
    });
  }
  if (data.works.length) {
    const count = `${all.filter(hasDot).length} of ${total} loops count ${data.works[state.work].work}`;
    legend.appendChild(element("span", "", count));
  }
  legend.appendChild(element("span", "hint", "area: share of the time · ring: has advice · hollow: lower bound"));
};

// What most loops count comes first; a machine may lack it.
const startWork = () => {
  const known = verdicts().work.filter((work) => work !== null);
  state.work = known.length ? Math.min(...known) : 0;
  if (byId("work")) byId("work").value = String(state.work);
};

const showView = () => {
  chooseView();
  byId("run").textContent = text(machine().heading);
  state.hidden.clear();
  ranks.clear();
  searched.clear();
  startWork();
  sortLoops();
  makeLegend();
  filterLoops();
  makeChart();
  drawTable();
  drawLoop();
};

const nameStops = () => {
  for (const input of document.querySelectorAll(".slider")) {
    const at = Number(input.dataset.slider);
    const { own, values } = data.sliders[at];
    const stop = at === state.slider ? state.stop : own;
    input.value = String(stop);
    const name = text(values[stop]);
    input.setAttribute("aria-valuetext", name);
    input.nextElementSibling.textContent = name;
  }
};

// One quantity moves at a time: the others have the run's own values.
const slide = (input) => {
  const at = Number(input.dataset.slider);
  state.stop = Number(input.value);
  state.slider = state.stop === data.sliders[at].own ? -1 : at;
  nameStops();
  showView();
};

const step = (loops_, key) => {
  const at = loops_.indexOf(state.selected);
  const to = { ArrowDown: at + 1, ArrowRight: at + 1, ArrowUp: at - 1, ArrowLeft: at - 1, Home: 0, End: loops_.length - 1,
    PageDown: at + 10, PageUp: at - 10 }[key];
  if (to === undefined || !loops_.length) return false;
  choose(loops_[Math.min(Math.max(to, 0), loops_.length - 1)]);
  return true;
};

const pressed = (event) => {
  const typing = event.target.matches("input, select");
  if (event.ctrlKey || event.metaKey || event.altKey) return false;
  if (event.key === "/" && !typing) {
    byId("text").select();
    byId("text").focus();
    return true;
  }
  if (event.target === byId("text")) return typed(event.key);
  if (event.key === "Escape" && event.target.closest("#loop")) {
    goBack();
    return true;
  }
  const inChart = event.target === byId("chart"), inTable = event.target === byId("body");
  if (!inChart && !inTable) return false;
  if (event.key === "Enter" && state.selected >= 0) {
    goToCode();
    return true;
  }
  return step(inChart ? byShare() : state.shown, event.key);
};

const typed = (key) => {
  if (key === "Escape") {
    byId("text").value = "";
    search();
  } else if (key === "ArrowDown" || key === "Enter") {
    byId("body").focus();
    if (state.shown.length) choose(state.shown[0]);
  } else {
    return false;
  }
  return true;
};

const search = () => {
  state.words = byId("text").value.toLowerCase().split(/\s+/).filter(Boolean);
  byId("body").scrollTop = 0;
  redraw();
};

const follow = () => {
  let name = "";
  try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
  const found = all.find((loop) => `${text(loops.file[loop])}:${loops.line[loop]}` === name);
  if (found !== undefined) choose(found);
};

const isDark = () => getComputedStyle(document.documentElement).colorScheme === "dark"
  || (document.documentElement.dataset.theme === undefined && matchMedia("(prefers-color-scheme: dark)").matches);

const start = () => {
  makeTable();
  nameStops();
  showView();
  document.addEventListener("keydown", (event) => {
    if (pressed(event)) event.preventDefault();
  });
  byId("text").addEventListener("input", search);
  byId("filters").addEventListener("submit", (event) => event.preventDefault());
  byId("back").addEventListener("click", goBack);
  byId("machine")?.addEventListener("change", () => {
    state.machine = Number(byId("machine").value);
    showView();
  });
  for (const input of document.querySelectorAll(".slider")) input.addEventListener("input", () => slide(input));
  byId("work")?.addEventListener("change", () => {
    state.work = Number(byId("work").value);
    makeLegend();
    makeChart();
  });
  byId("theme").addEventListener("click", () => {
    document.documentElement.dataset.theme = isDark() ? "light" : "dark";
    drawChart();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawChart);
  addEventListener("resize", () => {
    plot?.setSize(size());
    drawTable();
  });
  addEventListener("hashchange", follow);
  // a browser may bring back what was typed before the page was loaded again
  if (byId("text").value) search();
  select(state.shown[0] ?? 0);
  follow();
};
if (total) start();
