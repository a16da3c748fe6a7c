// The page: what is asked, of whom, and where the answers go.

const area = byId("text");
const answers = byId("answer");
const SHOWN = 160; // characters of context on either side
let turn = 0; // answers that come after a later question are left aside
let last = null; // what was asked last

function chosenModels() {
  const names = [byId("model").value, byId("beside").value];
  return [...new Set(names.filter(Boolean))];
}

async function find(asked, added = null) {
  const own = ++turn;
  last = asked;
  const mention = { ...asked, world: byId("world").value || null };
  const k = Number(byId("k").value) || 10;
  const names = chosenModels();
  answers.classList.add("old");
  byId("status").textContent = "asking\u2026";
  const found = await Promise.allSettled(
    names.map((model) => call("POST", "retrieve", { mentions: [mention], k, model, excerpts: true })),
  );
  if (own === turn) show(names, found, mention, added);
}

function show(names, settled, asked, added) {
  const found = settled.map((one) => one.value).filter(Boolean);
  const columns = settled.map(({ value, reason }, n) =>
    value ? ranking(value, found.filter((one) => one !== value), asked, added) : failed(names[n], reason),
  );
  answers.classList.remove("old");
  byId("status").textContent = found.length ? summary(found[0].results[0].candidates, asked) : "";
  byId("mention").replaceChildren(quote(asked));
  byId("columns").replaceChildren(make("div", { class: columns.length > 1 ? "columns two" : "columns" }, ...columns));
}

function summary(candidates, asked) {
  const first = candidates.length ? `, first ${candidates[0].title}` : "";
  return `${counted(candidates.length, "entity", "entities")} for \u201c${asked.mention}\u201d${first}.`;
}

function quote({ left, mention, right }) {
  const before = left.length > SHOWN ? `\u2026${left.slice(-SHOWN)}` : left;
  const after = right.length > SHOWN ? `${right.slice(0, SHOWN)}\u2026` : right;
  return make("blockquote", { class: "context" }, before, make("mark", { class: "mention" }, mention), after);
}

function ask() {
  const asked = selected(area);
  if (asked) find(asked);
  else byId("status").textContent = "Select a mention in the text first.";
}

function again() {
  if (last) find(last);
}

async function start() {
  const models = await call("GET", "models");
  byId("model").append(...models.map(({ name }) => option(name, name)));
  byId("beside").append(option("", "none"), ...models.map(({ name }) => option(name, name)));
  if (models.length > 1) byId("beside").value = models[1].name;
  byId("beside-field").hidden = models.length < 2;
  const worlds = [...new Set(models.flatMap((model) => model.worlds))];
  byId("world").append(option("", "all"));
  byId("world").append(...worlds.map((world) => option(world, world)));
  byId("world-field").hidden = worlds.length < 2;
  byId("ask").addEventListener("submit", (event) => {
    event.preventDefault();
    ask();
  });
  area.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) ask();
  });
  for (const name of ["model", "beside", "world", "k"]) byId(name).addEventListener("change", again);
  onSelection(area, ask);
  const changeable = models.filter((model) => model.changes);
  if (changeable.length) onChange(changeable, (id) => (last ? find(last, id) : null));
}

start().catch((error) => (byId("problem").textContent = error.message));
