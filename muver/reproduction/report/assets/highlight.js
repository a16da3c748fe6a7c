// A description with the view that won marked in it.

const GLOBAL = -2;
const NONE = -1;
const EXCERPT = 700; // characters

// How a candidate's view is called, for people; sentences count from 1.
function viewName(candidate, views) {
  const { layer, first, last } = candidate;
  if (layer === NONE || views.kind === null) return "no views: words shared with the mention are marked";
  if (layer === GLOBAL) return `global view: at most the first ${views.global_tokens} word pieces`;
  if (views.kind === "prefix") return `one view: at most the first ${views.max_tokens} word pieces`;
  if (views.kind === "tokens") return `token by token: at most the first ${views.max_tokens} word pieces`;
  if (first < 0) return "view of the title alone";
  const place = first === last ? `sentence ${first + 1}` : `sentences ${first + 1} to ${last + 1}`;
  if (layer > 0) return `view of ${place}, merged in layer ${layer}`;
  return `view of ${place}`;
}

// Words of a mention that are worth marking where there are no views: not "of" and "the", unless it
// has no others.
function wordsOf(mention) {
  const words = mention.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
  const long = words.filter((word) => word.length > 3);
  return new Set(long.length ? long : words);
}

// A description as parts {text, kind, sentence}; kind: plain, view, word or gap.
function parts(text, candidate, views, words) {
  const lexical = candidate.layer === NONE || views.kind === null;
  const global = candidate.layer === GLOBAL;
  const beginning = global || views.kind === "prefix" || views.kind === "tokens";
  let room = global ? views.global_tokens : views.max_tokens; // pieces are no fewer than words
  const found = [];
  let sentence = 0;
  for (const piece of text) {
    if (typeof piece === "number") {
      found.push({ text: `[${counted(piece, "sentence")} left out]`, kind: "gap", sentence });
      sentence += piece;
      continue;
    }
    if (lexical) {
      found.push(...markWords(piece, words, sentence));
    } else if (beginning) {
      const [inside, outside] = cut(piece, room);
      if (inside) found.push({ text: inside, kind: "view", sentence });
      if (outside) found.push({ text: outside, kind: "plain", sentence });
      room -= inside.split(/\s+/).filter(Boolean).length;
    } else {
      const inside = candidate.first >= 0 && sentence >= candidate.first && sentence <= candidate.last;
      found.push({ text: piece, kind: inside ? "view" : "plain", sentence });
    }
    sentence++;
  }
  return found;
}

// The first `room` words of a text, and the rest.
function cut(text, room) {
  if (room <= 0) return ["", text];
  const words = /\s*\S+/gy;
  let end = 0;
  for (let n = 0; n < room && words.exec(text); n++) end = words.lastIndex;
  return text.slice(end).trim() ? [text.slice(0, end), text.slice(end)] : [text, ""];
}

function markWords(text, words, sentence) {
  return text
    .split(/([\p{L}\p{N}]+)/u)
    .filter(Boolean)
    .map((part) => ({ text: part, kind: words.has(part.toLowerCase()) ? "word" : "plain", sentence, joined: true }));
}

// What is shown at once: the marked sentences and their neighbours, or else the beginning.
function excerpt(found, reach = 1) {
  const marked = new Set(found.filter((part) => part.kind === "view" || part.kind === "word").map((part) => part.sentence));
  if (!marked.size) marked.add(0);
  const near = (part) => {
    for (let n = part.sentence - reach; n <= part.sentence + reach; n++) if (marked.has(n)) return true;
    return false;
  };
  const kept = [];
  let length = 0;
  let gap = false;
  for (const part of found) {
    if (!near(part) || length > EXCERPT) {
      gap = true;
      continue;
    }
    if (gap) kept.push({ text: "\u2026", kind: "gap", sentence: part.sentence });
    gap = false;
    const rest = EXCERPT - length;
    const long = part.text.length > rest + 40;
    kept.push(long ? { ...part, text: `${part.text.slice(0, rest)}\u2026` } : part);
    length += part.text.length;
  }
  if (gap) kept.push({ text: "\u2026", kind: "gap", sentence: -1 });
  return kept;
}

function written(found) {
  const paragraph = make("p", { class: "description" });
  let before = null;
  for (const part of found) {
    const tight = before === null || (before.joined && part.joined && before.sentence === part.sentence);
    if (!tight && !/^\s/.test(part.text)) paragraph.append(" ");
    const tag = { view: "mark", word: "mark", gap: "span" }[part.kind];
    paragraph.append(tag ? make(tag, { class: part.kind }, part.text) : part.text);
    before = part;
  }
  return paragraph;
}
