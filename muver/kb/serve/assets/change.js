// Adding an entity, and removing it again.

// `models` are those that can be changed; `then(id)` is called when one was added or removed.
function onChange(models, then) {
  const form = byId("add");
  const said = byId("changed");
  const worlds = [...new Set(models.flatMap((model) => model.worlds))];
  byId("add-worlds").append(...worlds.map((world) => option(world, world)));
  if (worlds.length === 1) byId("add-world").value = worlds[0];
  byId("changes").hidden = false;
  const value = (name) => byId(`add-${name}`).value.trim();
  let idByHand = false;
  byId("add-id").addEventListener("input", () => (idByHand = value("id") !== ""));
  byId("add-title").addEventListener("input", () => {
    if (!idByHand) byId("add-id").value = value("title").toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-").replace(/^-+|-+$/g, "");
  });

  async function everywhere(method, id, world, body) {
    const parts = [];
    let added = true;
    for (const model of models) {
      const parameters = { model: model.name, world: method === "DELETE" ? world : null };
      const done = await call(method, entityPath(id, parameters), body, value("token"));
      const what = ["added", "updated", "unchanged", "removed"].filter((name) => done[name]);
      added &&= done.added > 0;
      parts.push(`${id}: ${what.join(", ") || "nothing to do"} (${done.model}, generation ${done.generation})`);
    }
    return [parts.join("; "), added];
  }

  // Says what was done, or what went wrong.
  async function attempt(work) {
    said.className = "hint";
    said.replaceChildren("working\u2026");
    try {
      said.replaceChildren(...(await work()));
    } catch (error) {
      said.className = "problem";
      said.replaceChildren(error.message);
    }
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const [id, world] = [value("id"), value("world") || null];
    const names = value("aliases").split(",").map((name) => name.trim()).filter(Boolean);
    const body = { title: value("title"), description: value("description"), aliases: names, world };
    attempt(async () => {
      const [done, added] = await everywhere("PUT", id, world, body);
      await then(id);
      if (!added) return [done]; // removing it would not bring back what it replaced
      const undo = make("button", { type: "button" }, "Remove it again");
      undo.addEventListener("click", () =>
        attempt(async () => {
          const [undone] = await everywhere("DELETE", id, world);
          await then(null);
          return [undone];
        }),
      );
      return [`${done} `, undo];
    });
  });
}
