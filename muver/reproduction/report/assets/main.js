// Filters, list and mention put together; the address says what is shown, so that it can be shared.

const NARROW = window.matchMedia("(max-width: 50rem)");

function start(store) {
  const pane = byId("detail");
  let state = null;
  let mention = null;

  const list = new MentionList(byId("list"), byId("spacer"), fill, (chosen, by) => {
    mention = chosen;
    showMention(pane, store, state, mention, (system) => {
      byId("row").value = system;
      update();
    });
    remember();
    if (chosen !== null && (by === "enter" || (by === "click" && NARROW.matches))) reach();
  });

  function reach() {
    if (NARROW.matches) pane.scrollIntoView({ block: "start" });
    pane.focus({ preventScroll: NARROW.matches });
  }

  function fill(item, number) {
    const { mentions, entities, worlds, categories } = store;
    const result = outcome(store, state, number);
    const hit = result === "hit" || result === "won" || result === "both";
    const rank = state.row.rank[number];
    const below = [entities.title[mentions.gold[number]], worlds[mentions.world[number]], categories[mentions.category[number]]];
    item.append(
      make("span", { class: hit ? "sign hit" : "sign miss" }, hit ? "\u2713" : "\u2717"),
      make("span", { class: "what" }, mentions.mention[number] || "(empty)"),
      make("span", { class: "rank" }, `${state.other ? `${result}, ` : ""}${rank ? `rank ${rank}` : "not found"}`),
      make("span", { class: "below" }, below.filter(Boolean).join(" \u00b7 ")),
    );
  }

  function update() {
    state = readState(store);
    const { found, tally } = select(store, state);
    byId("summary").textContent = summary(store, state, found, tally);
    contrast(byId("contrast"), state, tally, (wanted) => {
      byId("outcome").value = wanted;
      update();
      byId("contrast").querySelector(`.${wanted || "won"}`).focus();
    });
    list.show(found, mention);
  }

  function remember() {
    if (!asked() && !touched) return; // the address stays clean until something is done here
    const parts = address();
    if (mention !== null) parts.set("mention", store.mentions.id[mention]);
    history.replaceState(null, "", `#explore&${parts}`);
  }

  let touched = false;
  function asked() {
    return location.hash.startsWith("#explore&") ? new URLSearchParams(location.hash.slice("#explore&".length)) : null;
  }

  const toHeading = () => byId("predictions").scrollIntoView({ behavior: "instant" });

  // What the address asks for; whether it asks for anything.
  function follow() {
    const wanted = asked();
    if (!wanted) return false;
    setControls(wanted);
    const number = store.mentions.id.indexOf(wanted.get("mention"));
    if (number >= 0) mention = number;
    update();
    toHeading();
    return true;
  }

  const filters = byId("filters");
  const touch = () => {
    touched = true;
    update();
  };
  let waiting = 0;
  filters.addEventListener("change", touch);
  filters.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(touch, 80); // while someone types
  });
  filters.addEventListener("submit", (event) => event.preventDefault());
  filters.addEventListener("reset", (event) => {
    event.preventDefault();
    clearFilters();
    touch();
  });
  for (const kind of ["click", "keydown"]) byId("list").addEventListener(kind, () => (touched = true), true);
  pane.addEventListener("keydown", (event) => {
    if (event.key === "Escape") byId("list").focus();
  });
  window.addEventListener("hashchange", follow);

  fillControls(store);
  const sampled = store.total > store.size ? `The page holds ${store.size.toLocaleString("en")} of the ${store.total.toLocaleString("en")} mentions, drawn evenly from all worlds: shares here differ a little from the tables. ` : "";
  const shortened = store.limit ? `Descriptions are cut to about ${store.limit} characters around the views that won.` : "";
  byId("sampled").textContent = `${sampled}${shortened}`;
  byId("loading").hidden = true;
  byId("explore").hidden = false;
  if (follow()) return;
  update();
  if (location.hash === "#predictions") toHeading(); // the browser went there before it had its height
}

unpack(byId("data").textContent)
  .then((data) => start(new Store(data)))
  .catch((error) => {
    byId("loading").className = "problem";
    byId("loading").textContent = `The predictions cannot be shown: ${error.message}`;
  });
