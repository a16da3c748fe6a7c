// Which mentions are shown: filters, and how two rows did on them.

const OUTCOMES = {
  "": "all",
  hit: "hit",
  miss: "missed",
};
const CONTRASTS = {
  won: "won: only this row hits",
  lost: "lost: only the other hits",
  both: "both hit",
  neither: "neither hits",
};

// How a mention came out: "hit" or "miss"; with another row "won", "lost", "both", "neither".
function outcome(store, state, mention) {
  const own = store.hit(state.row, mention, state.cutoff);
  if (!state.other) return own ? "hit" : "miss";
  const others = store.hit(state.other, mention, state.cutoff);
  if (own) return others ? "both" : "won";
  return others ? "lost" : "neither";
}

function agrees(wanted, found) {
  if (!wanted || wanted === found) return true;
  if (wanted === "hit") return found === "won" || found === "both";
  return wanted === "miss" && (found === "lost" || found === "neither");
}

// Numbers of the mentions that pass all filters, and the tally of outcomes before the last one.
function select(store, state) {
  const terms = state.words.toLowerCase().split(/\s+/).filter(Boolean);
  const tally = { hit: 0, miss: 0, won: 0, lost: 0, both: 0, neither: 0 };
  const found = [];
  for (let m = 0; m < store.size; m++) {
    const length = store.goldLength(m);
    if (state.world >= 0 && store.mentions.world[m] !== state.world) continue;
    if (state.category >= 0 && store.mentions.category[m] !== state.category) continue;
    if (state.least !== "" && length < Number(state.least)) continue;
    if (state.most !== "" && length > Number(state.most)) continue;
    if (terms.length && !terms.every((term) => store.haystack(m).includes(term))) continue;
    const result = outcome(store, state, m);
    tally[result]++;
    if (agrees(state.outcome, result)) found.push(m);
  }
  return { found, tally };
}
