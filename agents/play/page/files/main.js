// The page: shows one position of a game, and sends what is done with it to the server.

import { get, listen, post } from "/page/api.js";
import { Board } from "/page/board.js";
import { clickWords, showChoice } from "/page/choice.js";
import { choose, click } from "/page/chooser.js";
import { Clock } from "/page/clock.js";
import { showControls } from "/page/controls.js";
import { Curtain } from "/page/curtain.js";
import { fillSpecs, openForm } from "/page/dialogs.js";
import { hinted, showHint } from "/page/coach.js";
import { showCurve } from "/page/curve.js";
import { takeGames } from "/page/import.js";
import { wireKeys } from "/page/keys.js";
import { cover, showLobby } from "/page/lobby.js";
import { showMoves } from "/page/move_list.js";
import { askNewGame } from "/page/new_game.js";
import { Progress } from "/page/progress.js";
import { Retry } from "/page/retry.js";
import { showReview } from "/page/review.js";
import { openRules } from "/page/rules.js";
import { showSince } from "/page/since.js";
import { effort, showBest, showSeats, showWaits } from "/page/thoughts.js";
import { wireCoordinates, wireLens, wireRecord } from "/page/tools.js";
import { Words } from "/page/words.js";

const find = (selector) => document.querySelector(selector);
const dark = matchMedia("(prefers-color-scheme: dark)");

const page = {
  server: null, // what it plays
  about: null, // what all games with these options have in common
  id: null, // of the game
  seat: null, // as which the game is seen, if the address says so
  below: null, // the seat that sits below, if the board was turned
  number: null, // the position that is shown; null: the one that is played
  view: null,
  clicked: [],
  found: new Map(), // thoughts by position
  preparing: new Map(), // agents that are being compiled
  picked: null, // the move of the thoughts that is drawn alone
  sent: null, // the move that a person has made, until the server has answered
  hint: null, // { number, isOpen } after a hint was asked for, until the position changes
  reviewing: null, // the progress of a review that runs
  source: null,
  newest: 0, // the request whose answer is shown
};

const board = new Board(find("#board"), onPart);
const words = new Words(find("#board"));
words.click = (part) => clickWords(page.view.moves, page.clicked, part);
const progress = new Progress([find("#progress"), find("#import .progress")]);
const curtain = new Curtain(find);
const retry = new Retry(find("#retry"));
const clock = new Clock(find("#clock"), () => attempt(() => post(path("resign"))));

async function attempt(action) {
  try {
    trouble(null);
    await action(); // it may show what is wrong with the game
  } catch (error) {
    trouble(error.message);
  }
}

function trouble(words) {
  find("#error").hidden = !words;
  find("#error").textContent = words ?? "";
}

const path = (name = "") => `/api/games/${page.id}${name && `/${name}`}`;

async function load() {
  const request = ++page.newest;
  const query = new URLSearchParams({ theme: dark.matches ? "dark" : "light" });
  if (page.number !== null) query.set("number", page.number);
  if (page.seat !== null) query.set("seat", page.seat);
  if (page.below !== null) query.set("below", page.below);
  let view;
  try {
    view = await get(`${path()}?${query}`);
  } catch (error) {
    if (page.number === null || error.status !== 400) throw error;
    page.number = null; // the position has been taken back on another page
    return load();
  }
  if (request !== page.newest) return; // a newer answer is on its way
  if (view.number !== page.view?.number) {
    page.clicked = [];
    page.picked = null;
    page.hint = null;
  }
  page.view = view;
  if (page.number === view.current) page.number = null;
  render();
}

// Whether the position is the one that is played, and an agent is to move there.
function isAgentsTurn() {
  const { number, current, runs, seat, seats } = page.view;
  return number === current && runs && seat !== null && !seats[seat].human;
}

function render() {
  const view = page.view;
  find("#setup").hidden = true;
  find("#game").hidden = false;
  clock.show(view);
  if (curtain.cover(view, page.seat !== null, render)) return; // moves and thoughts are secrets, too
  board.show(view.board, view.words);
  const shown = { isEarlier: page.number !== null, isThinking: isAgentsTurn() };
  showControls(find, page.about.title, view, shown, show);
  if (view.error) trouble(view.error);
  if (!view.thinks.length) page.reviewing = null; // it has ended, however it did
  showMoves(find("#moves"), view, show);
  showCurve(find("#graph"), view, show);
  showSince(find("#since"), view);
  retry.settle(view);
  drawReview();
  drawChoice();
  drawThoughts();
}

function drawChoice() {
  page.fitting = showChoice(find, board, page, play, goBack);
}

function drawThoughts() {
  const view = page.view;
  const isSearching = isAgentsTurn() || view.thinks.includes(view.number);
  const isHidden = retry.hides(view) && !page.hint;
  const found = isHidden ? null : page.found.get(view.number) ?? view.analysis;
  const isShown = find("#show-thoughts").checked;
  const entry = view.line.find((one) => one.number === view.number);
  // Where a review tells what can be expected, the seats say the same.
  const judged = view.review && view.unit === "chance" && !isSearching ? entry?.expected : null;
  showSeats(
    find("#seats"), view, isShown ? judged ?? found?.chances ?? entry?.chances : null, isShown ? found?.points : null,
    page.preparing, () => attempt(() => post(path("stand_in"))),
  );
  find("#search").textContent = !isShown ? "" : found ? effort(found, isSearching) : isSearching ? "A search has begun…" : "";
  find("#explanation").textContent = (isShown && found?.final && found.explanation) || "";
  showBest(find("#best"), isShown ? found : null, (move) => {
    page.picked = page.picked === move.move ? null : move.move;
    drawThoughts();
  });
  showHint(find("#coach"), page.hint, found, {
    why: () => {
      page.hint.isOpen = !page.hint.isOpen;
      drawThoughts();
    },
    close: () => {
      page.hint = null;
      drawThoughts();
    },
  });
  if (!board.svg) return;
  const shown = isShown && found ? found.moves.filter((move) => !page.picked || move.move === page.picked) : [];
  // Where the game is over, there is nothing to advise.
  const drawn = view.result !== null ? [] : page.hint && !page.picked ? hinted(found) : shown;
  board.best(drawn.map((move) => ({ parts: move.parts, weight: move.visits ?? move.policy ?? 1 })));
}

async function review() {
  page.reviewing = { done: 0, total: 1 };
  drawReview();
  try {
    await post(path("review"));
  } catch (error) {
    page.reviewing = null;
    drawReview();
    throw error;
  }
}

function drawReview() {
  showReview(find("#review"), page.view, page.reviewing, {
    go: show,
    review: () => attempt(review),
    retry: (number) => {
      page.number = null;
      retry.begin(page.view, number);
      attempt(() => post(path("retry"), { number }));
    },
    isQuiet: retry.hides(page.view),
  });
}

function onPart(part) {
  if (page.sent) return;
  const moves = page.view.moves;
  page.clicked = click(moves, page.clicked, part);
  const { decided } = choose(moves, page.clicked);
  if (decided) play(decided);
  else drawChoice();
}

function goBack() {
  if (page.clicked.length) {
    page.clicked = page.clicked.slice(0, -1);
    drawChoice();
  } else if (page.view.half && page.view.moves.length && page.number === null) {
    attempt(() => post(path("back")));
  }
}

function play(move) {
  const { number } = page.view;
  if (page.sent) return;
  page.number = null;
  page.sent = move;
  const isJudged = retry.judge(page.view, move);
  find("#filter").value = "";
  drawChoice();
  attempt(async () => {
    try {
      const after = await post(path("play"), { number, action: move.action });
      if (isJudged) retry.expect(after.number, move);
    } finally {
      page.clicked = [];
      page.sent = null;
      await load();
    }
    if (isJudged) await review();
  });
}

function show(number) {
  page.number = number === page.view.current ? null : number;
  attempt(load);
}

function step(where) {
  // Keys may come faster than answers: a step begins where the last one will lead.
  const line = page.view.line.map((entry) => entry.number);
  const wanted = page.number ?? page.view.current;
  const at = line.indexOf(line.includes(wanted) ? wanted : page.view.number);
  const target = { first: 0, previous: line[at - 1], next: line[at + 1], last: page.view.current }[where];
  if (target !== undefined && target !== line[at]) show(target);
}

async function open(id, seat = null) {
  Object.assign(page, { id, seat, below: null, number: null, view: null, clicked: [], picked: null, sent: null });
  page.found.clear();
  curtain.reset();
  page.reviewing = null;
  retry.end();
  for (const name of ["#panel", "aside"]) find(name).scrollTop = 0;
  const address = new URL(location.href);
  address.searchParams.set("game", id);
  for (const name of ["new", "choose"]) address.searchParams.delete(name);
  if (seat === null) address.searchParams.delete("seat");
  history.replaceState(null, "", address);
  page.about = await get(path("about"));
  find("#title").textContent = document.title = page.about.title;
  find("#analyst").value = page.about.analyst;
  fillSpecs(page.about);
  words.begin(page.about.words);
  find("#open-rules").hidden = !page.about.rules;
  await load();
  connect(); // only now: it compiles moves and agents, for which the board would have to wait
  find("#open-new").hidden = false;
}

function connect() {
  page.source?.close();
  let isLost = false;
  page.source = listen(page.id, page.seat, {
    status: drawProgress,
    trouble: (event) => trouble(event.error),
    game: (event) => {
      if (event.deleted) location.href = "/?choose";
      else if (event.version !== page.view?.version) attempt(load);
    },
    review: (event) => {
      page.reviewing = event;
      if (page.view && !curtain.isShut) drawReview();
    },
    thoughts: (event) => {
      page.found.set(event.number, event);
      if (page.view?.number === event.number && !curtain.isShut) drawThoughts();
    },
    open: () => {
      if (!isLost) return;
      isLost = false;
      trouble(null);
      if (page.view) attempt(load); // the server may have begun anew
    },
    error: () => {
      isLost = true;
      trouble("The server does not answer; the page goes on as soon as it does.");
    },
  });
}

function drawProgress(status) {
  progress.show(status, page.about?.game, (preparing) => {
    page.preparing = preparing;
    showWaits(find("#seats"), preparing);
  });
  if (page.view && !curtain.isShut) drawThoughts();
}

function wire() {
  for (const button of document.querySelectorAll("[data-step]")) {
    button.addEventListener("click", () => step(button.dataset.step));
  }
  const sends = (selector, name, body = () => ({})) =>
    find(selector).addEventListener("click", () => attempt(() => post(path(name), body())));
  const analyst = () => ({ agent: find("#analyst").value || null });
  find("#undo").addEventListener("click", () => {
    page.number = null;
    attempt(() => post(path("back")));
  });
  sends("#redo", "forward");
  find("#resign").addEventListener("click", () => {
    if (confirm("Give up this game?")) attempt(() => post(path("resign")));
  });
  sends("#analyse", "think", () => ({ number: page.view.number, ...analyst() }));
  sends("#stop", "stop");
  sends("#run", "run", () => ({ runs: !page.view.runs }));
  find("#continue").addEventListener("click", () => {
    const { number } = page.view;
    page.number = null;
    attempt(() => post(path("go"), { number }));
  });
  find("#hint").addEventListener("click", () => attempt(async () => {
    const { number } = page.view;
    page.hint = { isOpen: false };
    page.found.delete(number); // of another agent, perhaps
    drawThoughts();
    await post(path("think"), { number });
  }));
  find("#show-thoughts").addEventListener("change", drawThoughts);
  find("#flip").addEventListener("click", () => {
    page.below = 1 - page.view.below;
    attempt(load);
  });
  find("#filter").addEventListener("input", drawChoice);
  find("#filter").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && page.fitting.length === 1) play(page.fitting[0]);
  });
  wireLens(find, board);
  wireCoordinates(find);
  wireRecord(find, () => page.view.position, () => get(path("record")), () => post(path("delete")), attempt);
  find("#open-new").addEventListener("click", askNew);
  find("#open-rules").addEventListener("click", () => attempt(() => openRules(find("#rules"), path(), dark.matches ? "dark" : "light")));
  const openImport = takeGames(find("#import"), () => page.about, openForeign, trouble, (words) => {
    find("#setup").hidden = words === null || page.view !== null;
    find("#setup p").textContent = words ?? "";
  });
  find("#open-import").addEventListener("click", openImport);
  find("#open-seats").addEventListener("click", () => {
    const seats = page.view.seats.map((seat) => seat.spec);
    const names = page.view.seats.map((seat) => seat.name);
    openForm(find("#change"), page.about, seats, names, (form, specs) => post(path("seats"), { seats: specs }));
  });
  dark.addEventListener("change", () => page.view && attempt(load));
  const isDeaf = () => !page.view || curtain.isShut;
  wireKeys(find, { step, goBack, zoom: (key) => board.lens.key(key), isDeaf });
}

function askNew() {
  const seats = page.view.seats.map((seat) => seat.spec);
  attempt(() => askNewGame(find("#new"), page.about.game, page.about, seats, (id) => open(id)));
}

function chooseGame() {
  return showLobby(find("#lobby"), page.server, (game) =>
    attempt(() => askNewGame(find("#new"), game, null, null, (id) => (location.href = `/?game=${id}`))));
}

// Opens a game from elsewhere, and its review if it has moves.
async function openForeign(id, moves) {
  find("#lobby").hidden = true;
  await open(id);
  if (moves && !page.view.review) await review();
}

// Begins a game without asking for anything; the board of a large game takes a while the first time.
async function beginGame(game) {
  const setup = find("#setup");
  setup.hidden = false;
  setup.prepend(cover(game));
  try {
    const { id } = await post("/api/games", { game });
    await open(id);
  } catch (error) {
    setup.hidden = find("#game").hidden = true;
    await chooseGame();
    throw error;
  }
}

async function begin() {
  wire();
  connect();
  page.server = await get("/api/about");
  const query = new URL(location.href).searchParams;
  const seat = query.get("seat");
  const id = query.get("game");
  if (id) {
    await open(id, /^\d$/.test(seat ?? "") ? Number(seat) : null);
    return;
  }
  const game = query.get("new") ?? (query.has("choose") ? null : page.server.game);
  if (game === null) await chooseGame();
  else await beginGame(game);
}

attempt(begin);
