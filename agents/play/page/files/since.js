// What the others have done since a person moved last.

import { element } from "/page/elements.js";
import { said } from "/page/review.js";

const MOST = 8; // moves of a seat that are named
const HIDDEN = "…"; // a move that the seat does not know

// Shows the moves between `view.since` and the position that is shown, seat by seat.
export function showSince(holder, view) {
  const numbers = view.line.map((entry) => entry.number);
  const moves = view.line.slice(numbers.indexOf(view.since) + 1, numbers.indexOf(view.number) + 1);
  const own = moves.some((entry) => view.seats[entry.seat]?.human);
  holder.hidden = view.since === null || own || !moves.length;
  if (holder.hidden) return;
  const turns = [];
  for (const entry of moves) {
    if (turns.at(-1)?.seat === entry.seat) turns.at(-1).words.push(said(entry));
    else turns.push({ seat: entry.seat, words: [said(entry)] });
  }
  holder.replaceChildren(...turns.map(({ seat, words }) => {
    const chip = element("span", { className: "chip" });
    chip.style.background = view.seats[seat].colour;
    const known = words.filter((word) => word !== HIDDEN);
    const hidden = words.length - known.length;
    const shown = [...known.slice(-MOST), ...(hidden ? [`${hidden} hidden ${hidden === 1 ? "move" : "moves"}`] : [])].join(", ");
    const more = known.length > MOST ? "…, " : "";
    return element("div", {}, chip, element("b", { textContent: view.seats[seat].name }), ` ${more}${shown}`);
  }));
}
