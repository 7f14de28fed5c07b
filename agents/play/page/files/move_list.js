// The moves of the line, by rounds and turns: numbered pairs where the seats alternate, else chapters
// ("Round 2 of 6") that fold away, with a row for each turn of a seat.

import { said, SIGNS, worstMark } from "/page/review.js";
import { element } from "/page/elements.js";

const SHORT = 40; // moves up to which all chapters are open

// Returns the entries in runs of equal keys.
function runs(entries, key) {
  const found = [];
  for (const entry of entries) {
    const last = found.at(-1);
    if (last && key(last[0]) === key(entry)) last.push(entry);
    else found.push([entry]);
  }
  return found;
}

const joined = (first, second) => {
  const words = said(second);
  return `${said(first)}: ${words[0].toLowerCase()}${words.slice(1)}`;
};

// Returns the actions of the line: parts of one action ("b2", "attack b3") make one entry, which
// leads to the position after the last part.
function actions(line) {
  const found = [];
  for (const entry of line.slice(1)) {
    const last = found.at(-1);
    if (last?.half && last.seat === entry.seat) {
      found[found.length - 1] = { ...entry, move: `${last.move} ${entry.move}`, words: joined(last, entry), parts: [...last.parts, entry.number] };
    } else found.push({ ...entry, parts: [entry.number] });
  }
  return found;
}

// Returns a turn of a seat: a button for each action, with spaces between them.
function turnWords(turn, view, onGo) {
  return element("span", {}, ...turn.flatMap((entry) => [moveButton(entry, view, onGo), " "]));
}

function moveButton(entry, view, onGo) {
  const button = element("button", { textContent: said(entry) });
  button.dataset.number = entry.number;
  button.dataset.move = entry.move;
  const mark = worstMark(view.review, entry.parts);
  if (mark) button.append(element("span", { className: `mark ${mark}`, textContent: SIGNS[mark], title: mark }));
  button.setAttribute("aria-label", `${view.seats[entry.seat].name}: ${said(entry)}${mark && `, ${mark}`}`);
  if (entry.parts.includes(view.number)) button.setAttribute("aria-current", "step");
  button.addEventListener("click", () => onGo(entry.number));
  return button;
}

// Returns a row for as many turns as there are seats, with its number.
function pairRows(entries, view, onGo) {
  const turns = runs(entries, (entry) => entry.seat);
  const rows = [];
  for (let at = 0; at < turns.length; at += view.seats.length) {
    const row = element("li", { className: "pair" }, element("span", { className: "count", textContent: `${rows.length + 1}. ` }));
    for (const turn of turns.slice(at, at + view.seats.length)) {
      row.append(turnWords(turn, view, onGo));
    }
    rows.push(row);
  }
  return rows;
}

// Returns a row for each turn: the seat, then what it did.
function turnRows(entries, view, onGo) {
  return runs(entries, (entry) => entry.seat).map((turn) => {
    const seat = view.seats[turn[0].seat];
    const chip = element("span", { className: "chip", title: seat.name });
    chip.style.background = seat.colour;
    return element("li", { className: "turn" }, chip, turnWords(turn, view, onGo));
  });
}

function chapter(entries, view, onGo, isOpen) {
  const summary = element("summary", { textContent: entries[0].chapter });
  summary.append(element("span", { className: "count", textContent: ` ${entries.length} ${entries.length === 1 ? "move" : "moves"}` }));
  const folder = element("details", { open: isOpen }, summary, element("ol", {}, ...turnRows(entries, view, onGo)));
  folder.dataset.first = entries[0].number;
  return element("li", { className: "chapter" }, folder);
}

// Shows the moves of the line; `onGo` is called with a position. Chapters stay open or folded as
// they were left; others are open if the game is short, or if the position that is shown is theirs.
export function showMoves(list, view, onGo) {
  const entries = actions(view.line);
  const left = new Map([...list.querySelectorAll("details[data-left]")].map((one) => [one.dataset.first, one.open]));
  const active = list.contains(document.activeElement) ? document.activeElement : null;
  const [number, first] = [active?.dataset.number, active?.parentElement.dataset.first];
  if (entries.every((entry) => !entry.chapter)) {
    list.replaceChildren(...pairRows(entries, view, onGo));
  } else {
    list.replaceChildren(...runs(entries, (entry) => entry.chapter).map((run) => {
      const isShown = entries.length <= SHORT || run.some((entry) => entry.parts.includes(view.number));
      const was = left.get(String(run[0].number));
      const row = chapter(run, view, onGo, was ?? isShown);
      if (was !== undefined) row.firstChild.dataset.left = "";
      return row;
    }));
  }
  for (const summary of list.querySelectorAll("summary")) {
    summary.addEventListener("click", () => (summary.parentElement.dataset.left = ""));
  }
  const same = number ? `[data-number="${number}"]` : first ? `[data-first="${first}"] > summary` : null;
  if (same) list.querySelector(same)?.focus({ preventScroll: true });
  const current = list.querySelector("[aria-current]");
  if (current) list.scrollTop += current.getBoundingClientRect().top - list.getBoundingClientRect().top - list.clientHeight / 2;
}
