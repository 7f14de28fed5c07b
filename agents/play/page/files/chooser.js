// Choosing one of the legal moves by the parts of the board that have been clicked.
//
// A move has paths. A path has parts that must be clicked, and refinements, of which one is clicked
// where moves with equal parts remain. A path that asks ends with a button. Parts of one kind ("square:c1" is of the kind "square") are
// clicked in their order, parts of different kinds in any order.

const kindOf = (part) => part.slice(0, part.indexOf(":"));

const grouped = (parts) => {
  const groups = new Map();
  for (const part of parts) {
    const kind = kindOf(part);
    groups.set(kind, [...(groups.get(kind) ?? []), part]);
  }
  return groups;
};

// Returns the parts of a path that may be clicked next, or null if the clicks do not fit it.
function after(path, clicked) {
  const own = grouped([...path.parts, ...path.refinements]);
  for (const [kind, parts] of grouped(clicked)) {
    const wanted = own.get(kind) ?? [];
    if (parts.some((part, index) => part !== wanted[index])) return null;
    own.set(kind, wanted.slice(parts.length));
  }
  return [...own.values()].filter((parts) => parts.length).map((parts) => parts[0]);
}

export function pathsOf(moves) {
  return moves.flatMap((move) =>
    move.paths.map(([parts, refinements, asks]) => ({ move, parts, refinements, asks })),
  );
}

// Returns what the clicks leave: `next`, the parts that may be clicked; `left`, the moves that fit;
// `menu`, moves of which all parts are clicked; and `decided`, the one move that is meant, or null.
export function choose(moves, clicked) {
  const next = new Set();
  const left = new Set();
  const menu = new Set();
  let asks = false;
  for (const path of pathsOf(moves)) {
    const following = after(path, clicked);
    if (following === null) continue;
    left.add(path.move);
    for (const part of following) next.add(part);
    if (!path.parts.length || !path.parts.every((part) => clicked.includes(part))) continue;
    menu.add(path.move);
    asks ||= path.asks;
  }
  const decided = clicked.length && left.size === 1 && menu.size === 1 && !asks ? [...left][0] : null;
  return { next, left, menu, decided };
}

// Returns the clicks after one more: a part that does not go on begins anew, a chosen one is undone.
export function click(moves, clicked, part) {
  if (clicked.includes(part) && !choose(moves, clicked).next.has(part)) {
    return clicked.slice(0, clicked.indexOf(part));
  }
  if (choose(moves, clicked).next.has(part)) return [...clicked, part];
  return choose(moves, []).next.has(part) ? [part] : [];
}
