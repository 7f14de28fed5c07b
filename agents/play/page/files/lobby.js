// The page where people choose: all games with their boards, and the games that were begun.

import { get } from "/page/api.js";
import { capital, element } from "/page/elements.js";

const NAME = "jaxgames";

// Returns the board of a game as a picture; nothing for games that have none.
export function cover(game) {
  const file = (theme) => `/page/cover_${game}_${theme}.svg`;
  const dark = element("source", { media: "(prefers-color-scheme: dark)", srcset: file("dark") });
  const light = element("img", { src: file("light"), alt: "", width: 320, height: 240 });
  const picture = element("picture", { className: "cover" }, dark, light);
  light.addEventListener("error", () => light.remove()); // a game of another package
  return picture;
}

// Shows all games; a click on one begins it. `onOptions` is called with the id of a game.
export async function showLobby(section, server, onOptions) {
  document.title = NAME;
  section.hidden = false;
  section.querySelector("#covers").replaceChildren(...server.games.map((about) => {
    const words = element("span", { textContent: about.summary });
    const link = element("a", { href: `/?new=${about.game}` }, cover(about.game), element("strong", { textContent: about.title }), words);
    const options = element("button", { textContent: "Options…", ariaLabel: `Options of ${about.title}` });
    options.addEventListener("click", () => onOptions(about.game));
    return element("li", {}, link, options);
  }));
  const { games } = await get("/api/games");
  const titles = new Map(server.games.map((about) => [about.game, about.title]));
  const line = (game) => {
    const date = new Date(1000 * game.changed).toLocaleString();
    const moves = `${game.moves} ${game.moves === 1 ? "move" : "moves"}`;
    const words = `${titles.get(game.game)}, ${date}: ${game.players.join(" – ")}, ${moves}${game.result === null ? "" : `. ${capital(game.result)}`}`;
    return element("li", {}, element("a", { href: `/?game=${game.id}`, textContent: words }));
  };
  for (const [name, isOver] of [["#begun", false], ["#finished", true]]) {
    const shown = games.filter((game) => (game.result !== null) === isOver);
    section.querySelector(name).replaceChildren(...shown.map(line));
    section.querySelector(`${name}-title`).hidden = !shown.length;
  }
}
