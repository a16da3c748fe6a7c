// The filters: filled from the data, read into the state that everything else is drawn from.

const NO_CATEGORY = "(none)";
const ROWS = { row: "row", other: "other", k: "cutoff" }; // ids of the controls by their names in the address
const FILTERS = { outcome: "outcome", world: "world", category: "category", from: "least", to: "most", text: "words" };

function fillControls(store) {
  const rows = store.rows.map((row) => option(row.system, sameMethod(store, row) ? `${row.method} (${row.system})` : row.method));
  byId("row").replaceChildren(...rows);
  byId("other").replaceChildren(option("", "no other row"), ...rows.map((row) => row.cloneNode(true)));
  byId("cutoff").replaceChildren(...store.cutoffs.map((k) => option(k, k)));
  for (const [id, names] of [["world", store.worlds], ["category", store.categories]])
    byId(id).replaceChildren(option("", "all"), ...names.map((name) => option(name || NO_CATEGORY, name || NO_CATEGORY)));
  fillOutcomes(false);
  [byId("row").value, byId("other").value = ""] = store.open;
}

function sameMethod(store, row) {
  return store.rows.some((other) => other !== row && other.method === row.method);
}

function fillOutcomes(comparing) {
  const chosen = byId("outcome").value;
  const outcomes = { ...OUTCOMES, ...(comparing ? CONTRASTS : {}) };
  byId("outcome").replaceChildren(...Object.entries(outcomes).map(([value, text]) => option(value, text)));
  byId("outcome").value = chosen in outcomes ? chosen : "";
}

// What the controls say, for the address; those that say nothing are left out.
function address() {
  const fields = Object.entries({ ...ROWS, ...FILTERS }).map(([name, id]) => [name, byId(id).value]);
  return new URLSearchParams(fields.filter(([, value]) => value));
}

// Set the controls as an address says; without a row or a k these stay.
function setControls(wanted) {
  for (const [name, id] of Object.entries({ ...ROWS, ...FILTERS })) {
    if (!wanted.has(name) && (name === "row" || name === "k")) continue;
    if (name === "outcome") fillOutcomes(byId("other").value !== "");
    const field = byId(id);
    field.value = wanted.get(name) || "";
    if (field.selectedIndex < 0) field.selectedIndex = 0; // not among the options
  }
}

function clearFilters() {
  for (const id of Object.values(FILTERS)) byId(id).value = "";
}

function readState(store) {
  const other = store.row(byId("other").value);
  const row = store.row(byId("row").value) || store.rows[0];
  fillOutcomes(other !== null && other !== row);
  return {
    row,
    other: other === row ? null : other,
    cutoff: Number(byId("cutoff").value),
    outcome: byId("outcome").value,
    world: store.worlds.indexOf(byId("world").value), // -1 = all
    category: store.categories.findIndex((name) => (name || NO_CATEGORY) === byId("category").value),
    least: byId("least").value,
    most: byId("most").value,
    words: byId("words").value,
  };
}

// How many mentions passed, and how the row did on them.
function summary(store, state, found, tally) {
  const hits = tally.hit + tally.won + tally.both;
  const all = hits + tally.miss + tally.lost + tally.neither;
  const share = all ? `; of the ${all.toLocaleString("en")} before the outcome filter ${state.row.method} hits ${hits.toLocaleString("en")} at ${state.cutoff} (${((100 * hits) / all).toFixed(2)}%)` : "";
  return `${counted(found.length, "mention")} of ${store.size.toLocaleString("en")}${share}.`;
}

// Counts of a comparison, each of which filters.
function contrast(box, state, tally, filter) {
  const total = tally.won + tally.lost + tally.both + tally.neither;
  box.hidden = !state.other || !total;
  if (box.hidden) return;
  const buttons = Object.keys(CONTRASTS).map((key) =>
    make(
      "button",
      { type: "button", class: `count ${key}`, "aria-pressed": String(state.outcome === key), title: CONTRASTS[key], onclick: () => filter(state.outcome === key ? "" : key) },
      `${{ won: "+", lost: "\u2212", both: "=", neither: "\u2205" }[key]} ${key} ${tally[key].toLocaleString("en")}`,
    ),
  );
  const difference = (100 * (tally.won - tally.lost)) / total;
  box.replaceChildren(
    make("p", {}, make("strong", {}, state.row.method), " against ", make("strong", {}, state.other.method), ` at ${state.cutoff}: ${difference < 0 ? "\u2212" : "+"}${Math.abs(difference).toFixed(2)} points, ${probability(signTest(tally.won, tally.lost))} (sign test of the mentions on which they differ)`),
    make("div", { class: "counts", role: "group", "aria-label": "Outcomes" }, ...buttons),
  );
}
