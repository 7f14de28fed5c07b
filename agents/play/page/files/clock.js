// A clock for the persons of a game. The browser keeps it, so that it goes on after a reload, and
// stands while the page is closed.

import { element } from "/page/elements.js";

const TICK = 250; // milliseconds
const key = (id) => `clock ${id}`;
const written = (seconds) => {
  const whole = Math.max(0, Math.ceil(seconds));
  return `${Math.floor(whole / 60)}:${String(whole % 60).padStart(2, "0")}`;
};

// Gives each person of a new game some minutes.
export function setClock(id, minutes) {
  localStorage.setItem(key(id), JSON.stringify({ seconds: 60 * minutes, used: {} }));
}

export class Clock {
  // `onOver` is called when the time of the person to move is over.
  constructor(holder, onOver) {
    this.holder = holder;
    this.onOver = onOver;
    this.seat = null; // whose time runs
    setInterval(() => this.tick(), TICK);
  }

  // Shows the clock of a game; it runs while a person is to move in the position that is played.
  show(view) {
    const kept = JSON.parse(localStorage.getItem(key(view.id)) ?? "null");
    this.kept = kept;
    this.holder.hidden = kept === null;
    if (kept === null) {
      this.seat = null;
      return;
    }
    this.id = view.id;
    this.seats = view.seats;
    const isPerson = view.seat !== null && view.seats[view.seat].human;
    // A look at another position does not stop the clock.
    if (view.number === view.current) this.seat = view.result === null && isPerson ? view.seat : null;
    this.last = Date.now();
    this.draw();
  }

  left(seat) {
    return this.kept.seconds - (this.kept.used[seat] ?? 0);
  }

  tick() {
    if (this.seat === null) return;
    const now = Date.now();
    this.kept.used[this.seat] = (this.kept.used[this.seat] ?? 0) + (now - this.last) / 1000;
    this.last = now;
    localStorage.setItem(key(this.id), JSON.stringify(this.kept));
    this.draw();
    if (this.left(this.seat) > 0) return;
    this.seat = null;
    this.onOver();
  }

  draw() {
    const rows = this.seats.flatMap((seat, at) => {
      if (!seat.human) return [];
      const time = element("b", { textContent: written(this.left(at)), className: at === this.seat ? "runs" : "" });
      return [element("span", {}, `${seat.name} `, time)];
    });
    this.holder.replaceChildren(...rows);
  }
}
