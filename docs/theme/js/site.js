// Colours, the list of pages on a phone, keys of the search, copies of code, diagrams.
(() => {
  const root = document.documentElement;
  const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

  function isDark() {
    const chosen = root.dataset.colours;
    return chosen ? chosen === "dark" : systemIsDark.matches;
  }

  document.getElementById("colours").addEventListener("click", () => {
    root.dataset.colours = isDark() ? "light" : "dark";
    localStorage.setItem("colours", root.dataset.colours);
  });

  const menu = document.getElementById("menu");
  menu.addEventListener("click", () => {
    const isOpen = document.body.classList.toggle("menu-open");
    menu.setAttribute("aria-expanded", isOpen);
  });
  // The list of pages is long: the current one is shown in its middle.
  const current = document.querySelector("#pages [aria-current]");
  if (current) {
    const pages = document.getElementById("pages");
    pages.scrollTop = current.offsetTop - pages.clientHeight / 2;
  }

  const query = document.getElementById("mkdocs-search-query");
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !event.target.closest("input, textarea")) {
      event.preventDefault();
      query.focus();
    } else if (event.key === "Escape") {
      query.blur(); // the results are shown while the search has the focus
    }
  });

  // MkDocs hears keys once its index is built: what was typed before is asked for until then.
  const results = document.getElementById("mkdocs-search-results");
  const waiting = setInterval(() => {
    if (results.hasChildNodes()) clearInterval(waiting);
    else if (query.value) query.dispatchEvent(new KeyboardEvent("keyup"));
  }, 500);

  for (const code of document.querySelectorAll(".highlight > pre")) {
    const button = document.createElement("button");
    button.className = "copy";
    button.textContent = "Copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(code.textContent);
      button.textContent = "Copied";
      setTimeout(() => (button.textContent = "Copy"), 1500);
    });
    code.before(button);
  }

  for (const table of document.querySelectorAll("main table")) {
    const frame = document.createElement("div");
    frame.className = "wide";
    frame.tabIndex = 0;
    table.before(frame);
    frame.append(table);
  }

  // Without a network, a diagram stays the text that it is drawn from.
  if (document.querySelector(".mermaid")) {
    import("https://cdn.jsdelivr.net/npm/mermaid@11/dist/mermaid.esm.min.mjs").then(
      ({ default: mermaid }) => {
        mermaid.initialize({ startOnLoad: false, theme: isDark() ? "dark" : "default" });
        return mermaid.run({ querySelector: ".mermaid" });
      },
      () => {},
    );
  }
})();
