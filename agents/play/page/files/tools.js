// The buttons around the board that change no game: its size and coordinates, copies and records.

import { element } from "/page/elements.js";

const COORDINATES = "coordinates"; // the choice that the browser keeps

export function wireLens(find, board) {
  for (const [name, key] of [["#zoom-in", "+"], ["#zoom-out", "-"], ["#zoom-fit", "0"]]) {
    find(name).addEventListener("click", () => board.lens.key(key));
  }
}

export function wireCoordinates(find) {
  const button = find("#coordinates");
  const draw = () => {
    const shown = localStorage.getItem(COORDINATES) !== "off";
    button.setAttribute("aria-pressed", String(shown));
    find("#board").classList.toggle("plain", !shown);
  };
  button.addEventListener("click", () => {
    localStorage.setItem(COORDINATES, button.getAttribute("aria-pressed") === "true" ? "off" : "on");
    draw();
  });
  draw();
}

// `position` and `record` return what is copied and saved, `remove` deletes the game; `attempt` runs
// what may fail.
export function wireRecord(find, position, record, remove, attempt) {
  find("#copy").addEventListener("click", () => attempt(async () => {
    // Browsers copy on secure pages only: this machine, or https.
    if (!navigator.clipboard) return prompt("The position", position());
    await navigator.clipboard.writeText(position());
    find("#copy").style.minWidth = `${find("#copy").offsetWidth}px`; // its neighbours stay where they are
    find("#copy").textContent = "Copied";
    setTimeout(() => (find("#copy").textContent = "Copy the position"), 1500);
  }));
  find("#save").addEventListener("click", () => attempt(async () => {
    const saved = await record();
    const link = element("a", { href: URL.createObjectURL(new Blob([saved.record])), download: saved.name });
    link.click();
    URL.revokeObjectURL(link.href);
  }));
  find("#delete").addEventListener("click", () => {
    if (confirm("Delete this game for good?")) attempt(remove);
  });
}
