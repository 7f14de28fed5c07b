// Games from elsewhere: a file that is dropped on the page or chosen, or a text that is pasted.

import { post } from "/page/api.js";

const LEAST = 12; // characters of a pasted text: less is no game
const MOST = 2 ** 20; // characters of a text that the server reads
const TEXTS = {
  reading: (name) => `Reading ${name}…`,
  pasted: "the pasted text",
  large: "the text has more than 1,048,576 characters",
};

// Lets the page take games in. `about()` returns the game that is shown, or null; `onGame` is called
// with the id of a new game and its number of moves, `onTrouble` with words or null.
export function takeGames(dialog, about, onGame, onTrouble, onProgress) {
  async function take(text, file) {
    onTrouble(null);
    onProgress(TEXTS.reading(file || TEXTS.pasted));
    try {
      if (text.length > MOST) throw new Error(TEXTS.large);
      const body = { record: text, file };
      const shown = about();
      if (shown) Object.assign(body, { game: shown.game, options: shown.options });
      const { id, moves } = await post("/api/games", body);
      await onGame(id, moves);
    } finally {
      onProgress(null);
    }
  }

  const attempt = (action) => action().catch((error) => onTrouble(error.message));
  const takeFile = (file) => attempt(async () => {
    if (file.size > 4 * MOST) throw new Error(TEXTS.large);
    await take(await file.text(), file.name);
  });

  window.addEventListener("dragover", (event) => {
    if ([...event.dataTransfer.types].includes("Files")) event.preventDefault();
  });
  window.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    if (!file) return;
    event.preventDefault();
    takeFile(file);
  });
  document.addEventListener("paste", (event) => {
    if (event.target.closest?.("input, textarea")) return;
    const text = event.clipboardData.getData("text");
    if (text.trim().length >= LEAST) attempt(() => take(text, ""));
  });

  const form = dialog.querySelector("form");
  const waits = dialog.querySelector(".waits");
  const trouble = dialog.querySelector(".trouble");
  form.onsubmit = async (event) => {
    event.preventDefault();
    trouble.textContent = "";
    const [file] = form.elements.file.files;
    const text = file ? await file.text() : form.elements.text.value;
    const ok = form.querySelector("[value=ok]");
    ok.disabled = true; // a second click would begin a second game
    waits.textContent = TEXTS.reading(file?.name ?? TEXTS.pasted);
    waits.hidden = false;
    try {
      await take(text, file?.name ?? "");
      form.reset();
      dialog.close();
    } catch (error) {
      trouble.textContent = error.message;
    } finally {
      ok.disabled = false;
      waits.hidden = true;
    }
  };
  dialog.querySelector("[value=cancel]").onclick = () => dialog.close();
  return () => {
    trouble.textContent = "";
    dialog.showModal();
  };
}
