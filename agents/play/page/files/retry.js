// Another try after a mistake: nothing is told of the position until the person has moved; then what
// the new move costs, as soon as the review has looked at it.

import { cost, said } from "/page/review.js";
import { element } from "/page/elements.js";

const LEAST = 0.0005; // of the chance to win, or of a point; less is no difference
const TEXTS = {
  find: (move) => `Find a better move than ${move}.`,
  best: (move) => `${move} is the best move.`,
  same: (move, loss, unit) => `${move} is the move from before: it costs ${cost(loss, unit)}.`,
  looking: (move) => `${move}: the review looks at what it costs…`,
  equal: (move) => `${move} is as good as the best move.`,
  better: (move, loss, before, unit) =>
    `${move} is better: it costs ${cost(loss, unit)} instead of ${cost(before, unit)}.`,
  still: (move, loss, unit) => `${move} still costs ${cost(loss, unit)}.`,
  close: "Close",
};

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
    this.tried = null;
    this.say(TEXTS.find(said(this.judged)));
  }

  end() {
    this.number = this.tried = null;
    this.say(null);
  }

  // Shows the task at its position; returns whether nothing may be told of the one that is shown.
  hides(view) {
    if (this.number === null) return false;
    this.holder.hidden = view.number !== this.number;
    return view.number === this.number;
  }

  // Ends the try with a move that a person makes; returns whether the review has to judge it.
  judge(view, { text, words }) {
    const isTry = this.hides(view);
    this.end();
    if (!isTry) return false;
    const { best, move, loss } = this.judged;
    const isKnown = text === best || text === move;
    this.say(text === best ? TEXTS.best(words) : isKnown ? TEXTS.same(words, loss, this.unit) : TEXTS.looking(words));
    return !isKnown;
  }

  // Waits for the review of the move that has led to a position.
  expect(number, { words }) {
    this.tried = { number, words };
  }

  // Tells what the move costs that the person has tried, if the review of a view knows it.
  settle(view) {
    const found = view.review?.moves[this.tried?.number];
    if (!found) return;
    const { words } = this.tried;
    const before = this.judged.loss;
    this.tried = null;
    if (found.loss < LEAST) this.say(TEXTS.equal(words));
    else if (found.loss < before) this.say(TEXTS.better(words, found.loss, before, this.unit));
    else this.say(TEXTS.still(words, found.loss, this.unit));
  }

  say(words) {
    this.holder.hidden = words === null;
    const close = element("button", { textContent: TEXTS.close });
    close.addEventListener("click", () => this.say(null));
    if (words === null) this.holder.replaceChildren();
    else this.holder.replaceChildren(element("strong", { textContent: words }), " ", ...(this.number === null ? [close] : []));
  }
}
