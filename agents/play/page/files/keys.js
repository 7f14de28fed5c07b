// The keys of the page. A key that a field or a dialog understands is left to it.

const BUTTONS = { u: "#undo", r: "#redo", h: "#hint", f: "#flip", c: "#coordinates" };
const STEPS = { "<": "previous", ",": "previous", ">": "next", ".": "next", Home: "first", End: "last" };

// Calls `step(where)`, `goBack()` and `zoom(key)`, which tells whether it has used the key; presses
// buttons; nothing while `isDeaf()`.
export function wireKeys(find, { step, goBack, zoom, isDeaf }) {
  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, textarea, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (isDeaf() || document.querySelector("dialog[open]")) return;
    if (BUTTONS[event.key]) find(BUTTONS[event.key]).click();
    else if (STEPS[event.key]) step(STEPS[event.key]);
    else if (event.key === "Escape") goBack();
    else if (event.key === "/") {
      find("#words").open = true;
      find("#filter").focus();
    } else if (!zoom(event.key)) return;
    event.preventDefault();
  });
}
