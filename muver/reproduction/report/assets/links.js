// The way to MLflow: searches to copy, and links behind the address where its pages are.

const KEPT = "muver-mlflow"; // the reader's address, where the browser lets a file remember it

function remembered() {
  try {
    return localStorage.getItem(KEPT);
  } catch {
    return null;
  }
}

function setBase(base) {
  if (!/^https?:\/\/[^\s\/]/i.test(base)) return false;
  for (const link of document.querySelectorAll("a[data-address]")) link.href = base.replace(/\/+$/, "") + link.dataset.address;
  return true;
}

function startLinks() {
  const field = byId("base");
  const apply = () => {
    const good = setBase(field.value);
    field.setCustomValidity(good ? "" : "Expected an address such as " + field.defaultValue);
    field.setAttribute("aria-invalid", String(!good));
    try {
      if (good) localStorage.setItem(KEPT, field.value);
    } catch {
      // A file that may remember nothing forgets the address when it is closed.
    }
  };
  field.value = remembered() || field.defaultValue;
  field.addEventListener("input", apply);
  byId("base-form").addEventListener("submit", (event) => event.preventDefault());
  apply();
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-copy]");
    if (button) copy(button);
  });
  document.addEventListener("click", openTarget);
  openTarget();
}

async function copy(button) {
  const text = button.dataset.copy;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = make("textarea", { class: "unseen" }, text); // where a file may not use the clipboard
    document.body.append(area);
    area.select();
    document.execCommand("copy");
    area.remove();
    button.focus();
  }
  byId("copied").textContent = `Copied: ${text}`;
  const before = button.textContent;
  button.textContent = "copied";
  setTimeout(() => (button.textContent = before), 1500);
}

// A link to a row opens it.
function openTarget(event) {
  const link = event && event.target.closest("a[href^='#row-']");
  const hash = link ? link.getAttribute("href") : location.hash;
  if (!hash.startsWith("#row-")) return;
  const target = byId(hash.slice(1));
  if (target) target.open = true;
}

startLinks();
