// The dialog with the rules of the game that is played.

import { get } from "/page/api.js";

export async function openRules(dialog, path, theme) {
  const { html } = await get(`${path}/rules?theme=${theme}`);
  const article = dialog.querySelector("article");
  article.innerHTML = html; // of the library's own texts and pictures
  for (const svg of article.querySelectorAll("svg")) {
    if (!svg.getAttribute("viewBox")) svg.setAttribute("viewBox", `0 0 ${svg.getAttribute("width")} ${svg.getAttribute("height")}`);
    svg.style.maxWidth = `${svg.getAttribute("width")}px`;
    svg.removeAttribute("width");
    svg.removeAttribute("height");
    svg.setAttribute("aria-label", svg.closest("figure").querySelector("figcaption").textContent);
    for (const title of svg.querySelectorAll("title")) title.remove();
  }
  dialog.querySelector("button").onclick = () => dialog.close();
  dialog.showModal();
  article.scrollTop = 0;
}
