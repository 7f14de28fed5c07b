// What a person can choose: the parts chosen so far, and the moves that are left as buttons.

import { choose } from "/page/chooser.js";
import { element } from "/page/elements.js";

const MOST_LISTED = 60;
const MOST_TOLD = 5; // moves that a click offers
const TEXTS = {
  chosen: (words) => `Chosen: ${words} `,
  board: "Choose on the board, or below. ",
  below: "Choose below. ",
  none: "No move is yours to make here.",
  plays: (move) => `A click plays: ${move}.`,
  offers: (moves) => `A click offers: ${moves.join(", ")}.`,
  sent: (move) => `${move} …`,
  back: matchMedia("(pointer: coarse)").matches ? "Back" : "Back (Esc)",
};

function moveButton(move, play) {
  const button = element("button", { textContent: move.words });
  button.dataset.move = move.text;
  button.addEventListener("click", () => play(move));
  return button;
}

// Shows the choice of a view after some clicks, and marks it on the board; `play` and `goBack` are
// called by its buttons. A move that was sent is shown alone until it is answered. Returns the moves
// that fit the words of the filter.
export function showChoice(find, board, { view, number, clicked, sent }, play, goBack) {
  const { moves } = view;
  if (sent) {
    board.mark(new Set(), clicked.length ? clicked : sent.paths[0]?.[0] ?? []);
    find("#chosen").textContent = TEXTS.sent(sent.words);
    find("#menu").replaceChildren();
    return [];
  }
  const half = view.half && moves.length > 0; // of the person who is to move
  const { next, left, menu } = choose(moves, clicked);
  board.mark(next, clicked);
  const begun = half ? view.line.find((entry) => entry.number === view.number).words : null;
  const words = [begun, ...clicked.map((part) => board.label(part))].filter(Boolean).join(" → ");
  const chosen = find("#chosen");
  const task = view.decision && moves.length && !words ? `${view.decision}. ` : "";
  chosen.replaceChildren(task, words ? TEXTS.chosen(words) : !moves.length ? TEXTS.none : next.size ? TEXTS.board : TEXTS.below);
  if (clicked.length || (half && number === null)) {
    const back = element("button", { textContent: TEXTS.back });
    back.addEventListener("click", goBack);
    chosen.append(back);
  }
  const offered = clicked.length ? [...menu] : moves.filter((move) => !move.paths.some(([parts]) => parts.length));
  find("#menu").replaceChildren(...offered.map((move) => moveButton(move, play)));
  find("#choice").hidden = !moves.length;
  return showList(find, clicked.length ? [...left] : moves, play);
}

// Returns what the first click on a part leads to, in words; nothing if other clicks must follow, or
// if the move is the part itself.
export function clickWords(moves, clicked, part) {
  if (clicked.length) return "";
  const { menu, decided } = choose(moves, [part]);
  const offered = [...menu].filter((move) => !part.endsWith(`:${move.text}`)).map((move) => move.words);
  if (!offered.length) return "";
  if (decided) return TEXTS.plays(offered[0]);
  return TEXTS.offers([...offered.slice(0, MOST_TOLD), ...(offered.length > MOST_TOLD ? ["…"] : [])]);
}

function showList(find, moves, play) {
  const words = find("#filter").value.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = moves.filter((move) => words.every((word) => `${move.words} ${move.text}`.toLowerCase().includes(word)));
  find("#count").textContent = moves.length;
  const rows = fitting.slice(0, MOST_LISTED).map((move) => element("li", {}, moveButton(move, play)));
  if (fitting.length > MOST_LISTED) rows.push(element("li", { textContent: `and ${fitting.length - MOST_LISTED} more` }));
  find("#list").replaceChildren(...rows);
  return fitting;
}
