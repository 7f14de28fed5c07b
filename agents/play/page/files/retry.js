// Another try after a mistake: nothing is told of the position until the person has moved; then what
// the new move costs, as far as the review has looked at it.

import { cost, said } from "/page/review.js";
import { element } from "/page/elements.js";

const LEAST = 0.0005; // of the chance to win; less is no difference
const TEXTS = {
  find: (move) => `Find a better move than ${move}.`,
  best: (move) => `${move} is the best move.`,
  same: (move, loss, unit) => `${move} is the move from before: it costs ${cost(loss, unit)}.`,
  equal: (move) => `${move} is as good as the best move.`,
  better: (move, loss, before, unit) => `${move} is better: it costs ${cost(loss, unit)} instead of ${cost(before, unit)}.`,
  still: (move, loss, unit) => `${move} still costs ${cost(loss, unit)}.`,
  unknown: (move) => `The review has not looked at ${move}. Review the new moves to learn what it costs.`,
  close: "Close",
};

// Returns what a review says of another move than the one that it judged; `moves` are those that its
// analysis of the position lists, with the chance of each as its `own`; the legal move is one of a view.
export function verdict(judged, unit, moves, { text, words }) {
  if (text === judged.best) return TEXTS.best(words);
  if (text === judged.move) return TEXTS.same(words, judged.loss, unit);
  const own = (name) => moves.find((move) => move.move === name)?.own ?? null;
  const best = own(judged.best), found = own(text);
  if (unit !== "chance" || best === null || found === null) return TEXTS.unknown(words);
  const loss = best - found;
  if (loss < LEAST) return TEXTS.equal(words);
  return loss < judged.loss ? TEXTS.better(words, loss, judged.loss, unit) : TEXTS.still(words, loss, unit);
}

export class Retry {
  constructor(holder) {
    this.holder = holder;
    this.end();
  }

  // Begins at the position before a move that the review of a view judges.
  begin(view, number) {
    const at = view.line.findIndex((entry) => entry.number === number);
    this.number = view.line[at - 1].number;
    this.judged = view.review.moves[number];
    this.unit = view.review.unit;
    this.moves = null; // known once the position is shown
    this.say(TEXTS.find(said(this.judged)));
  }

  end() {
    this.number = null;
    this.say(null);
  }

  // Shows the task at its position; returns whether nothing may be told of the one that is shown.
  hides(view) {
    if (this.number === null) return false;
    const isHere = view.number === this.number;
    this.holder.hidden = !isHere;
    if (isHere) this.moves ??= view.analysis?.moves ?? [];
    return isHere;
  }

  // Judges a move that a person makes; any other try is over.
  judge(view, move) {
    const isTry = this.hides(view);
    this.end();
    if (isTry) this.say(verdict(this.judged, this.unit, this.moves, move));
  }

  say(words) {
    this.holder.hidden = words === null;
    const close = element("button", { textContent: TEXTS.close });
    close.addEventListener("click", () => this.say(null));
    this.holder.replaceChildren(...(words === null ? [] : [element("strong", { textContent: words }), " ", ...(this.number === null ? [close] : [])]));
  }
}
