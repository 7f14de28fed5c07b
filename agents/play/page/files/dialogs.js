// Dialogs: a new game, other players.

import { element } from "/page/thoughts.js";

const STRENGTHS = ["simulations", "depth", "budget"];

function seatRow(about, index, spec) {
  const input = element("input", { value: spec, name: "seat", spellcheck: false });
  input.setAttribute("list", "specs");
  const label = element("label", {}, `Seat ${index + 1} `, input);
  const strength = element("span", { className: "bar" });
  const show = () => {
    strength.replaceChildren();
    for (const name of STRENGTHS) {
      const found = input.value.match(new RegExp(`(^|[:,])${name}=(\\d+)`));
      if (!found) continue;
      const number = element("input", { type: "number", min: 1, value: found[2] });
      number.addEventListener("input", () => {
        if (!/^[1-9]\d*$/.test(number.value)) return;
        input.value = input.value.replace(new RegExp(`((?:^|[:,])${name}=)\\d+`), `$1${number.value}`);
      });
      strength.append(element("label", {}, `${name} `, number));
    }
  };
  input.addEventListener("change", show);
  show();
  return element("div", {}, label, strength);
}

export function fillSpecs(about) {
  const choices = ["human", about.analyst, ...about.trusted, ...about.agents.map((agent) => agent.name)];
  document.querySelector("#specs").replaceChildren(
    ...[...new Set(choices)].map((spec) => {
      const fields = about.agents.find((agent) => agent.name === spec)?.fields;
      return element("option", { value: spec, textContent: fields ?? "" });
    }),
  );
}

// Opens a dialog with a row for each seat; `onOk` gets the dialog's form, and may throw.
export function openForm(dialog, about, seats, onOk) {
  const form = dialog.querySelector("form");
  const trouble = dialog.querySelector(".trouble");
  trouble.textContent = "";
  dialog.querySelector(".specs").replaceChildren(...seats.map((spec, index) => seatRow(about, index, spec)));
  form.onsubmit = async (event) => {
    event.preventDefault();
    trouble.textContent = "";
    const ok = form.querySelector("[value=ok]");
    ok.disabled = true; // a second click would begin a second game
    try {
      await onOk(form, [...form.querySelectorAll("[name=seat]")].map((input) => input.value));
      dialog.close();
    } catch (error) {
      trouble.textContent = error.message;
    } finally {
      ok.disabled = false;
    }
  };
  dialog.querySelector("[value=cancel]").onclick = () => dialog.close();
  dialog.showModal();
}
