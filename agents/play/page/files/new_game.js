// The dialog in which a new game is described: its options, its players, a position or a record.

import { get, post } from "/page/api.js";
import { setClock } from "/page/clock.js";
import { fillSpecs, openForm } from "/page/dialogs.js";
import { showOptions } from "/page/options.js";

// Asks for a new game of a kind; `onBegin` is called with its name.
// `about` and `seats` describe the game that is played now; without them, the usual players are shown.
export async function askNewGame(dialog, game, about, seats, onBegin) {
  const options = await get(`/api/options/${game}`);
  const before = about?.options ?? {};
  dialog.querySelector("h2").textContent = `New game of ${options.title}`;
  const read = showOptions(dialog.querySelector(".options"), options, before);
  const players = dialog.querySelector(".players");
  if (!about) fillSpecs(options);
  let isTouched = false;
  players.oninput = () => (isTouched = true);
  openForm(dialog, about ?? options, seats ?? options.seats, null, async (form, specs) => {
    const position = form.elements.position.value.trim();
    const seed = form.elements.seed.value.trim();
    const file = form.elements.record.files[0];
    const body = { game };
    const chosen = read();
    const isSame = JSON.stringify(Object.entries(chosen).sort()) === JSON.stringify(Object.entries(before).sort());
    // Other options may need other players, or another number of them.
    if (seats && (isTouched || isSame)) body.seats = specs;
    if (file) Object.assign(body, { record: await file.text(), file: file.name });
    else body.options = chosen;
    if (position) body.position = position;
    if (seed) body.seed = /^\d+$/.test(seed) ? Number(seed) : seed; // the server says what is wrong
    const minutes = Number(form.elements.minutes.value);
    const { id } = await post("/api/games", body);
    if (minutes) setClock(id, minutes);
    form.reset();
    await onBegin(id);
  });
}
