// One mention: its context, the gold entity, and the candidates of one row or two.

const NEAR = 320; // characters of context on either side that are shown at once

function showMention(pane, store, state, mention, choose) {
  pane.replaceChildren();
  if (mention === null) {
    pane.append(make("p", { class: "hint" }, "No mention passes the filters."));
    return;
  }
  const { mentions } = store;
  const gold = mentions.gold[mention];
  const facts = [store.worlds[mentions.world[mention]], store.categories[mentions.category[mention]], mentions.id[mention]];
  pane.append(
    make("h3", {}, mentions.mention[mention] || "(empty mention)"),
    make("p", { class: "hint" }, facts.filter(Boolean).join(" \u00b7 ")),
    context(mentions, mention),
    goldPart(store, gold),
    ranks(store, state, mention, choose),
  );
  const rows = [state.row, ...(state.other ? [state.other] : [])];
  const columns = make("div", { class: rows.length > 1 ? "columns two" : "columns" });
  for (const row of rows) columns.append(ranking(store, row, mention, rows));
  pane.append(columns);
}

// The mention between its neighbours; the whole context on demand, as it is long.
function context(mentions, mention) {
  const [left, name, right] = [mentions.left[mention], mentions.mention[mention], mentions.right[mention]];
  const quote = (before, after) =>
    make("blockquote", { class: "context" }, `${before} `, make("mark", { class: "mention" }, name), ` ${after}`);
  const short = [lastWords(left, NEAR), firstWords(right, NEAR)];
  const near = quote(...short);
  if (short[0] === left && short[1] === right) return near;
  return make("div", {}, near, whole("Whole context", () => quote(left, right)));
}

function firstWords(text, room) {
  return text.length <= room + 20 ? text : `${text.slice(0, text.lastIndexOf(" ", room) + 1 || room)}\u2026`;
}

function lastWords(text, room) {
  if (text.length <= room + 20) return text;
  const start = text.indexOf(" ", text.length - room);
  return `\u2026${text.slice(start < 0 ? text.length - room : start)}`;
}

function goldPart(store, gold) {
  const { entities } = store;
  const text = store.text(gold).map((piece) => (typeof piece === "number" ? `[${counted(piece, "sentence")} left out]` : piece));
  return make(
    "div",
    { class: "gold-entity" },
    make("p", {}, "Gold entity: ", make("strong", {}, entities.title[gold]), ` (${store.length(gold)})`),
    entities.text[gold] ? whole("Its description", () => make("p", { class: "description" }, text.join(" ") || "(empty)")) : null,
  );
}

// Where the gold entity stands in each row; a row can be chosen from here.
function ranks(store, state, mention, choose) {
  const items = store.rows.map((row) => {
    const rank = row.rank[mention];
    const hit = store.hit(row, mention, state.cutoff);
    const said = rank ? `rank ${rank}` : `not in ${row.depth}`;
    return make(
      "li",
      {},
      make(
        "button",
        { type: "button", "aria-pressed": String(row === state.row), onclick: () => choose(row.system) },
        make("span", { class: hit ? "sign hit" : "sign miss", "aria-hidden": "true" }, hit ? "\u2713" : "\u2717"),
        ` ${row.method}: ${said}`,
        make("span", { class: "unseen" }, hit ? `, hit at ${state.cutoff}` : `, missed at ${state.cutoff}`),
      ),
    );
  });
  return make(
    "details",
    { class: "ranks", open: items.length <= 8 },
    make("summary", {}, `The gold entity in ${counted(items.length, "row")}`),
    make("ul", {}, ...items),
  );
}

function ranking(store, row, mention, rows) {
  const found = store.candidates(row, mention);
  const list = make("ol", { class: "candidates" });
  let before = 0;
  for (const candidate of found) {
    if (candidate.rank > before + 1)
      list.append(make("li", { class: "between" }, `\u2026 ${counted(candidate.rank - before - 1, "candidate")} between`));
    list.append(candidateItem(store, row, mention, candidate, rows));
    before = candidate.rank;
  }
  const missing = row.rank[mention] === 0;
  return make(
    "section",
    { "aria-label": `Candidates of ${row.method}` },
    make("h4", {}, row.method, " ", make("code", {}, row.key)),
    missing ? make("p", { class: "problem" }, `\u2717 The gold entity is not among the ${row.depth} candidates.`) : null,
    list,
  );
}

function candidateItem(store, row, mention, candidate, rows) {
  const { entities, mentions } = store;
  const title = entities.title[candidate.entity];
  const all = parts(store.text(candidate.entity), candidate, row.views, wordsOf(mentions.mention[mention]));
  const elsewhere = rows
    .filter((other) => other !== row)
    .map((other) => store.candidates(other, mention).find((one) => one.entity === candidate.entity))
    .map((found) => (found ? `rank ${found.rank} in the other row` : "not among the first of the other row"));
  return make(
    "li",
    { class: candidate.gold ? "candidate gold" : "candidate", value: candidate.rank },
    make(
      "p",
      { class: "title" },
      make("span", { class: "rank" }, `${candidate.rank}.`),
      " ",
      make("strong", {}, title),
      candidate.gold ? make("span", { class: "badge" }, "\u2713 gold") : null,
      make("span", { class: "score" }, `score ${candidate.score}`),
    ),
    make("p", { class: "hint" }, [viewName(candidate, row.views), ...elsewhere].join(" \u00b7 ")),
    all.length ? written(excerpt(all)) : make("p", { class: "hint" }, entities.text[candidate.entity] ? "(no description)" : "(description not read)"),
    all.length > 1 ? whole(`Whole description, ${store.length(candidate.entity)}`, () => written(all)) : null,
  );
}

// Something that is made when it is first opened.
function whole(summary, content) {
  const element = make("details", {}, make("summary", {}, summary));
  element.addEventListener("toggle", () => element.childElementCount === 1 && element.append(content()));
  return element;
}
