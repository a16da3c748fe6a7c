// The mention that is selected in the text, and its context.

const NEAR = 3000; // characters of context on either side that are sent
const WORD = /[\p{L}\p{N}'\u2019-]/u;

// {left, mention, right} of what is selected, or of the word at the cursor; null for white space.
function selected(area) {
  const text = area.value;
  let [start, end] = [area.selectionStart, area.selectionEnd];
  if (start === end) {
    while (start > 0 && WORD.test(text[start - 1])) start--;
    while (end < text.length && WORD.test(text[end])) end++;
  }
  while (start < end && /\s/.test(text[start])) start++;
  while (end > start && /\s/.test(text[end - 1])) end--;
  if (start === end) return null;
  return {
    left: whole(text.slice(Math.max(0, start - NEAR), start)),
    mention: text.slice(start, end),
    right: whole(text.slice(end, end + NEAR)),
  };
}

// Without half a character at either end.
function whole(text) {
  return text.replace(/^[\udc00-\udfff]|[\ud800-\udbff]$/g, "");
}

// Calls `then` when a selection in the text has been still for a moment.
function onSelection(area, then) {
  let timer = null;
  let before = "";
  document.addEventListener("selectionchange", () => {
    if (document.activeElement !== area) return;
    clearTimeout(timer);
    timer = setTimeout(() => {
      const now = `${area.selectionStart} ${area.selectionEnd} ${area.value}`;
      if (area.selectionStart === area.selectionEnd || now === before) return;
      before = now;
      then();
    }, 400);
  });
}
