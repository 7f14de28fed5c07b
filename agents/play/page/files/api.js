// Requests to the server, and the events that it sends.

import { capital } from "/page/elements.js";

export async function get(path) {
  return answer(await fetch(path));
}

export async function post(path, body = {}) {
  const headers = { "content-type": "application/json" };
  return answer(await fetch(path, { method: "POST", headers, body: JSON.stringify(body) }));
}

// Returns a message with a capital letter, unless it begins with a name of the program.
const sentence = (words) => (/^[a-z]+ /.test(words) ? capital(words) : words);

async function answer(response) {
  let found;
  try {
    found = await response.json();
  } catch {
    throw new Error(`the server answered with status ${response.status}`);
  }
  if (!response.ok) {
    const error = new Error(sentence(found.error ?? `status ${response.status}`));
    throw Object.assign(error, { status: response.status });
  }
  return found;
}

// Calls `handlers[kind](event)` for each event; the browser connects again by itself.
export function listen(game, seat, handlers) {
  const query = new URLSearchParams();
  if (game) query.set("game", game);
  if (seat !== null) query.set("seat", seat);
  const source = new EventSource(`/api/events?${query}`);
  for (const [kind, handler] of Object.entries(handlers)) {
    source.addEventListener(kind, (message) => handler(JSON.parse(message.data ?? "null")));
  }
  return source;
}
