// The review of a game: what each side lost, what the move that is shown cost, and another try.

import { amount } from "/page/curve.js";
import { element } from "/page/elements.js";

export const SIGNS = { inaccuracy: "?!", mistake: "?", blunder: "??" };
const PLURALS = { inaccuracy: "inaccuracies", mistake: "mistakes", blunder: "blunders" };
const RANKS = Object.keys(SIGNS);
const TEXTS = {
  none: "A review tells what each move cost, and where the game turned.",
  begin: "Review the game",
  again: "Review the new moves",
  progress: (done, total) => `Reviewing: ${done} of ${total} positions`,
  columns: ["", "lost a move", "marks"],
  average: (loss, unit) => (loss === null ? "no choice yet" : `${cost(loss, unit)}${unit === "points" ? "" : " to win"}`),
  marks: (counts) => RANKS.filter((mark) => counts[mark]).map((mark) => `${counts[mark]} ${counts[mark] === 1 ? mark : PLURALS[mark]}`).join(", ") || "no large loss",
  best: (judged) => `${said(judged)} is the best move.`,
  lost: (judged, unit, seat) => `${said(judged)} ${judged.mark ? `is ${judged.mark === "inaccuracy" ? "an" : "a"} ${judged.mark}: it` : ""} costs ${cost(judged.loss, unit)}. Best is ${judged.best_words ?? judged.best}: ${amount(judged.expected[seat], unit)} instead of ${amount(judged.reached[seat], unit)}${unit === "points" ? "" : " to win"}.`,
  retry: "Try again here",
  previous: "Previous mistake",
  next: "Next mistake",
};

// Returns a move as people say it; files hold its notation alone.
export const said = (entry) => entry.words ?? entry.move;

export const cost = (loss, unit) => (unit === "points" ? `${loss.toFixed(1)} points` : `${(100 * loss).toFixed(loss < 0.1 ? 1 : 0)}%`);

// Returns the worst mark among the moves that lead to some positions.
export function worstMark(review, numbers) {
  const ranks = numbers.map((number) => RANKS.indexOf(review?.moves[number]?.mark));
  return RANKS[Math.max(-1, ...ranks)] ?? "";
}

function sides(view) {
  const moves = Object.values(view.review.moves);
  return view.seats.map((seat, index) => {
    const counts = {};
    for (const { mark } of moves.filter((move) => move.seat === index)) counts[mark] = (counts[mark] ?? 0) + 1;
    const chip = element("span", { className: "chip" });
    chip.style.background = seat.colour;
    return element("tr", {},
      element("th", { scope: "row" }, chip, ` ${seat.name}`),
      element("td", { className: "number", textContent: TEXTS.average(view.review.averages[index], view.review.unit) }),
      element("td", { textContent: TEXTS.marks(counts) }));
  });
}

function button(words, onClick, isDisabled = false) {
  const made = element("button", { textContent: words, disabled: isDisabled });
  made.addEventListener("click", onClick);
  return made;
}

function steps(view, onGo) {
  const marked = view.line.map((entry, at) => [entry.number, at]).filter(([number]) => view.review.moves[number]?.mark);
  const now = view.line.findIndex((entry) => entry.number === view.number);
  const before = marked.findLast(([, at]) => at < now);
  const after = marked.find(([, at]) => at > now);
  return element("div", { className: "bar" },
    button(TEXTS.previous, () => onGo(before[0]), !before),
    button(TEXTS.next, () => onGo(after[0]), !after));
}

// Shows the review of a view in a section. `acts` has `go`, and on a page with a server `review` and
// `retry`; with `isQuiet`, nothing is said of the position that is shown. `progress` is { done, total } while a review runs.
export function showReview(section, view, progress, acts) {
  const words = section.contains(document.activeElement) ? document.activeElement.textContent : null;
  const parts = [];
  const last = element("div", { className: "bar" });
  if (view.review) {
    const head = TEXTS.columns.map((words) => element("th", { scope: "col", textContent: words }));
    parts.push(element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...sides(view))));
    parts.push(steps(view, acts.go));
    const judged = view.review.moves[view.number];
    if (judged && !acts.isQuiet) {
      const { unit } = view.review;
      const verdict = judged.move === judged.best ? TEXTS.best(judged) : TEXTS.lost(judged, unit, judged.seat);
      parts.push(element("p", { className: `said ${judged.mark}`, textContent: verdict }));
      if (judged.loss > 0 && acts.retry) last.append(button(TEXTS.retry, () => acts.retry(view.number)));
    }
  } else if (!progress) parts.push(element("p", { textContent: TEXTS.none }));
  if (progress) {
    const bar = element("progress", { max: Math.max(1, progress.total), value: progress.done });
    bar.setAttribute("aria-label", TEXTS.progress(progress.done, progress.total));
    parts.push(bar, element("p", { textContent: TEXTS.progress(progress.done, progress.total) }));
  } else if (acts.review && (!view.review || view.review.missing)) {
    last.append(button(view.review ? TEXTS.again : TEXTS.begin, acts.review, view.line.length < 2));
  }
  parts.push(last);
  section.replaceChildren(...parts);
  if (words) [...section.querySelectorAll("button")].find((one) => one.textContent === words)?.focus({ preventScroll: true });
}
