// A reviewed game on a page without a server: boards, curve, moves with marks, steps by keys.

import { amount, showCurve } from "/page/curve.js";
import { element } from "/page/elements.js";
import { showReview, SIGNS } from "/page/review.js";

const find = (selector) => document.querySelector(selector);
const game = JSON.parse(find("#data").textContent);
const TEXTS = {
  over: "The game is over.",
  ply: (at, count) => `move ${at} of ${count}`,
  then: (moves) => (moves.length ? `, then ${moves.join(", ")}` : ""),
  worth: (move) => (move.chance === null ? "" : `: ${amount(move.chance, "chance")} to win`),
};
let number = 0;

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function drawMoves() {
  let chapter = "";
  const rows = game.line.slice(1).flatMap((entry, index) => {
    const judged = game.review.moves[entry.number];
    const button = element("button", { textContent: `${index + 1}. ${entry.move}` });
    button.dataset.number = entry.number;
    button.style.borderLeft = `3px solid ${game.seats[entry.seat].colour}`;
    if (judged.mark) button.append(element("span", { className: `mark ${judged.mark}`, textContent: ` ${SIGNS[judged.mark]}`, title: judged.mark }));
    button.setAttribute("aria-label", `${game.seats[entry.seat].name}: ${entry.move}${judged.mark && `, ${judged.mark}`}`);
    button.addEventListener("click", () => show(entry.number));
    const row = [element("li", {}, button, " ")];
    if (entry.chapter !== chapter) row.unshift(element("li", { className: "chapter", textContent: entry.chapter }));
    chapter = entry.chapter;
    return row;
  });
  find("#moves").replaceChildren(...rows);
}

function show(at) {
  number = Math.max(0, Math.min(game.line.length - 1, at));
  const view = { ...game, number };
  // The pictures are those of the program that wrote this file.
  find("#board").innerHTML = game.boards[number];
  const svg = find("#board svg");
  const [width, height] = [svg.getAttribute("width"), svg.getAttribute("height")];
  if (!svg.getAttribute("viewBox")) svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.removeAttribute("width");
  svg.removeAttribute("height");
  find("#board").style.setProperty("--ratio", width / height);
  find("#ply").textContent = TEXTS.ply(number, game.line.length - 1);
  showCurve(find("#graph"), view, show);
  showReview(find("#review"), view, null, { go: show });
  const best = game.positions[number]?.moves ?? [];
  find("#best").replaceChildren(...(game.positions[number] ? best.map((move) => element("li", {
    textContent: `${move.move}${TEXTS.worth(move)}${TEXTS.then(move.variation.slice(1))}`,
  })) : [element("li", { textContent: TEXTS.over })]));
  for (const button of find("#moves").querySelectorAll("button")) {
    if (Number(button.dataset.number) === number) button.setAttribute("aria-current", "step");
    else button.removeAttribute("aria-current");
  }
  const current = find("#moves [aria-current]");
  if (current) find("#moves").scrollTop = current.offsetTop - find("#moves").clientHeight / 2;
  find("[data-step=first]").disabled = find("[data-step=previous]").disabled = number === 0;
  find("[data-step=next]").disabled = find("[data-step=last]").disabled = number === game.line.length - 1;
}

const step = (where) => show({ first: 0, previous: number - 1, next: number + 1, last: game.line.length - 1 }[where]);

async function begin() {
  game.boards = await unpacked(game.boards);
  drawMoves();
  show(0);
  for (const button of document.querySelectorAll("[data-step]")) button.addEventListener("click", () => step(button.dataset.step));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const where = { ArrowLeft: "previous", ArrowRight: "next", Home: "first", End: "last" }[event.key];
    if (!where) return;
    step(where);
    event.preventDefault();
  });
}

begin();
