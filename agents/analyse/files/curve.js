// The curve of a game: what each seat could expect in every position, with a dot at each large loss.

const SVG = "http://www.w3.org/2000/svg";
const SIZE = { width: 340, height: 150, left: 34, right: 8, top: 10, bottom: 10 };
const FEW = 40; // positions up to which each of them has a dot
const RADIUS = { few: 4, many: 3.2 };

function shape(name, attributes, words = null) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (words !== null) made.textContent = words;
  return made;
}

// Returns the words for a chance or a number of points.
export const amount = (value, unit) => (unit === "points" ? `${Math.round(value)} points` : `${Math.round(100 * value)}%`);

// Returns the seats that are drawn: of two seats whose chances add up to one, the first says it all.
const drawnSeats = (view) => (view.unit === "chance" && view.seats.length === 2 ? [0] : view.seats.map((_, seat) => seat));

// Moves a dot up or down until it touches no dot of another seat; returns where it stands.
export function place(dot, placed, least) {
  const others = placed.filter((one) => one.seat !== dot.seat);
  const isFree = (y) => others.every((one) => Math.hypot(one.x - dot.x, one.y - y) >= least);
  for (let step = 0; step < 100; step++) {
    for (const y of [dot.y - step, dot.y + step]) if (isFree(y)) return { ...dot, y };
  }
  return dot;
}

// Returns the dots: one for each large loss, at the seat that made the move, and, in short games, one
// for every position and seat.
function dotsOf(view, line, x, y, radius) {
  const seats = drawnSeats(view);
  const wanted = line.flatMap((entry, at) => {
    if (!entry.expected) return [];
    const judged = view.review?.moves[entry.number];
    return view.seats.flatMap((seat, index) => {
      const mark = judged && judged.seat === index ? judged.mark : "";
      if (!mark && (line.length > FEW || !seats.includes(index))) return [];
      const value = entry.expected[seats.includes(index) ? index : 0];
      return [{ seat: index, at, mark, value: entry.expected[index], x: x(at), y: y(value) }];
    });
  });
  // A mark takes the place of the plain dot below it.
  const marked = new Set(wanted.filter((dot) => dot.mark).map((dot) => `${dot.at}`));
  const shown = wanted.filter((dot) => dot.mark || !(seats.length === 1 && marked.has(`${dot.at}`)));
  const placed = [];
  for (const dot of shown.sort((one, other) => Boolean(other.mark) - Boolean(one.mark))) {
    placed.push(place(dot, placed, 2 * radius + 1));
  }
  return placed;
}

// Shows the curve of the line of a view; `onGo` is called with a position.
export function showCurve(holder, view, onGo) {
  const { line, unit } = view;
  const { width, height, left, right, top, bottom } = SIZE;
  const known = line.flatMap((entry) => entry.expected ?? []);
  const most = unit === "points" ? Math.ceil((Math.max(20, ...known) + 5) / 20) * 20 : 1;
  const least = unit === "points" ? Math.min(most - 20, Math.floor((Math.min(most, ...known) - 5) / 20) * 20) : 0;
  const x = (at) => left + (at / Math.max(1, line.length - 1)) * (width - left - right);
  const y = (value) => top + ((most - value) / (most - least)) * (height - top - bottom);
  const name = unit === "points" ? "Expected points over the game" : "Chance to win over the game";
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, role: "group", "aria-label": name });
  const ground = shape("rect", { x: left, y: top, width: width - left - right, height: height - top - bottom, fill: "transparent", class: "ground" });
  svg.append(ground);
  for (const value of [least, (least + most) / 2, most]) {
    svg.append(shape("path", { d: `M${left} ${y(value)}H${width - right}`, stroke: "var(--line)", "stroke-dasharray": value === least || value === most ? "none" : "4 3" }));
    const words = unit === "points" ? Math.round(value) : `${Math.round(100 * value)}%`;
    svg.append(shape("text", { x: left - 4, y: y(value) + 4, "text-anchor": "end", "font-size": 11, fill: "var(--muted)" }, words));
  }
  for (const index of drawnSeats(view)) {
    const points = line.flatMap((entry, at) => (entry.expected ? [`${x(at).toFixed(1)} ${y(entry.expected[index]).toFixed(1)}`] : []));
    if (!points.length) continue;
    svg.append(shape("path", { d: `M${points.join("L")}`, class: "curve", stroke: view.seats[index].colour, "stroke-width": 2.2, fill: "none" }));
  }
  const now = line.findIndex((entry) => entry.number === view.number);
  svg.append(shape("path", { d: `M${x(now)} ${top}V${height - bottom}`, stroke: "var(--accent)", "stroke-width": 1.5 }));
  const radius = line.length > FEW ? RADIUS.many : RADIUS.few;
  for (const dot of dotsOf(view, line, x, y, radius)) {
    const seat = view.seats[dot.seat];
    const made = shape("circle", { cx: dot.x.toFixed(1), cy: dot.y.toFixed(1), r: radius, fill: seat.colour, class: `dot ${dot.mark}` });
    made.append(shape("title", {}, `${dot.at} moves played, ${seat.name} ${amount(dot.value, unit)}${dot.mark ? `, ${dot.mark}` : ""}`));
    made.addEventListener("click", (event) => {
      event.stopPropagation();
      onGo(line[dot.at].number);
    });
    svg.append(made);
  }
  // Between the dots, a click goes to the nearest position.
  svg.addEventListener("click", (event) => {
    const point = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    const share = (point.x - left) / (width - left - right);
    onGo(line[Math.max(0, Math.min(line.length - 1, Math.round(share * (line.length - 1))))].number);
  });
  holder.replaceChildren(svg);
}
