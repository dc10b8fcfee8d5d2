// The command palette finds pages by name and records by ID, name or tracking ID; `?` shows the keyboard shortcuts.
// Without this file the field of the top bar finds the same, on a page of its own.
(() => {
  "use strict";
  const WAIT_MS = 120, PAGES_MAX = 6;
  const make = (name, attributes = {}, ...inside) => {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    made.append(...inside);
    return made;
  };
  const { isFilling, hasKeys } = window.weighbridge;
  const find = document.querySelector("form.find");
  if (!find) return;

  const input = make("input", { type: "search", role: "combobox", "aria-label": "Search pages and records",
    "aria-expanded": "true", "aria-controls": "palette-list", placeholder: "A page, an ID, a name or a tracking ID",
    autocomplete: "off", spellcheck: "false" });
  const list = make("ul", { id: "palette-list", role: "listbox", "aria-label": "Results" });
  const message = make("p", { class: "faint", role: "status" });
  const palette = make("dialog", { class: "palette", "aria-label": "Search" }, input, list, message);
  document.body.append(palette);

  // What is chosen from: pages of the navigation at once, records as the service finds them.
  let chosen = 0, asked = 0, timer = 0, records = [];
  const offered = document.getElementById("palette-actions");
  const actions = offered ? [...offered.content.querySelectorAll("a")] : [];
  const links = [
    ...[...document.querySelectorAll(".navigation li a")].map((link) => [link, "page"]),
    ...actions.map((link) => [link, "action"]),
  ].map(([link, kind]) => ({ name: link.firstChild.textContent.trim(), kind, address: link.getAttribute("href") }));
  // Each word that is typed is a part of the name, in any order; a name in which each begins a word comes first:
  // "typ cre" finds "Create event type", "lorry-0" finds "LORRY-001".
  const SPLIT = /[\s\-_/.,:()]/;
  const begins = (name, word) => {
    for (let at = name.indexOf(word); at >= 0; at = name.indexOf(word, at + 1)) if (!at || SPLIT.test(name[at - 1])) return true;
    return false;
  };
  const partsOf = (words) => words.toLowerCase().split(/\s+/).filter(Boolean);
  const has = (one, parts) => parts.every((part) => one.name.toLowerCase().includes(part));
  const inner = (one, parts) => parts.filter((part) => !begins(one.name.toLowerCase(), part)).length;
  const ranked = (all, parts) => all.map((one) => [inner(one, parts), one]).sort((a, b) => a[0] - b[0]).map(([, one]) => one);
  const pages = (parts) => ranked(links.filter((one) => has(one, parts)), parts);

  // Records that this person opened in this browser, the newest first. They are kept by account and person.
  const RECENT = `weighbridge-recent-${find.dataset.person}`, RECENT_MAX = 8;
  const recent = () => {
    try { return JSON.parse(localStorage.getItem(RECENT)) || []; } catch { return []; }
  };
  const remember = (root) => {
    const id = root && root.querySelector(".head .id"), name = root && root.querySelector("h1");
    if (!id || !name || !/^[a-z]+_[0-9a-f]+$/.test(id.dataset.copy) || id.dataset.copy.startsWith("prj_")) return;
    const own = id.dataset.copy, address = location.pathname.endsWith(`/${own}`) ? location.pathname : find.action.replace(/find$/, `open/${own}`);
    const one = { name: name.textContent.trim(), id: own, address };
    const kept = [one, ...recent().filter((other) => other.id !== one.id)].slice(0, RECENT_MAX);
    try { localStorage.setItem(RECENT, JSON.stringify(kept)); } catch { /* a browser that keeps nothing */ }
  };
  remember(document.getElementById("main"));
  document.addEventListener("htmx:after:swap", () => remember(document.getElementById("drawer-record")));
  const choices = () => [...list.children];
  const show = () => {
    const parts = partsOf(input.value), known = recent().map((one) => ({ ...one, kind: "recent" })).filter((one) => has(one, parts));
    const others = records.filter((one) => !known.some((other) => one.address.endsWith(other.id)));
    const found = parts.length ? ranked([...pages(parts).slice(0, PAGES_MAX), ...known, ...others], parts) : [...known, ...pages(parts)];
    list.replaceChildren(...found.map((one, at) => make("li", { role: "option", id: `palette-${at}` },
      make("a", { href: one.address, tabindex: "-1" }, one.name), make("span", { class: "faint" }, one.kind))));
    choose(0);
    message.textContent = found.length ? "" : input.value.trim() ? "No matching pages or records." : "";
  };
  const choose = (at) => {
    const all = choices();
    chosen = all.length ? (at + all.length) % all.length : 0;
    all.forEach((one, number) => one.setAttribute("aria-selected", String(number === chosen)));
    if (all[chosen]) all[chosen].scrollIntoView({ block: "nearest" });
    input.setAttribute("aria-activedescendant", all[chosen] ? all[chosen].id : "");
  };
  const ask = async () => {
    const words = input.value.trim(), number = ++asked;
    if (!words) { records = []; show(); return; }
    const answer = await fetch(`${find.action}?${new URLSearchParams({ q: words })}`, { headers: { "HX-Request": "true" } });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    if (number !== asked) return;
    records = [...page.querySelectorAll("[data-found]")].map((row) => ({
      name: row.querySelector("a").textContent, kind: row.dataset.found, address: row.querySelector("a").getAttribute("href") }));
    show();
  };
  input.addEventListener("input", () => { records = []; show(); clearTimeout(timer); timer = setTimeout(ask, WAIT_MS); });
  input.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) { choose(chosen + step); event.preventDefault(); }
    if (event.key !== "Enter") return;
    event.preventDefault();
    const one = choices()[chosen];
    if (one) location.assign(one.querySelector("a").href);
  });
  const open = () => {
    if (palette.open) return;
    input.value = ""; records = [];
    show();
    palette.showModal();
  };

  // The keys of the page: those of every page stand in it, those of its own are found.
  const keys = document.getElementById("keys");
  const showKeys = () => {
    const own = keys.querySelector("tbody.own");
    own.replaceChildren(...[...document.querySelectorAll("main [data-key]")].map((node) => make("tr", {},
      make("td", {}, make("kbd", {}, node.dataset.key)), make("td", {}, node.textContent.trim()))));
    keys.showModal();
  };

  for (const button of document.querySelectorAll("[data-show-keys]")) {
    button.parentElement.hidden = false;
    button.addEventListener("click", () => {
      // The menu closes first: the focus comes back to what can be seen, and keys act again at once.
      const menu = button.closest("details");
      menu.open = false;
      menu.querySelector("summary").focus();
      showKeys();
    });
  }

  document.addEventListener("keydown", (event) => {
    const controls = event.ctrlKey || event.metaKey;
    if ((event.key === "k" && controls) || (event.key === "/" && !controls && hasKeys() && !isFilling(event.target))) {
      event.preventDefault();
      event.stopImmediatePropagation();
      open();
    } else if (event.key === "?" && hasKeys() && !isFilling(event.target) && keys && !document.querySelector("dialog[open]")) {
      event.preventDefault();
      showKeys();
    }
  }, true);
  for (const dialog of [palette, keys].filter(Boolean)) {
    dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  }
})();
