// What agents think: chances as bars, the best moves.

import { element } from "/page/elements.js";
import { said } from "/page/review.js";

const percent = (share) => (share === null ? "" : `${(100 * share).toFixed(share < 0.1 ? 1 : 0)}%`);

// Replaces what a list holds; a button that has the focus keeps it.
function renew(holder, rows) {
  const words = holder.contains(document.activeElement) ? document.activeElement.textContent : null;
  holder.replaceChildren(...rows);
  const same = [...holder.querySelectorAll("button")].find((button) => button.textContent === words);
  same?.focus({ preventScroll: true });
}

// Shows the seats: who plays, points, and the chance to win as a bar.
// `preparing` maps the spec of an agent that is being compiled to { seconds, about }; `onStandIn` is
// called where a person does not want to wait for it.
export function showSeats(list, view, chances, expected, preparing, onStandIn) {
  const open = new Set([...list.querySelectorAll("details")].filter((one) => one.open).map((one) => one.closest("li").dataset.seat));
  list.replaceChildren(
    ...view.seats.map((seat, index) => {
      const chance = chances?.[index];
      const chip = element("span", { className: "chip" });
      chip.style.background = seat.colour;
      const name = element("div", { className: "name" }, chip, element("strong", { textContent: seat.name }));
      if (seat.points !== null) {
        name.append(element("span", { className: "points", textContent: `${seat.points} points` }));
      }
      if (expected) {
        name.append(element("span", { className: "spec", textContent: `expects ${Math.round(expected[index])}` }));
      }
      const row = element("li", { className: view.seat === index ? "moves" : "" }, name);
      row.dataset.seat = index;
      row.append(player(seat, open.has(String(index))));
      const wait = seat.human ? undefined : preparing.get(seat.spec);
      if (wait) row.append(preparation(seat, wait, view.stand_in, onStandIn));
      if (chance !== undefined && chance !== null) {
        const fill = element("i");
        fill.style.width = `${100 * chance}%`;
        fill.style.background = seat.colour;
        const words = percent(chance);
        const bar = element("div", { className: "value" }, element("span", {}, fill), element("b", { textContent: words }));
        bar.title = `${words} to win`;
        bar.setAttribute("role", "meter");
        bar.setAttribute("aria-label", `chance of ${seat.name} to win`);
        bar.setAttribute("aria-valuemin", "0");
        bar.setAttribute("aria-valuemax", "100");
        bar.setAttribute("aria-valuenow", Math.round(100 * chance));
        row.append(bar);
      }
      return row;
    }),
  );
}

// Returns the name of who plays; what the program calls an agent unfolds.
function player(seat, isOpen) {
  if (seat.human) return element("div", { className: "player", textContent: seat.player });
  const spec = element("span", { className: "spec", textContent: seat.spec });
  return element("details", { className: "player", open: isOpen }, element("summary", { textContent: seat.player }), spec);
}

function preparation(seat, wait, standIn, onStandIn) {
  const bar = element("progress");
  bar.setAttribute("aria-label", `preparation of ${seat.name}`);
  const box = element("div", { className: "preparation" }, bar, element("div", { className: "spec" }));
  box.dataset.spec = seat.spec;
  if (standIn) {
    box.append(element("div", { className: "spec", textContent: `${standIn} plays meanwhile` }));
  } else {
    const button = element("button", { textContent: "Let random moves go on meanwhile" });
    button.addEventListener("click", onStandIn);
    box.append(button);
  }
  showWait(box, wait);
  return box;
}

// Shows how long the agents of the seats are still being prepared, without making the seats anew.
export function showWaits(list, preparing) {
  for (const box of list.querySelectorAll(".preparation")) {
    if (preparing.has(box.dataset.spec)) showWait(box, preparing.get(box.dataset.spec));
  }
}

function showWait(box, { seconds, about }) {
  const bar = box.querySelector("progress");
  if (about) Object.assign(bar, { max: about, value: Math.min(seconds, about) });
  const left = !about ? "the time it takes is not known yet"
    : about > seconds ? `about ${Math.ceil((about - seconds) / 10) * 10} s more` : "a moment more";
  box.querySelector(".spec").textContent = `is being prepared for the first time, ${Math.round(seconds)} s; ${left}`;
}

const share = (x) => (x === null ? null : percent(x));
// For each column its head, what it means, and its number of a move.
const COLUMNS = [
  ["visits", "How many of the lines that were looked at begin with the move", (move) => move.visits],
  ["points", "The points that the game should end with", (move) => (move.points === null ? null : Math.round(move.points))],
  ["to win", "The chance to win after the move", (move) => share(move.chance)],
  ["prior", "How probable the move seemed at first sight", (move) => share(move.prior)],
  ["policy", "How probable the move is after all thought", (move) => share(move.policy)],
];

export function effort(found, isSearching) {
  const parts = [];
  if (found.visits !== null) parts.push(`${found.visits} visits`);
  if (found.depth !== null) parts.push(`depth ${found.depth}, score ${found.score}`);
  parts.push(found.final ? `plays ${said(found)}` : isSearching ? "searching…" : "stopped");
  return `${found.player}: ${parts.join(", ")}`;
}

// Shows the best moves as a table; `onPick` is called with a move that is clicked.
export function showBest(table, found, onPick) {
  const rows = [];
  if (found?.moves.length) {
    const columns = COLUMNS.filter(([, , cell]) => found.moves.some((move) => cell(move) !== null));
    const head = element("tr", {}, element("th", { textContent: "move" }));
    head.append(...columns.map(([textContent, title]) => element("th", { textContent, title, className: "number" })));
    rows.push(head);
    for (const move of found.moves) {
      const star = move.move === found.move ? "★ " : "";
      const row = element("tr", { className: "pick", title: "Show on the board" });
      row.append(element("td", {}, element("button", { textContent: star + said(move) })));
      row.append(...columns.map(([, , cell]) => element("td", { textContent: cell(move) ?? "", className: "number" })));
      row.addEventListener("click", () => onPick(move));
      rows.push(row);
      if (move.variation.length > 1) {
        const line = element("td", { textContent: `then ${move.variation.slice(1).join(", ")}` });
        line.colSpan = columns.length + 1;
        rows.push(element("tr", { className: "line" }, line));
      }
    }
  }
  renew(table.tBodies[0], rows);
}
