// Dialogs: a new game, other players.

import { element } from "/page/elements.js";
import { seatRow } from "/page/strength.js";

export function fillSpecs(about) {
  const choices = ["human", about.analyst, ...about.trusted, ...about.agents.map((agent) => agent.name)];
  document.querySelector("#specs").replaceChildren(
    ...[...new Set(choices)].map((spec) => {
      const fields = about.agents.find((agent) => agent.name === spec)?.fields;
      return element("option", { value: spec, textContent: fields ?? "" });
    }),
  );
}

// Opens a dialog with a row for each seat, with its name if there are `names`; `onOk` gets the
// dialog's form, and may throw.
export function openForm(dialog, about, seats, names, onOk) {
  const form = dialog.querySelector("form");
  const trouble = dialog.querySelector(".trouble");
  trouble.textContent = "";
  dialog.querySelector(".specs").replaceChildren(...seats.map((spec, index) => seatRow(about, names?.[index] ?? `Seat ${index + 1}`, spec)));
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
