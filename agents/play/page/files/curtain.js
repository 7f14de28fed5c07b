// With several persons on one page, what one of them knows stays covered until the other has left.

const COVERED = ["#board", "#tools", "#since", "#choice", "#panel .bar", "aside"];

export class Curtain {
  constructor(find) {
    this.find = find;
    this.reset();
  }

  // Begins anew for another game.
  reset() {
    this.openFor = undefined; // the seat whose person has opened it
  }

  get isShut() {
    return !this.find("#curtain").hidden;
  }

  // Shuts or opens before a view; returns whether it is shut. `hasSeat` says that the page belongs to
  // one seat; `onOpen` is called once the person at this seat looks alone.
  cover(view, hasSeat, onOpen) {
    const persons = view.seats.filter((seat) => seat.human).length;
    const isSecret = !hasSeat && view.viewpoint !== null && persons > 1;
    const isShut = isSecret && this.openFor !== view.viewpoint;
    for (const name of COVERED) this.find(name).hidden = isShut;
    this.find("#curtain").hidden = !isShut;
    if (!isShut) return false;
    this.find("#turn").textContent = "";
    this.find("#curtain p").textContent = `The board as ${view.seats[view.viewpoint].name} knows it.`;
    this.find("#curtain button").onclick = () => {
      this.openFor = view.viewpoint;
      onOpen();
    };
    return true;
  }
}
