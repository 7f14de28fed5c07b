// What the others have done since a person moved last.

import { element } from "/page/elements.js";

const MOST = 8; // moves of a seat that are named

// Shows the moves between `view.since` and the position that is shown, seat by seat.
export function showSince(holder, view) {
  const numbers = view.line.map((entry) => entry.number);
  const moves = view.line.slice(numbers.indexOf(view.since) + 1, numbers.indexOf(view.number) + 1);
  const own = moves.some((entry) => view.seats[entry.seat]?.human);
  holder.hidden = view.since === null || own || !moves.length;
  if (holder.hidden) return;
  const turns = [];
  for (const entry of moves) {
    if (turns.at(-1)?.seat === entry.seat) turns.at(-1).words.push(entry.move);
    else turns.push({ seat: entry.seat, words: [entry.move] });
  }
  holder.replaceChildren(...turns.map(({ seat, words }) => {
    const chip = element("span", { className: "chip" });
    chip.style.background = view.seats[seat].colour;
    const shown = words.slice(-MOST).join(", ");
    const more = words.length > MOST ? "…, " : "";
    return element("div", {}, chip, element("b", { textContent: view.seats[seat].name }), ` ${more}${shown}`);
  }));
}
