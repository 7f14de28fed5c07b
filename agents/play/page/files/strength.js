// Who plays a seat: a person, the computer at one of its levels, or another player by its spec.

import { element } from "/page/elements.js";

const PERSON = "human";
const KINDS = [["person", "A person"], ["computer", "The computer"], ["other", "Another player"]];
const WORDS = {
  strength: "Strength",
  weakest: "Beginner",
  strongest: "Best",
  score: (level, below) => `scores ${Math.round(100 * level.score)} % against ${below.name}`,
};
const NUMBERS = ["simulations", "depth", "budget"]; // of a spec, that make a player stronger

// Returns a row in which who plays a seat is chosen; its input `seat` has the spec.
export function seatRow(about, seat, spec) {
  const chosen = element("input", { type: "hidden", name: "seat", value: spec });
  const set = (value) => (chosen.value = value);
  const levels = about.levels;
  const kind = spec === PERSON ? "person" : levels.some((level) => level.spec === spec) ? "computer" : "other";
  const parts = {
    person: null,
    computer: levels.length ? strengthSlider(levels, spec, set) : null,
    other: specInput(kind === "other" ? spec : about.analyst, set),
  };
  const kinds = element("select", { name: "kind" }, ...KINDS
    .filter(([name]) => name !== "computer" || levels.length)
    .map(([name, words]) => element("option", { value: name, textContent: words })));
  kinds.value = kind;
  const choice = element("span", {});
  const show = () => {
    const part = parts[kinds.value];
    choice.replaceChildren(...(part ? [part] : []));
    set(part ? part.spec() : PERSON);
  };
  kinds.addEventListener("change", show);
  show();
  return element("div", { className: "seat" }, element("label", {}, `${seat} `, kinds), choice, chosen);
}

// Returns the slider of a game's levels; `onSpec` is called with the spec of the chosen one.
export function strengthSlider(levels, spec, onSpec) {
  const at = levels.findIndex((level) => level.spec === spec);
  const value = at < 0 ? Math.ceil(levels.length / 2) : at + 1; // by default the middle level
  const slider = element("input", { type: "range", min: 1, max: levels.length, step: 1, value });
  const name = element("strong", {}), score = element("span", { className: "spec" });
  const ends = element("span", { className: "bar ends" });
  ends.setAttribute("aria-hidden", "true"); // the slider says its value in words
  ends.append(element("span", { textContent: WORDS.weakest }), element("span", { textContent: WORDS.strongest }));
  const show = () => {
    const level = levels[slider.value - 1], below = levels[slider.value - 2];
    name.textContent = level.name;
    score.textContent = level.score === null ? "" : WORDS.score(level, below);
    const end = level === levels[0] ? WORDS.weakest : level === levels.at(-1) ? WORDS.strongest : "";
    slider.setAttribute("aria-valuetext", [level.name, end, score.textContent].filter(Boolean).join(", "));
    slider.title = level.stands_for;
  };
  slider.addEventListener("input", () => {
    show();
    onSpec(levels[slider.value - 1].spec);
  });
  show();
  const words = element("span", { className: "bar" }, name, score);
  const made = element("div", { className: "strength" }, element("label", {}, WORDS.strength, slider), ends, words);
  made.spec = () => levels[slider.value - 1].spec;
  return made;
}

// Returns an input for the spec of any player, with its numbers beside it.
function specInput(spec, onSpec) {
  const input = element("input", { value: spec, spellcheck: false });
  input.setAttribute("list", "specs");
  input.setAttribute("aria-label", "Player");
  const numbers = element("span", { className: "bar" });
  const show = () => {
    onSpec(input.value);
    numbers.replaceChildren();
    for (const name of NUMBERS) {
      const found = input.value.match(new RegExp(`(^|[:,])${name}=(\\d+)`));
      if (!found) continue;
      const number = element("input", { type: "number", min: 1, value: found[2] });
      number.addEventListener("input", () => {
        if (!/^[1-9]\d*$/.test(number.value)) return;
        input.value = input.value.replace(new RegExp(`((?:^|[:,])${name}=)\\d+`), `$1${number.value}`);
        onSpec(input.value);
      });
      numbers.append(element("label", {}, `${name} `, number));
    }
  };
  input.addEventListener("input", () => onSpec(input.value));
  input.addEventListener("change", show);
  show();
  const made = element("div", {}, input, numbers);
  made.spec = () => input.value;
  return made;
}
