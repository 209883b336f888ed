// The table: rows exist only where they are seen; every loop of the chart is one of them.
const ROW = 26; // pixels, as in the style
const EXTRA = 6;
const COLUMNS = [
  ["share", "time"], ["loop", "loop"], ["limit", "limit"], ["time", "now → possible"], ["do", "do"],
];
const FIRST_DOWN = new Set(["share", "time", "do"]);
const pool = [];
const ranks = new Map();

// A number for each loop to sort by; of words their place in the alphabet, found once.
const keysOf = (column) => {
  const v = verdicts();
  if (column === "share") return v.share;
  if (column === "time") return v.now;
  if (column === "do") return v.now.map((now, loop) => (v.rule[loop] === null ? null : now - v.possible[loop]));
  if (!ranks.has(column)) ranks.set(column, ranked(column));
  return ranks.get(column);
};

const ranked = (column) => {
  const collator = new Intl.Collator("en", { numeric: true });
  const places = new Map([...new Set(all.map((loop) => wordOf(column, loop)))]
    .sort(collator.compare).map((word, place) => [word, place]));
  return all.map((loop) => {
    const tie = column === "loop" ? loops.line[loop] / 1e7 : 1 - (verdicts().of_limit[loop] ?? 0);
    return places.get(wordOf(column, loop)) + tie / 2;
  });
};

const wordOf = (column, loop) => (column === "loop" ? text(loops.file[loop]) : limiterOf(loop));

const sortLoops = () => {
  const keys = keysOf(state.sort);
  const sign = state.down ? -1 : 1;
  state.order = [...all].sort((a, b) => {
    const [x, y] = [keys[a] ?? null, keys[b] ?? null];
    if (x === null || y === null) return (x === null) - (y === null) || a - b;
    return sign * (x - y) || a - b;
  });
};

const searched = new Map();
const searchText = (loop) => {
  if (!searched.has(loop)) {
    const parts = [text(loops.file[loop]), placeOf(loop), text(loops.function[loop]), text(loops.nest[loop])];
    parts.push(limiterOf(loop), said("hint", loop), said("do_text", loop));
    searched.set(loop, parts.join(" ").toLowerCase());
  }
  return searched.get(loop);
};

const passes = (loop) =>
  !state.hidden.has(limiterOf(loop)) && state.words.every((word) => searchText(loop).includes(word));

const filterLoops = () => {
  state.shown = state.order.filter(passes);
  byId("count").textContent = `${state.shown.length} of ${total} loops`;
  byId("nothing").hidden = state.shown.length > 0;
};

const makeRow = () => {
  const row = element("div", "row");
  row.setAttribute("role", "row");
  for (const [name] of COLUMNS) {
    const cell = row.appendChild(element("span", name));
    cell.setAttribute("role", "gridcell");
  }
  const [share, loop, limit] = row.children;
  share.append(element("b"), element("span", "bar"));
  loop.append(element("span"), " ", element("small"));
  limit.append(element("span", "swatch"), element("span"));
  return row;
};

const fillRow = (row, loop, place, most) => {
  const [share, name, limit, time, deed] = row.children;
  row.id = `row-${loop}`;
  row.dataset.loop = loop;
  row.style.top = `${place * ROW}px`;
  row.setAttribute("aria-rowindex", String(place + 2));
  row.setAttribute("aria-selected", String(loop === state.selected));
  share.children[0].textContent = said("share_text", loop) || "–";
  share.children[1].style.width = `${Math.round(60 * shareOf(loop) / most)}px`;
  name.children[0].textContent = titleOf(loop);
  name.children[1].textContent = text(loops.nest[loop]);
  name.title = text(loops.file[loop]);
  limit.children[0].className = `swatch ${hueOf(loop)}`;
  limit.children[1].textContent = said("limit_text", loop) || "not analysed";
  time.textContent = said("time_text", loop) || "–";
  deed.textContent = deed.title = said("do_text", loop) || "–";
};

const drawRows = () => {
  const body = byId("body");
  const first = Math.max(0, Math.floor(body.scrollTop / ROW) - EXTRA);
  const count = Math.min(state.shown.length - first, Math.ceil(body.clientHeight / ROW) + 2 * EXTRA);
  const most = Math.max(1e-9, ...verdicts().share.map((share) => share ?? 0));
  while (pool.length < count) pool.push(byId("rows").appendChild(makeRow()));
  pool.forEach((row, place) => {
    row.hidden = place >= count;
    if (place < count) fillRow(row, state.shown[first + place], first + place, most);
    else row.removeAttribute("id");
  });
};

const drawTable = () => {
  const body = byId("body");
  byId("rows").style.height = `${state.shown.length * ROW}px`;
  body.style.height = `${ROW * Math.min(state.shown.length, Math.max(6, Math.floor(innerHeight * 0.3 / ROW)))}px`;
  byId("loops").setAttribute("aria-rowcount", String(state.shown.length + 1));
  for (const head of byId("heads").children) {
    const now = state.down ? "descending" : "ascending";
    head.setAttribute("aria-sort", head.dataset.column === state.sort ? now : "none");
  }
  drawRows();
};

const reveal = (loop) => {
  const place = state.shown.indexOf(loop);
  const body = byId("body");
  if (place < 0) return;
  if (place * ROW < body.scrollTop) body.scrollTop = place * ROW;
  const end = (place + 1) * ROW - body.clientHeight;
  if (end > body.scrollTop) body.scrollTop = end;
};

const sortBy = (column) => {
  state.down = state.sort === column ? !state.down : FIRST_DOWN.has(column);
  state.sort = column;
  sortLoops();
  filterLoops();
  byId("body").scrollTop = 0;
  drawTable();
};

const makeTable = () => {
  for (const [column, title] of COLUMNS) {
    const head = byId("heads").appendChild(element("span"));
    head.setAttribute("role", "columnheader");
    head.dataset.column = column;
    const button = head.appendChild(element("button", "", title));
    button.type = "button";
    button.addEventListener("click", () => sortBy(column));
  }
  const body = byId("body");
  body.tabIndex = 0;
  body.addEventListener("scroll", drawRows, { passive: true });
  body.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (row && getSelection().isCollapsed) choose(Number(row.dataset.loop));
  });
};
