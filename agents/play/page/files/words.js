// What the parts of the board and the moves in words are and do: a panel of the page, and a tooltip
// beside what the pointer, the focus or a tap is on.

const DELAY = 500; // milliseconds that a mouse rests on a part before the tooltip comes
const GAP = 8; // pixels between a part and its tooltip
const MOVES = "#menu button, #list button, #moves button";

export class Words {
  constructor(holder) {
    this.holder = holder;
    this.name = document.querySelector("#part-name");
    this.effect = document.querySelector("#part-effect");
    this.tip = document.querySelector("#tip");
    this.invitation = this.name.textContent;
    this.glossary = {}; // what names in moves mean
    this.click = () => ""; // returns what a click on a part does, if it acts
    this.rests = false; // whether a new picture was drawn under the mouse
    document.addEventListener("pointerover", (event) => this.point(event));
    document.addEventListener("pointermove", (event) => this.follow(event));
    document.addEventListener("focusin", (event) => event.target.matches(":focus-visible") && this.tell(event.target, 0));
    document.addEventListener("focusout", () => this.hide());
    document.addEventListener("scroll", () => this.place(), true);
    document.addEventListener("keydown", (event) => event.key === "Escape" && this.hide());
    holder.addEventListener("pointerup", (event) => this.tap(event));
  }

  // Begins a game whose moves have names that mean something.
  begin(glossary) {
    this.glossary = glossary;
    this.hide();
    [this.name.textContent, this.effect.textContent] = [this.invitation, ""];
  }

  // A picture that is drawn anew under a mouse that rests does not bring a tooltip.
  point(event) {
    if (event.pointerType !== "mouse") return;
    this.rests = event.clientX === this.x && event.clientY === this.y;
    if (this.rests) this.hide();
    else this.tell(event.target, DELAY);
  }

  follow(event) {
    if (event.clientX === this.x && event.clientY === this.y) return;
    [this.x, this.y] = [event.clientX, event.clientY];
    if (this.rests) this.tell(event.target, DELAY);
    this.rests = false;
  }

  // A tap on a part that can be chosen chooses it; a tooltip would hide what can follow.
  tap(event) {
    const area = event.target.closest?.(".area");
    if (event.pointerType === "mouse" || !area) return this.hide();
    this.tell(area, area.classList.contains("lit") ? null : 0);
  }

  // Shows what an element is: at once in the panel, after a delay as a tooltip (null: never).
  tell(target, delay) {
    this.hide();
    const found = target.closest?.(".area") ?? target.closest?.(MOVES);
    if (!found) return;
    const [name, effect] = found.matches(".area") ? this.part(found) : this.move(found);
    if (!found.matches(".area") && !effect) return; // the panel keeps what it says
    this.name.textContent = name;
    this.effect.textContent = effect ?? "";
    if (effect && delay !== null) this.waiting = setTimeout(() => this.show(found, name, effect), delay);
  }

  // Returns a part, and what a click on it and the part itself do.
  part(area) {
    const { part, label, effect } = area.dataset;
    const click = area.classList.contains("lit") ? this.click(part) : "";
    return [label, [click, effect].filter(Boolean).join("\n")];
  }

  // Returns a move and what the names in it mean.
  move(button) {
    const { move } = button.dataset;
    const shown = button.textContent;
    const names = move.split(/[\s:]+/);
    const known = names.filter((name) => Object.hasOwn(this.glossary, name));
    return [move === shown ? shown : `${shown} (${move})`, known.map((name) => this.glossary[name]).join("\n")];
  }

  show(target, name, effect) {
    if (!target.isConnected) return; // the picture has been drawn anew
    const title = document.createElement("strong");
    title.textContent = name;
    this.tip.replaceChildren(title, document.createElement("br"), effect);
    this.tip.hidden = false;
    this.target = target;
    this.place();
  }

  // Puts the tooltip below its part, or above where there is no room.
  place() {
    if (this.tip.hidden) return;
    const part = this.target.getBoundingClientRect(), own = this.tip.getBoundingClientRect();
    const below = part.bottom + GAP + own.height < innerHeight || part.top < own.height + GAP;
    const left = part.left + part.width / 2 - own.width / 2;
    this.tip.style.left = `${Math.max(GAP, Math.min(left, innerWidth - own.width - GAP))}px`;
    this.tip.style.top = `${below ? Math.min(part.bottom + GAP, innerHeight - own.height - GAP) : part.top - GAP - own.height}px`;
  }

  hide() {
    clearTimeout(this.waiting);
    this.tip.hidden = true;
  }
}
