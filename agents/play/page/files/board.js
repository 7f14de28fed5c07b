// The picture of the position: its areas light up, and take clicks, drags and keys.

import { Lens } from "/page/lens.js";

const SVG = "http://www.w3.org/2000/svg";
const WIDE = 700; // pixels from which a picture is zoomed and panned instead of dragging its pieces
const DRAG = 10; // pixels from which a pressed pointer drags

export class Board {
  constructor(holder, onPart) {
    this.holder = holder;
    this.onPart = onPart;
    this.lens = new Lens(holder);
    this.areas = new Map();
    this.pressed = null;
    this.focused = null; // the part that gets the focus in the next picture
    holder.addEventListener("pointerdown", (event) => this.press(event));
    holder.addEventListener("pointermove", (event) => this.drag(event));
    window.addEventListener("pointerup", (event) => this.release(event));
    window.addEventListener("pointercancel", () => (this.pressed = null));
    holder.addEventListener("keydown", (event) => this.key(event));
  }

  show(markup, words) {
    const active = document.activeElement;
    // The focus comes back to its part in the new picture, unless it has left.
    if (active !== document.body) this.focused = active?.closest?.("#board .area")?.dataset.part ?? null;
    // The server escapes texts in its pictures; they hold no script.
    this.holder.innerHTML = markup;
    const svg = this.holder.querySelector("svg");
    const width = Number(svg.getAttribute("width")), height = Number(svg.getAttribute("height"));
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("role", "group");
    svg.setAttribute("aria-label", words);
    this.holder.style.setProperty("--ratio", width / height);
    this.holder.classList.toggle("wide", width > WIDE);
    this.svg = svg;
    this.lens.take(svg, width, height, width > WIDE);
    this.areas.clear();
    for (const area of svg.querySelectorAll(".area")) {
      const same = this.areas.get(area.dataset.part) ?? [];
      this.areas.set(area.dataset.part, [...same, area]);
      // The page has tooltips of its own, which also say what a part does (words.js).
      const title = area.querySelector("title");
      area.dataset.label = title.textContent;
      title.remove();
      area.setAttribute("aria-label", area.dataset.label);
      if (area.dataset.effect) area.setAttribute("aria-description", area.dataset.effect);
    }
    this.overlay = document.createElementNS(SVG, "g");
    this.overlay.setAttribute("class", "arrow");
    svg.append(this.overlay);
  }

  label(part) {
    return this.areas.get(part)?.[0].dataset.label ?? part.slice(part.indexOf(":") + 1);
  }

  mark(lit, chosen) {
    for (const [part, areas] of this.areas) {
      for (const area of areas) {
        const isLit = lit.has(part);
        const isChosen = chosen.includes(part);
        area.classList.toggle("lit", isLit && !isChosen);
        area.classList.toggle("chosen", isChosen);
        if (isLit || isChosen) {
          area.setAttribute("tabindex", "0");
          area.setAttribute("role", "button");
          area.setAttribute("aria-pressed", String(isChosen));
        } else {
          area.setAttribute("tabindex", "-1");
          area.setAttribute("role", "img");
          area.removeAttribute("aria-pressed");
        }
      }
    }
    // Without a part to choose, the first one lets the keyboard in.
    if (!lit.size && !chosen.length) [...this.areas.values()][0]?.[0].setAttribute("tabindex", "0");
    if (document.activeElement === document.body && this.areas.has(this.focused)) {
      this.areas.get(this.focused)[0].focus();
      this.focused = null;
    }
  }

  // Draws the best moves: an arrow along the first two parts, or a frame; wider for more visits.
  best(moves) {
    this.overlay?.replaceChildren();
    for (const areas of this.areas.values()) for (const area of areas) area.classList.remove("best");
    const total = Math.max(1, ...moves.map((move) => move.weight));
    for (const move of moves.toReversed()) {
      const places = move.parts.filter((part) => this.areas.has(part));
      const share = move.weight / total;
      if (places.length > 1) this.arrow(places[0], places[1], share);
      else if (places.length && share > 0.5) {
        for (const area of this.areas.get(places[0])) area.classList.add("best");
      }
    }
  }

  middle(part) {
    const area = this.areas.get(part)[0];
    const box = area.getBBox();
    const matrix = this.svg.getScreenCTM().inverse().multiply(area.getScreenCTM());
    const point = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(matrix);
    return [point.x, point.y];
  }

  arrow(from, to, share) {
    const [x0, y0] = this.middle(from);
    const [x1, y1] = this.middle(to);
    const length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const dx = (x1 - x0) / length, dy = (y1 - y0) / length;
    const half = 2 + 4 * share, head = 3 * half + 4;
    const [bx, by] = [x1 - dx * head, y1 - dy * head];
    const corner = (x, y, side) => `${(x - dy * side).toFixed(1)} ${(y + dx * side).toFixed(1)}`;
    const path = document.createElementNS(SVG, "path");
    path.setAttribute("d",
      `M${corner(x0, y0, half)}L${corner(bx, by, half)}L${corner(bx, by, 2.2 * half)}L${x1} ${y1}` +
      `L${corner(bx, by, -2.2 * half)}L${corner(bx, by, -half)}L${corner(x0, y0, -half)}Z`);
    path.setAttribute("fill", "#2f6fd6");
    path.setAttribute("fill-opacity", (0.25 + 0.5 * share).toFixed(2));
    path.setAttribute("stroke", "#ffffff");
    path.setAttribute("stroke-opacity", "0.7");
    this.overlay.append(path);
  }

  partAt(event) {
    return document.elementFromPoint(event.clientX, event.clientY)?.closest?.(".area")?.dataset.part ?? null;
  }

  press(event) {
    if (event.button !== 0) return;
    this.pressed = { part: this.partAt(event), x: event.clientX, y: event.clientY, drags: false };
    const { target, pointerId } = event; // a finger that slides is told to the part below it
    if (target.hasPointerCapture(pointerId)) target.releasePointerCapture(pointerId);
  }

  drag(event) {
    const pressed = this.pressed;
    if (!pressed?.part || pressed.drags || this.lens.canZoom) return;
    if (Math.hypot(event.clientX - pressed.x, event.clientY - pressed.y) < DRAG) return;
    pressed.drags = true;
    // A new picture may lack the part.
    if (this.areas.get(pressed.part)?.[0].classList.contains("lit")) this.onPart(pressed.part);
  }

  release(event) {
    const pressed = this.pressed;
    this.pressed = null;
    if (!pressed || (this.lens.canZoom && this.lens.moved)) return;
    const part = this.partAt(event);
    if (part === null) return;
    if (!pressed.drags && part === pressed.part) this.onPart(part);
    else if (pressed.drags && part !== pressed.part) this.onPart(part);
  }

  // Arrows walk over the parts that can be chosen, with Shift (or without such parts) over all.
  key(event) {
    const area = event.target.closest(".area");
    if (!area) return;
    if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      this.focused = area.dataset.part;
      this.onPart(area.dataset.part);
      return;
    }
    const direction = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[event.key];
    if (!direction) return;
    event.preventDefault();
    const [x, y] = this.middle(area.dataset.part);
    let best = null, least = Infinity;
    const choices = this.svg.querySelectorAll(".area[role=button]");
    for (const other of event.shiftKey || !choices.length ? this.svg.querySelectorAll(".area") : choices) {
      const [ox, oy] = this.middle(other.dataset.part);
      const along = (ox - x) * direction[0] + (oy - y) * direction[1];
      const aside = Math.abs((ox - x) * direction[1]) + Math.abs((oy - y) * direction[0]);
      if (along > 1 && along + 2 * aside < least) [best, least] = [other, along + 2 * aside];
    }
    best?.focus();
  }
}
