// Calls of the service. A refusal becomes an Error with the service's own sentence.

async function call(method, path, body, token) {
  const headers = {};
  if (body !== undefined) headers["Content-Type"] = "application/json";
  if (token) headers.Authorization = `Bearer ${token}`;
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body) });
  } catch {
    throw new Error("The service does not answer. Is it still running?");
  }
  const said = await answer.json().catch(() => ({}));
  if (!answer.ok) throw new Error(said.detail || `The service answered ${answer.status}.`);
  return said;
}

// An entity's path: its id may have slashes in it.
function entityPath(id, parameters) {
  const given = Object.entries(parameters).filter(([, value]) => value);
  return `entities/${encodeURIComponent(id)}?${new URLSearchParams(given)}`;
}
