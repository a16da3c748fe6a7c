// The filters: filled from the data, read into the state that everything else is drawn from.

function fillControls(store) {
  const rows = store.rows.map((row) => option(row.system, sameMethod(store, row) ? `${row.method} (${row.system})` : row.method));
  byId("row").replaceChildren(...rows);
  byId("other").replaceChildren(option("", "no other row"), ...rows.map((row) => row.cloneNode(true)));
  byId("cutoff").replaceChildren(...store.cutoffs.map((k) => option(k, k)));
  byId("group").replaceChildren(option("", "all"), ...store.groups.map((name, n) => option(n, name)));
  byId("category").replaceChildren(option("", "all"), ...store.categories.map((name, n) => option(n, name || "(none)")));
  byId("grouped-by").textContent = store.grouped_by;
  byId("gold-unit").textContent = `Gold's ${store.unit}s`;
  fillOutcomes(false);
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

function readState(store) {
  const other = store.row(byId("other").value);
  const row = store.row(byId("row").value) || store.rows[0];
  fillOutcomes(other !== null && other !== row);
  return {
    row,
    other: other === row ? null : other,
    cutoff: Number(byId("cutoff").value),
    outcome: byId("outcome").value,
    group: byId("group").value,
    category: byId("category").value,
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
  box.hidden = !state.other;
  if (!state.other) return;
  const total = tally.won + tally.lost + tally.both + tally.neither;
  const buttons = Object.keys(CONTRASTS).map((key) =>
    make(
      "button",
      { type: "button", class: `count ${key}`, "aria-pressed": String(state.outcome === key), title: CONTRASTS[key], onclick: () => filter(state.outcome === key ? "" : key) },
      `${{ won: "+", lost: "\u2212", both: "=", neither: "\u2205" }[key]} ${key} ${tally[key].toLocaleString("en")}`,
    ),
  );
  const difference = total ? (100 * (tally.won - tally.lost)) / total : 0;
  box.replaceChildren(
    make("p", {}, make("strong", {}, state.row.method), " against ", make("strong", {}, state.other.method), ` at ${state.cutoff}: ${difference < 0 ? "\u2212" : "+"}${Math.abs(difference).toFixed(2)} points, ${probability(signTest(tally.won, tally.lost))} (sign test of the mentions on which they differ)`),
    make("div", { class: "counts", role: "group", "aria-label": "Outcomes" }, ...buttons),
  );
}
