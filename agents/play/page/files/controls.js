// The words above the board, and which buttons can be used in the position that is shown.

import { element } from "/page/elements.js";

// Shows what a view allows. `shown` says whether another position than the played one was asked for
// (`isEarlier`) and whether an agent thinks about the next move (`isThinking`); `show` opens a position.
export function showControls(find, title, view, shown, show) {
  const names = view.seats.map((seat) => seat.name);
  const acts = view.moves.length > 0;
  const who = view.seat === null ? "" : names[view.seat];
  const isOver = view.result !== null;
  find("#turn").textContent = isOver
    ? `The game is over: ${view.result}.`
    : acts ? `${who}, it is your move.` : `${who} to move${shown.isThinking ? ": thinking…" : "."}`;
  document.title = `${acts ? "● " : ""}${title}`;
  find("#ply").textContent = `${view.ply} ${view.ply === 1 ? "move" : "moves"} played`;
  find("#undo").disabled = view.current === 0 && !isOver;
  find("#redo").disabled = shown.isEarlier || view.next === null;
  find("#continue").hidden = view.number === view.current;
  find("[data-step=first]").disabled = find("[data-step=previous]").disabled = view.previous === null;
  find("[data-step=next]").disabled = view.next === null;
  find("[data-step=last]").disabled = view.number === view.current;
  find("#flip").hidden = view.below === null;
  find("#resign").hidden = view.seats.every((seat) => !seat.human);
  find("#resign").disabled = isOver || view.number !== view.current;
  find("#run").textContent = view.runs ? "Pause" : "Run";
  find("#run").disabled = view.over;
  find("#run").hidden = view.seats.every((seat) => seat.human);
  find("#stop").disabled = !view.thinks.length;
  const isHidden = view.position === null;
  find("#copy").disabled = find("#save").disabled = isHidden;
  find("#copy").title = find("#save").title = isHidden ? "Hidden until the game is over" : "";
  find("#hint").disabled = find("#analyse").disabled = isOver;
  find("#branches").replaceChildren(...view.branches.flatMap((branch) => {
    const button = element("button", { textContent: branch.words });
    button.addEventListener("click", () => show(branch.number));
    return [button, " "];
  }));
  if (view.branches.length) find("#branches").prepend("Tried here: ");
}
