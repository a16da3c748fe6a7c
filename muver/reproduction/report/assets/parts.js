// What each view of an entity adds to its score: a line a view, with a bar for its share.

// null where a row has no views to tell apart, or their vectors were not read.
function partsList(store, row, mention, entity, gold) {
  const parts = store.parts(row, mention, gold);
  if (!parts) return null;
  const further = parts.views - parts.listed.length;
  const shown = parts.listed.reduce((sum, part) => sum + part.share, 0);
  const best = Math.max(...parts.listed.map((part) => part.similarity));
  const won = parts.listed.findIndex((part) => part.similarity === best);
  return make(
    "div",
    { class: "parts" },
    make("h5", {}, `What each view of ${store.entities.title[entity]} adds`),
    make("ul", {}, ...parts.listed.map((part, n) => partItem(store, row, entity, part, n === won))),
    further ? make("p", { class: "hint" }, `${counted(further, "view")} more: ${percent(1 - shown)} of the score`) : null,
  );
}

function partItem(store, row, entity, part, won) {
  const share = percent(part.share);
  const name = viewName(part, row.views);
  return make(
    "li",
    { class: won ? "part won" : "part" },
    make(
      "p",
      { class: "hint" },
      won ? make("span", { class: "winner" }, "\u25b8 won") : null,
      ` ${name} \u00b7 similarity ${part.similarity} \u00b7 ${share} of the score`,
    ),
    make("span", { class: "share", "aria-hidden": "true" }, make("span", { class: "bar", style: `width:${share}` })),
    make("p", { class: "said" }, sentencesOf(store.text(entity), part)),
  );
}

// The sentences of a view, as far as the page has them; nothing of a view that is no sentences'.
function sentencesOf(text, { first, last }) {
  const said = [];
  let sentence = 0;
  for (const piece of text) {
    const left = typeof piece === "number"; // so many are left out
    const next = sentence + (left ? piece : 1);
    if (sentence <= last && next > Math.max(first, 0)) said.push(left ? "\u2026" : piece);
    sentence = next;
  }
  return said.join(" ");
}

function percent(share) {
  return `${Math.round(100 * Math.max(share, 0))}%`;
}
