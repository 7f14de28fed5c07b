// What is compiled at the moment, in one line that counts the seconds.

const AGENT = "agent "; // before the spec, in the name of a step of preparation

export class Progress {
  // `lines` all say the same; a dialog hides the page.
  constructor(lines) {
    this.lines = lines;
    this.ticking = null;
  }

  // Shows a status of the server, and goes on counting; `onTick` is called with the agents of a game
  // that are being prepared, as a map from their specs to { seconds, about }: what a seat waits for is
  // shown there.
  show(status, game, onTick) {
    clearInterval(this.ticking);
    const begun = Date.now();
    const running = status.steps.filter((one) => one.state === "runs");
    const draw = () => {
      const passed = (Date.now() - begun) / 1000;
      const words = running.map((one) => `${one.words} (${Math.round(one.seconds + passed)} s)`);
      for (const line of this.lines) {
        line.hidden = !running.length;
        line.textContent = `Preparing ${words.join(", ")}. Later starts find it ready.`;
      }
      onTick(new Map(running.filter((one) => one.game === game && one.name.startsWith(AGENT)).map((one) =>
        [one.name.slice(AGENT.length), { seconds: one.seconds + passed, about: one.about }])));
    };
    draw();
    if (running.length) this.ticking = setInterval(draw, 1000);
  }
}
