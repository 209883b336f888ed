// The selected loop: its code, the findings beside it, its terms under the roofs and what they rest on.
const AROUND = 3;

const linesOf = (loop) => {
  const runs = data.sources[loops.file[loop]] ?? [];
  const [first, last] = [loops.first[loop] - AROUND, loops.last[loop] + AROUND];
  const found = [];
  for (let at = 0; at < runs.length; at += 2) {
    text(runs[at + 1]).split("\n").forEach((content, place) => {
      const number = runs[at] + place;
      if (number >= first && number <= last) found.push([number, content]);
    });
  }
  return found;
};

const othersOf = (loop) => new Map(all
  .filter((other) => other !== loop && loops.file[other] === loops.file[loop])
  .map((other) => [loops.line[other], other]).reverse());

const drawCode = (loop, findings) => {
  const code = byId("code");
  const heads = new Set(loops.heads[loop]);
  const marked = new Set(findings.map((finding) => finding[0]));
  const others = othersOf(loop);
  code.textContent = "";
  let last = null;
  for (const [number, content] of linesOf(loop)) {
    if (last !== null && number !== last + 1) code.appendChild(element("div", "line", "⋯"));
    last = number;
    const line = code.appendChild(element("div", "line"));
    const other = others.get(number);
    const gutter = line.appendChild(element(other === undefined ? "span" : "button", "", String(number)));
    if (other !== undefined) {
      gutter.type = "button";
      gutter.title = `select ${titleOf(other)}`;
      gutter.addEventListener("click", () => choose(other));
    }
    line.appendChild(element("span", marked.has(number) ? "found" : "", content));
    if (number === loops.line[loop]) line.classList.add("own");
    else if (heads.has(number)) line.classList.add("outer");
  }
  code.hidden = !code.children.length;
  const own = code.querySelector(".own");
  if (own) code.scrollTop = own.offsetTop - code.offsetTop - 60;
};

const diffOf = (change) => {
  const lines = element("pre");
  lines.tabIndex = 0;
  for (const line of change.split("\n")) {
    const kind = { "+": "add", "-": "cut" }[line[0]] ?? "";
    lines.appendChild(element("span", kind, line));
  }
  return lines;
};

const drawFindings = (findings) => {
  const place = byId("findings");
  place.textContent = "";
  place.hidden = !findings.length;
  place.appendChild(element("h3", "", "Findings"));
  for (const [, sentence_, doubts, title, change] of findings) {
    const part = place.appendChild(element("div", "finding"));
    part.appendChild(element("p", "", text(sentence_)));
    const words = [text(doubts), text(title)].filter(Boolean);
    for (const each of words) part.appendChild(element("p", "", each));
    if (text(change)) part.appendChild(diffOf(text(change)));
  }
};

const pairs = (flat) => Array.from({ length: flat.length / 2 }, (_, at) => [flat[2 * at], flat[2 * at + 1]]);

// Terms of the estimate on the left, roofs on the right; cycles per iteration.
const termTable = (loop, terms, floors, side) => {
  const table = element("table", "data");
  const head = table.appendChild(element("thead")).appendChild(element("tr"));
  for (const title of ["term", "cy/it", "roof", "cy/it"]) head.appendChild(element("th", "", title));
  const body = table.appendChild(element("tbody"));
  for (let at = 0; at < Math.max(terms.length, floors.length); at += 1) {
    const row = body.appendChild(element("tr"));
    for (const [place, part] of [terms[at], floors[at]].entries()) {
      const limits = side === place + 1 && part && text(part[0]) === limiterOf(loop);
      row.appendChild(element("td", limits ? "limit" : "", part ? text(part[0]) : ""));
      row.appendChild(element("td", "", part ? String(part[1]) : ""));
    }
  }
  return table;
};

const FOLDED = new Set(["Models", "Assumed"]);

const drawNotes = (loop, [termList, floorList, groupList, , side]) => {
  const notes = byId("notes");
  notes.textContent = "";
  if (state.slider >= 0) {
    const { name, own, values } = data.sliders[state.slider];
    notes.appendChild(element("p", "hint", `Terms, findings and notes are of ${text(name)} = ${text(values[own])}.`));
  }
  const terms = pairs(termList), floors = pairs(floorList);
  if (terms.length || floors.length) notes.appendChild(termTable(loop, terms, floors, side));
  for (const group of groupList) {
    const [label, ...texts] = data.groups[group].map(text);
    const folded = FOLDED.has(label);
    const parent = folded ? notes.appendChild(element("details")) : notes;
    parent.appendChild(element(folded ? "summary" : "h3", "", label));
    const list = parent.appendChild(element("ul"));
    for (const each of texts) list.appendChild(element("li", "", each));
  }
};

const drawLoop = () => {
  const loop = state.selected;
  byId("loop").hidden = loop < 0;
  if (loop < 0) return;
  const parts = [titleOf(loop), said("share_text", loop), said("hint", loop), said("time_text", loop)];
  byId("title").textContent = parts.filter((part) => part && part !== "–").join(" · ");
  byId("title").title = text(loops.file[loop]);
  const details = machine().details[loop];
  const findings = details[3].map((place) => data.findings[place]);
  drawCode(loop, findings);
  drawFindings(findings);
  drawNotes(loop, details);
};
