// The part of the picture that is shown: all of it, or a part that is zoomed and panned by wheel, by
// dragging, with two fingers, and by keys.

const INSET = 8; // pixels of the picture's own margin that are cut
const OTHER = 1.3; // a picture of so different a shape that it begins as large as the window allows
const MOST = 6; // times as large as the whole picture
const STEP = 1.4; // of a button or key
const WHEEL = 0.0015; // of a pixel of the wheel
const DRAG = 8; // pixels from which a pressed pointer drags

export class Lens {
  constructor(holder) {
    this.holder = holder;
    this.svg = null;
    this.isFirst = true; // seen as the picture begins
    this.pointers = new Map();
    this.moved = false; // since the first pointer was pressed
    new ResizeObserver(() => this.apply()).observe(holder);
    holder.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    holder.addEventListener("pointerdown", (event) => this.press(event));
    window.addEventListener("pointermove", (event) => this.move(event));
    for (const kind of ["pointerup", "pointercancel"]) {
      window.addEventListener(kind, (event) => this.pointers.delete(event.pointerId));
    }
    holder.addEventListener("focusin", (event) => this.reveal(event.target));
  }

  // Looks at a new picture; one of the same size is seen as the last one was.
  take(svg, width, height, canZoom) {
    const inset = Math.min(INSET, width / 40);
    const box = { x: inset, y: inset, width: width - 2 * inset, height: height - 2 * inset };
    const isOther = JSON.stringify(box) !== JSON.stringify(this.box);
    Object.assign(this, { svg, box, canZoom });
    if (isOther) this.isFirst = true;
    this.apply();
  }

  // Pixels of the page for one of the picture where all of it is shown.
  get whole() {
    const { clientWidth, clientHeight } = this.holder;
    return Math.min(clientWidth / this.box.width, clientHeight / this.box.height);
  }

  // Times as large as the whole picture where it fills the window.
  get cover() {
    const { clientWidth, clientHeight } = this.holder;
    return Math.max(clientWidth / this.box.width, clientHeight / this.box.height) / this.whole;
  }

  apply() {
    if (!this.svg || !this.holder.clientHeight) return;
    if (this.isFirst) {
      this.scale = this.canZoom && this.cover > OTHER ? this.cover : 1;
      [this.x, this.y] = [this.box.x, this.box.y];
    }
    this.scale = Math.min(MOST, Math.max(1, this.scale));
    const pixels = this.whole * this.scale;
    const width = this.holder.clientWidth / pixels, height = this.holder.clientHeight / pixels;
    const within = (middle, size, start, all) =>
      size >= all ? start + all / 2 : Math.min(start + all - size / 2, Math.max(start + size / 2, middle));
    this.x = within(this.x, width, this.box.x, this.box.width);
    this.y = within(this.y, height, this.box.y, this.box.height);
    const view = [this.x - width / 2, this.y - height / 2, width, height];
    this.svg.setAttribute("viewBox", view.map((value) => value.toFixed(2)).join(" "));
    this.holder.classList.toggle("zoomed", this.scale > 1.01);
  }

  // The place of the picture under a place of the page.
  under(x, y) {
    const box = this.holder.getBoundingClientRect(), pixels = this.whole * this.scale;
    return [this.x + (x - box.x - box.width / 2) / pixels, this.y + (y - box.y - box.height / 2) / pixels];
  }

  // Zooms around a place of the page, by default the middle.
  zoom(factor, x, y) {
    if (!this.canZoom || !this.svg) return;
    const box = this.holder.getBoundingClientRect();
    [x, y] = [x ?? box.x + box.width / 2, y ?? box.y + box.height / 2];
    const [left, top] = this.under(x, y);
    this.isFirst = false;
    this.scale = Math.min(MOST, Math.max(1, this.scale * factor));
    const [newLeft, newTop] = this.under(x, y);
    this.x += left - newLeft;
    this.y += top - newTop;
    this.apply();
  }

  pan(dx, dy) {
    const pixels = this.whole * this.scale, before = this.y;
    this.isFirst = false;
    this.x -= dx / pixels;
    this.y -= dy / pixels;
    this.apply();
    return this.y !== before;
  }

  fit() {
    this.isFirst = false;
    this.scale = 1;
    this.apply();
  }

  wheel(event) {
    if (!this.canZoom) return;
    event.preventDefault();
    this.zoom(Math.exp(-WHEEL * event.deltaY), event.clientX, event.clientY);
  }

  press(event) {
    if (event.button !== 0) return;
    if (!this.pointers.size) this.moved = false;
    const [x, y] = [event.clientX, event.clientY];
    this.pointers.set(event.pointerId, { x, y, x0: x, y0: y });
  }

  move(event) {
    const pointer = this.pointers.get(event.pointerId);
    if (!pointer || !this.canZoom) return;
    const others = [...this.pointers].filter(([id]) => id !== event.pointerId).map(([, other]) => other);
    const [dx, dy] = [event.clientX - pointer.x, event.clientY - pointer.y];
    if (!others.length) {
      if (!this.moved && Math.hypot(event.clientX - pointer.x0, event.clientY - pointer.y0) < DRAG) return;
      // Where there is nothing to pan, a finger scrolls the page.
      if (!this.pan(dx, dy) && event.pointerType === "touch") window.scrollBy(0, -dy);
    } else {
      const [other] = others;
      const apart = (x, y) => Math.hypot(x - other.x, y - other.y) || 1;
      const factor = apart(event.clientX, event.clientY) / apart(pointer.x, pointer.y);
      this.zoom(factor, (event.clientX + other.x) / 2, (event.clientY + other.y) / 2);
      this.pan(dx / 2, dy / 2);
    }
    this.moved = true;
    Object.assign(pointer, { x: event.clientX, y: event.clientY });
  }

  // Pans until an element that has got the focus is seen.
  reveal(element) {
    if (!this.canZoom || !this.svg?.contains(element) || this.pointers.size) return;
    const inner = element.getBoundingClientRect(), outer = this.holder.getBoundingClientRect();
    const past = (low, high, least, most) => Math.max(0, least - low) - Math.max(0, high - most);
    const dx = past(inner.left, inner.right, outer.left, outer.right);
    const dy = past(inner.top, inner.bottom, outer.top, outer.bottom);
    if (dx || dy) this.pan(dx, dy);
  }

  key(name) {
    if (name === "+" || name === "=") this.zoom(STEP);
    else if (name === "-") this.zoom(1 / STEP);
    else if (name === "0") this.fit();
    else return false;
    return true;
  }
}
