// Ranked entities: score, probability, the winning sentence in its place, what each view adds.

const [NONE, GLOBAL] = [-1, -2];
const VIEWS = 8; // shown at once

function viewName({ layer, first, last }) {
  if (layer === NONE) return null;
  if (layer === GLOBAL) return "the whole description";
  if (first < 0 || last < first) return "view of the title alone";
  const place = first === last ? `sentence ${first + 1}` : `sentences ${first + 1} to ${last + 1}`;
  return layer > 0 ? `view of ${place}, merged in layer ${layer}` : `view of ${place}`;
}

function percent(share) {
  return `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)}\u00a0%`;
}

// What each signal gives to a score, the greatest first.
function told(signals) {
  const given = Object.entries(signals).sort(([, one], [, other]) => other - one);
  return given.map(([name, value]) => `${name} ${value.toFixed(2)}`).filter((text) => !/ -?0\.00$/.test(text)).join(", ");
}

function bar(share) {
  const inner = make("span");
  inner.style.width = `${100 * Math.min(Math.max(share, 0), 1)}%`;
  return make("span", { class: "share", "aria-hidden": "true" }, inner);
}

// One model's answer; `others` are the answers beside it, `added` the id of a new entity.
function ranking(answer, others, asked, added) {
  const [found] = answer.results;
  const list = make("ol", { class: "candidates" });
  for (const candidate of found.candidates) list.append(item(answer, candidate, others, asked, added));
  return make(
    "section",
    { "aria-label": `Entities with ${answer.model}` },
    make("h2", {}, answer.model),
    found.none ? make("p", { class: "none" }, "\u2205 Probably none of these is meant.") : null,
    found.candidates.length ? list : make("p", { class: "hint" }, "No entity was found."),
  );
}

function failed(model, error) {
  return make("section", { "aria-label": model }, make("h2", {}, model), problem(error));
}

function problem(error) {
  return make("p", { class: "problem", role: "alert" }, error.message);
}

function item(answer, candidate, others, asked, added) {
  const elsewhere = others.map((other) => {
    const same = other.results[0].candidates.find((one) => one.id === candidate.id && one.world === candidate.world);
    return same ? `rank ${same.rank} with ${other.model}` : `not among the first with ${other.model}`;
  });
  const facts = [candidate.id, candidate.world, viewName(candidate), told(candidate.signals), ...elsewhere];
  const fresh = candidate.id === added;
  return make(
    "li",
    { class: fresh ? "candidate new" : "candidate", value: candidate.rank },
    make(
      "p",
      { class: "title" },
      make("span", { class: "rank" }, `${candidate.rank}.`),
      make("strong", {}, candidate.title),
      fresh ? make("span", { class: "badge" }, "\u2713 just added") : null,
      make("span", { class: "score" }, `score ${candidate.score.toFixed(2)}`),
    ),
    candidate.probability === null
      ? null
      : make("p", { class: "measure" }, bar(candidate.probability), `${percent(candidate.probability)} likely`),
    make("p", { class: "hint" }, facts.filter(Boolean).join(" \u00b7 ")),
    candidate.layer === NONE ? byWords(candidate.excerpt.after, asked.mention) : excerpt(candidate.excerpt),
    details("What adds to the score", () => explained(answer, candidate, asked)),
  );
}

function excerpt({ before, winning, after }) {
  if (!before && !winning && !after) return make("p", { class: "hint" }, "(no description)");
  return make("p", { class: "description" }, before, winning ? make("mark", { class: "view" }, winning) : null, after);
}

// Without views: the words of the mention that the description has, but not "of" and "the".
function byWords(text, mention) {
  const words = new Set(mention.toLowerCase().match(/[\p{L}\p{N}]{4,}/gu) || []);
  const parts = text.split(/([\p{L}\p{N}]+)/u);
  return make(
    "p",
    { class: "description" },
    ...parts.map((part) => (words.has(part.toLowerCase()) ? make("mark", { class: "word" }, part) : part)),
  );
}

// Something that is asked for when it is first opened.
function details(summary, content) {
  const element = make("details", {}, make("summary", {}, summary));
  element.addEventListener("toggle", async () => {
    if (element.childElementCount > 1) return;
    const place = make("div", {}, make("p", { class: "hint", role: "status" }, "asking\u2026"));
    element.append(place);
    try {
      place.replaceChildren(...(await content()));
    } catch (error) {
      place.remove();
      element.append(problem(error));
    }
  });
  return element;
}

async function explained(answer, candidate, asked) {
  const { entity, views, signals } = await call("POST", "explain", {
    mention: asked,
    id: candidate.id,
    world: candidate.world,
    model: answer.model,
  });
  const won = views.find((view) => view.start !== null);
  const names = entity.aliases.length ? [make("p", { class: "hint" }, `Also called ${entity.aliases.join(", ")}.`)] : [];
  const given = told(signals) ? [make("p", { class: "hint" }, told(signals))] : [];
  return [...given, ...(views.length ? list(views) : []), ...names, make("h3", {}, "Whole description"), description(entity, won)];
}

function list(views) {
  const items = views.map((view, n) =>
    make(
      "li",
      { class: n === 0 ? "won" : null, hidden: n >= VIEWS },
      make("span", {}, `${n === 0 ? "\u2605 " : ""}${view.text || "(the title)"}`),
      make("span", { class: "sub" }, viewName(view)),
      make(
        "span",
        { class: "measure" },
        bar(view.share),
        `${percent(view.share)} of the views\u2019 score, similarity ${view.similarity.toFixed(2)}`,
      ),
    ),
  );
  const hidden = items.filter((one) => one.hidden);
  const more = make("button", { type: "button", hidden: !hidden.length }, counted(hidden.length, "more view"));
  more.addEventListener("click", () => {
    for (const one of hidden) one.hidden = false;
    more.remove();
  });
  return [make("ol", { class: "views" }, ...items), more];
}

function description(entity, won) {
  const text = entity.description;
  if (!text) return make("p", { class: "hint" }, "(no description)");
  if (!won) return make("p", { class: "description whole" }, text);
  // The service counts characters, JavaScript counts half of some of them.
  const characters = [...text];
  const [before, inside, after] = [[0, won.start], [won.start, won.end], [won.end]].map((ends) => characters.slice(...ends).join(""));
  return make("p", { class: "description whole" }, before, make("mark", { class: "view" }, inside), after);
}
