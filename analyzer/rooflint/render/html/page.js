"use strict";
(() => {
  const byId = (id) => document.getElementById(id);
  const table = byId("loops");
  if (!table) return;
  const heads = [...table.tHead.rows[0].cells];
  let bodies = [...table.tBodies];
  const form = byId("filters");
  const text = byId("text"), bound = byId("bound"), model = byId("model");
  const machine = byId("machine"), problems = byId("problems");
  const words = new Map(bodies.map((body) => [body, body.rows[0].textContent.toLowerCase()]));
  const order = new Intl.Collator("en", { numeric: true });
  const severalModels = model.options.length > 2;
  const opener = (body) => body.rows[0].cells[0].firstElementChild;
  const visible = () => bodies.filter((body) => !body.hidden);

  // A column shows when its machine and its model are chosen; "*" stands for no choice of a model.
  const columnShows = (cell) => {
    const { m, k } = cell.dataset;
    if (m === undefined) return true;
    if (machine.value !== "" && m !== machine.value) return false;
    if (!severalModels) return true;
    if (model.value !== "") return k === model.value;
    return k === "*" || cell.classList.contains("headline");
  };

  const showColumns = () => {
    const shows = heads.map(columnShows);
    for (const row of [table.tHead.rows[0], ...bodies.map((body) => body.rows[0])]) {
      shows.forEach((show, place) => { row.cells[place].hidden = !show; });
    }
    showParts(table);
  };

  const showParts = (where) => {
    for (const part of where.querySelectorAll(".panel [data-m], .panel [data-k]")) {
      const { m, k } = part.dataset;
      part.hidden = (m !== undefined && machine.value !== "" && m !== machine.value)
        || (k !== undefined && model.value !== "" && k !== model.value);
    }
  };

  const passes = (body, wanted) => {
    if (problems.checked && !("p" in body.dataset)) return false;
    if (!wanted.every((word) => words.get(body).includes(word))) return false;
    if (bound.value === "") return true;
    const said = body.rows[0].querySelectorAll("[data-b]:not([hidden])");
    return [...said].some((cell) => cell.dataset.b.split("|").includes(bound.value));
  };

  const filter = () => {
    const wanted = text.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const body of bodies) {
      body.hidden = !passes(body, wanted);
      shown += body.hidden ? 0 : 1;
    }
    byId("count").textContent = `${shown} of ${bodies.length} loops`;
    byId("nothing").hidden = shown > 0;
    rove();
  };

  // One row is in the order of Tab, the others are reached with the arrows.
  const rove = (body) => {
    const rows = visible();
    const last = bodies.find((each) => opener(each).tabIndex === 0);
    const next = body ?? (rows.includes(last) ? last : rows[0]);
    for (const each of bodies) opener(each).tabIndex = each === next ? 0 : -1;
    return next;
  };

  const focus = (body) => {
    if (!body) return;
    rove(body);
    opener(body).focus({ preventScroll: true });
    // Up and down only, and not under the head: scrollIntoView would also move a wide table sideways.
    const { top, bottom } = body.rows[0].getBoundingClientRect();
    const under = table.tHead.getBoundingClientRect().height;
    if (top < under) scrollBy(0, top - under);
    else if (bottom > innerHeight) scrollBy(0, bottom - innerHeight);
  };

  // What a row opens is text until then: it was escaped for markup when the page was made.
  const fill = (cell) => {
    const waiting = cell.querySelector("noscript");
    if (!waiting) return;
    cell.innerHTML = waiting.textContent;
    showParts(cell);
  };

  const open = (body, wanted) => {
    if (wanted) fill(body.rows[1].cells[0]);
    body.rows[1].hidden = !wanted;
    opener(body).setAttribute("aria-expanded", String(wanted));
    if (wanted) history.replaceState(null, "", `#${encodeURIComponent(body.id.slice(5))}`);
  };
  const isOpen = (body) => !body.rows[1].hidden;

  const key = (body, place) => {
    const cell = body.rows[0].cells[place];
    if (cell.dataset.v !== undefined) return Number(cell.dataset.v);
    const said = cell.textContent.trim();
    return said === "–" || said === "" ? null : said;
  };

  const compare = (a, b) => {
    const numbers = typeof a === "number" && typeof b === "number";
    return numbers ? a - b : order.compare(String(a), String(b));
  };

  const sort = (place) => {
    const head = heads[place];
    const now = head.getAttribute("aria-sort");
    const large = ["share", "cycles", "headline"].includes(head.className);
    const down = now === "none" ? large : now === "ascending";
    for (const each of heads) each.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const keys = new Map(bodies.map((body) => [body, key(body, place)]));
    bodies.sort((a, b) => {
      const [x, y] = [keys.get(a), keys.get(b)];
      if (x === null || y === null) return (x === null) - (y === null);
      return down ? compare(y, x) : compare(x, y);
    });
    table.append(...bodies);
  };

  const move = (body, rows, pressed) => {
    const place = rows.indexOf(body);
    const to = { ArrowDown: place + 1, ArrowUp: place - 1, Home: 0, End: rows.length - 1 }[pressed];
    focus(rows[Math.min(Math.max(to, 0), rows.length - 1)]);
  };

  heads.forEach((head, place) => {
    head.firstElementChild.addEventListener("click", () => sort(place));
  });

  table.addEventListener("click", (event) => {
    const row = event.target.closest("tbody > tr");
    const body = row?.parentElement;
    if (!body || body.parentElement !== table || row !== body.rows[0]) return;
    if (!getSelection().isCollapsed) return;
    open(body, !isOpen(body));
    focus(body);
  });

  table.addEventListener("keydown", (event) => {
    const body = event.target.closest("#loops > tbody");
    if (!body || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "Escape" && isOpen(body)) {
      open(body, false);
      focus(body);
    } else if (event.target !== opener(body)) {
      return;
    } else if (["ArrowDown", "ArrowUp", "Home", "End"].includes(event.key)) {
      move(body, visible(), event.key);
    } else if (event.key === "ArrowRight" || event.key === "ArrowLeft") {
      open(body, event.key === "ArrowRight");
    } else {
      return;
    }
    event.preventDefault();
  });

  document.addEventListener("keydown", (event) => {
    const typing = event.target.matches("input, select");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) {
      text.focus();
      text.select();
    } else if (event.key === "ArrowDown" && event.target === text) {
      focus(visible()[0]);
    } else if (event.key === "Escape" && event.target === text) {
      text.value = "";
      filter();
    } else {
      return;
    }
    event.preventDefault();
  });

  form.addEventListener("input", (event) => {
    if (event.target === machine || event.target === model) showColumns();
    filter();
  });
  form.addEventListener("submit", (event) => event.preventDefault());

  const follow = () => {
    let name = "";
    try { name = decodeURIComponent(location.hash.slice(1)); } catch { return; }
    const body = bodies.find((each) => each.id === `loop:${name}`);
    if (!body) return;
    open(body, true);
    focus(body);
  };
  addEventListener("hashchange", follow);
  for (const body of bodies) body.rows[1].hidden = true;
  // A browser may bring back what was typed before the page was loaded again.
  showColumns();
  filter();
  follow();
})();
