// The options of a game as fields of a form, each with the text that explains it.

import { element } from "/page/elements.js";

const NONE = "none"; // the value that leaves an option to the game
const CHOSEN = "chosen one by one"; // the choice that shows a field for each seat
const titled = (name) => name.replaceAll("_", " ").replace(/(^| )[a-z]/g, (letter) => letter.toUpperCase());

function select(values, value, worded = (one) => one.replaceAll("_", " ")) {
  const options = values.map((one) => element("option", { value: one, textContent: worded(one) }));
  const control = element("select", {}, ...options);
  control.value = value;
  return control;
}

// Fields for the roles of all seats, of which there may become more or fewer.
function roleFields(option, value, players) {
  const isChosen = !option.choices.includes(value);
  const head = select([...option.choices, CHOSEN], isChosen ? CHOSEN : value);
  const box = element("span", { className: "roles" });
  const begun = isChosen ? value.split(",") : [];
  const show = () => {
    const before = [...box.querySelectorAll("select")].map((one) => one.value);
    box.hidden = head.value !== CHOSEN;
    box.replaceChildren(...Array.from({ length: players() }, (_, seat) => {
      const role = select(option.roles, before[seat] ?? begun[seat] ?? option.roles[seat], titled);
      role.ariaLabel = `${option.label}: seat ${seat + 1}`;
      return role;
    }));
  };
  head.addEventListener("change", show);
  show();
  const read = () => (head.value === CHOSEN ? [...box.querySelectorAll("select")].map((one) => one.value).join(",") : head.value);
  return { controls: [head, box], read, show };
}

function field(option, value, players) {
  if (option.kind === "roles") return roleFields(option, value, players);
  if (option.kind === "switch") {
    const control = element("input", { type: "checkbox", checked: value === "true" });
    return { controls: [control], read: () => String(control.checked) };
  }
  if (option.kind === "choice") {
    const values = option.choices.includes(value) ? option.choices : [...option.choices, value];
    const control = select(values, value, (one) => (one === NONE ? option.none : one.replaceAll("_", " ")));
    return { controls: [control], read: () => control.value };
  }
  const isNumber = option.kind === "number";
  const control = element("input", { type: isNumber ? "number" : "text", value: value === NONE ? "" : value, placeholder: option.default === NONE ? option.none : "", spellcheck: false });
  if (isNumber) Object.assign(control, { min: option.least, max: option.most ?? "" });
  const offers = element("datalist", { id: `offers-${option.name}` }, ...option.choices.map((one) => element("option", { value: one })));
  control.setAttribute("list", offers.id);
  return { controls: [control, offers], read: () => control.value.trim() || option.default };
}

// Shows the options of a game in a part of a form; `values` are those that differ from the defaults.
// Returns a function that reads them.
export function showOptions(holder, form, values) {
  const fields = new Map();
  const players = () => Number(fields.get("num_players")?.read() ?? form.players);
  const rows = form.options.map((option) => {
    const made = field(option, values[option.name] ?? option.default, players);
    fields.set(option.name, made);
    const [control, ...others] = made.controls;
    control.id = `option-${option.name}`;
    control.name = option.name;
    const help = element("small", { id: `help-${option.name}`, textContent: option.help });
    control.setAttribute("aria-describedby", help.id);
    const label = element("label", { htmlFor: control.id, textContent: option.label });
    return element("div", { className: "option" }, label, control, ...others, help);
  });
  holder.replaceChildren(...rows);
  fields.get("num_players")?.controls[0].addEventListener("change", () => {
    for (const made of fields.values()) made.show?.();
  });
  return () => Object.fromEntries(form.options
    .map((option) => [option.name, fields.get(option.name).read(), option.default])
    .filter(([, value, usual]) => value !== usual));
}
