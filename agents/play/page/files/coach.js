// The hint: one mark on the board for the best move, and its reasons when somebody asks "Why?".

import { amount } from "/page/curve.js";
import { cost, said } from "/page/review.js";
import { element } from "/page/elements.js";

const MOST_OTHERS = 2; // alternatives that are told
const MOST_NEXT = 5; // moves that are expected after it
const TEXTS = {
  waits: "The coach thinks…",
  hint: (move) => `Hint: ${move}`,
  why: "Why?",
  hide: "Hide the reasons",
  close: "Close",
  worth: (move, found) => (found.unit === "points"
    ? `It should end with ${amount(move.points, found.unit)}, ${lead(move.own, found)}.`
    : `It wins ${amount(move.own, found.unit)} of the games.`),
  only: "It is the only legal move.",
  next: (moves) => `Then, as the coach expects: ${moves.join(", ")}.`,
  equal: (move) => `${said(move)} is as good.`,
  less: (move, loss, unit) => `${said(move)} instead costs ${cost(loss, unit)}.`,
  unclear: (move) => `${said(move)} was looked at, too.`,
};

function lead(points, found) {
  const others = found.points?.length === 2 ? "the opponent" : "the others";
  if (Math.abs(points) < 0.5) return `level with ${others}`;
  return `${Math.abs(points).toFixed(0)} ${points > 0 ? "ahead of" : "behind"} ${others}`;
}

// Returns the reasons for the move that was found, a sentence each.
export function reasons(found) {
  const best = found.moves.find((move) => move.move === found.move);
  const others = found.moves.filter((move) => move !== best).slice(0, MOST_OTHERS);
  const told = [];
  if (best && best.own !== null) told.push(TEXTS.worth(best, found));
  if (best?.variation.length > 1) told.push(TEXTS.next(best.variation.slice(1, 1 + MOST_NEXT)));
  for (const move of others) {
    if (move.own === null || !best || best.own === null) told.push(TEXTS.unclear(move));
    else if (best.own - move.own < (found.unit === "points" ? 0.05 : 0.0005)) told.push(TEXTS.equal(move));
    else told.push(TEXTS.less(move, best.own - move.own, found.unit));
  }
  if (!others.length) told.push(TEXTS.only);
  return told;
}

// Returns what the board marks for a hint: the best move alone.
export const hinted = (found) => (found?.final ? found.moves.filter((move) => move.move === found.move) : []);

// Shows a hint in words; `hint` is { isOpen } or null, `acts` has `why` and `close`.
export function showHint(holder, hint, found, acts) {
  holder.hidden = !hint;
  const words = holder.contains(document.activeElement) ? document.activeElement.dataset.act : null;
  if (!hint) return holder.replaceChildren();
  if (!found?.final) return holder.replaceChildren(element("p", { textContent: TEXTS.waits }));
  const act = (name, text) => {
    const button = element("button", { textContent: text });
    button.dataset.act = name;
    button.addEventListener("click", acts[name]);
    return button;
  };
  const why = act("why", hint.isOpen ? TEXTS.hide : TEXTS.why);
  why.setAttribute("aria-expanded", String(hint.isOpen));
  const parts = [element("p", {}, element("strong", { textContent: TEXTS.hint(said(found)) }), " ", why, " ", act("close", TEXTS.close))];
  if (hint.isOpen) parts.push(element("ul", {}, ...reasons(found).map((text) => element("li", { textContent: text }))));
  holder.replaceChildren(...parts);
  if (words) holder.querySelector(`[data-act="${words}"]`)?.focus({ preventScroll: true });
}
