// What pages do in the browser beyond what htmx does: copy, keys, filters that answer at once, the drawer.
// Every page reads and every form works without this file.
(() => {
  "use strict";
  const FIELDS = "input:not([type=hidden]), textarea, select, [contenteditable]";
  // A field of a dialog that closed has the focus until the browser draws again, and nobody types in it.
  const typing = (node) => { const field = node.closest(FIELDS); return field && field.checkVisibility() ? field : null; };

  // Keys never act while somebody fills in a form: typing in a field, with a form opened for an action, or with
  // anything typed that was not sent or was refused. Filters and the search answer as they change, and choosing
  // rows of a table is no typing.
  const isChanged = (field) => {
    if (field.type === "checkbox" || field.type === "radio") return field.checked !== field.defaultChecked;
    if (!field.options) return field.value !== field.defaultValue;
    const options = [...field.options], preset = options.some((option) => option.defaultSelected);
    return options.some((option, at) =>
      option.selected !== (preset || field.multiple ? option.defaultSelected : at === 0));
  };
  const isTypedInto = (form) => [...form.elements].some((field) => field.matches(FIELDS) &&
    (field.ariaInvalid === "true" || (isChanged(field) && !field.closest("table[data-rows]"))));
  const acts = (details) => details.matches(".act") || details.querySelector("form[method=post]") !== null;
  const isFilling = (node) => Boolean(typing(node)) ||
    [...document.querySelectorAll("details[open]")].some(acts) ||
    [...document.querySelectorAll("form:not([data-live], [role=search], [method=dialog])")].some(isTypedInto);
  // Who dictates, or shares a keyboard, switches keys of one character off (WCAG 2.1.4).
  const KEYS_OFF = "weighbridge-keys-off";
  const keysOff = document.getElementById("keys-off");
  const hasKeys = () => !keysOff || !keysOff.checked;
  try {
    if (keysOff) keysOff.checked = localStorage.getItem(KEYS_OFF) !== null;
  } catch { /* a browser that keeps nothing: the box counts for this page */ }
  if (keysOff) keysOff.addEventListener("change", () => {
    try {
      if (keysOff.checked) localStorage.setItem(KEYS_OFF, "yes"); else localStorage.removeItem(KEYS_OFF);
    } catch { /* as above */ }
  });
  window.weighbridge = { isFilling, hasKeys };

  // A form that opens has the focus in its first field, or in the first one that was refused.
  const focusIn = (opened) => {
    const field = opened.querySelector("[aria-invalid=true]") || opened.querySelector(FIELDS);
    if (field) field.focus();
  };
  document.addEventListener("toggle", (event) => {
    if (event.target.open && event.target.matches(".act")) focusIn(event.target);
  }, true);
  for (const opened of document.querySelectorAll("details.act[open]")) focusIn(opened);

  // Copy: an id or a command by a click, a figure as its exact number however it is shown.
  const copy = async (button) => {
    await navigator.clipboard.writeText(button.dataset.copy);
    button.classList.add("copied");
    setTimeout(() => button.classList.remove("copied"), 1200);
  };
  document.addEventListener("copy", (event) => {
    const chosen = getSelection();
    const node = chosen.anchorNode && chosen.anchorNode.parentElement;
    const figure = node && node.closest("data.fig");
    if (figure && figure.contains(chosen.focusNode) && chosen.toString().trim()) {
      event.clipboardData.setData("text/plain", figure.value);
      event.preventDefault();
    }
  });

  // The drawer shows a record without leaving its list. The address of the list names the record, so that it can
  // be sent to somebody and survives a reload; the focus returns to where it came from.
  const RECORD = "#record=";
  const drawer = document.getElementById("drawer");
  const isDrawerOpen = () => drawer !== null && drawer.classList.contains("open");
  let opener = null;
  const nameRecord = (path) =>
    history.replaceState(history.state, "", location.pathname + location.search + (path ? RECORD + path : ""));
  const openDrawer = (path) => {
    if (!drawer || !window.htmx || innerWidth < 1100) return false;
    if (!isDrawerOpen()) opener = document.activeElement;
    drawer.classList.add("open");
    htmx.ajax("GET", path, { target: "#drawer-record", select: "#main", swap: "innerHTML ignoreTitle:true" });
    nameRecord(path);
    drawer.focus({ preventScroll: true });
    return true;
  };
  const closeDrawer = () => {
    if (!isDrawerOpen()) return false;
    drawer.classList.remove("open");
    document.getElementById("drawer-record").replaceChildren();
    nameRecord("");
    if (opener && opener.isConnected) opener.focus({ preventScroll: true });
    return true;
  };
  if (location.hash.startsWith(`${RECORD}/projects/`)) openDrawer(location.hash.slice(RECORD.length));

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-copy]");
    if (button) { copy(button); return; }
    const link = event.target.closest("a[data-drawer]");
    const plain = !event.metaKey && !event.ctrlKey && !event.shiftKey && event.button === 0;
    if (link && plain && openDrawer(link.pathname)) event.preventDefault();
    else if (isDrawerOpen() && (event.target.closest("[data-close-drawer]") || !drawer.contains(event.target))) {
      closeDrawer();
    }
    for (const open of document.querySelectorAll("details.switcher[open]")) {
      if (!open.contains(event.target)) open.open = false;
    }
  });

  // The box of a group selects its rows, and follows them.
  const boxesOf = (group) => [...group.closest("tbody").querySelectorAll("input[name]")];
  const followRows = () => {
    for (const group of document.querySelectorAll("[data-selects]")) {
      const boxes = boxesOf(group), chosen = boxes.filter((box) => box.checked).length;
      group.hidden = false;
      group.checked = chosen === boxes.length;
      group.indeterminate = chosen > 0 && chosen < boxes.length;
    }
  };
  document.addEventListener("change", (event) => {
    if (event.target.matches("[data-selects]")) {
      for (const box of boxesOf(event.target)) box.checked = event.target.checked;
    }
    if (event.target.closest("table[data-rows]")) followRows();
  });
  document.addEventListener("htmx:after:swap", followRows);
  followRows();

  // Filters answer when they change; the address says what they are.
  // A form passes on what the address says beside its own fields, for what is hidden in it may be older.
  const show = (form) => {
    const own = new Set([...form.elements].filter((field) => field.name && field.type !== "hidden").map((field) => field.name));
    const others = [...new URLSearchParams(location.search)].filter(([name]) => !own.has(name) && !["cursor", "page"].includes(name));
    const typed = [...new FormData(form)].filter(([name, value]) => own.has(name) && name !== "columns" && value !== "");
    const boxes = form.querySelector("[data-columns]"), columns = [];
    if (boxes) {
      const names = [...boxes.querySelectorAll("[data-column]:checked")].map((box) => box.dataset.column).join(",");
      if (names !== boxes.dataset.columns) columns.push(["columns", names]);
    }
    const pairs = [...others, ...typed, ...columns];
    const address = location.pathname + (pairs.length ? "?" + new URLSearchParams(pairs).toString().replaceAll("%2C", ",") : "");
    const at = document.activeElement && document.activeElement.id;
    const opened = [...document.querySelectorAll(`${form.dataset.live} details[open][id]`)].map((one) => one.id);
    htmx.ajax("GET", address, { target: form.dataset.live, select: form.dataset.live, swap: "outerHTML" }).then(() => {
      history.replaceState(null, "", address);
      for (const id of opened) { const one = document.getElementById(id); if (one) one.open = true; }
      const field = at && document.getElementById(at);
      if (field && field !== document.activeElement) field.focus({ preventScroll: true });
    });
  };
  document.addEventListener("change", (event) => {
    const form = event.target.closest("form[data-live]");
    if (form && window.htmx) show(form);
  });

  // Keys (those of the palette stand in palette.js): j and k walk a table, Enter opens, n turns the page, Escape closes.
  const rows = () => [...document.querySelectorAll("table[data-rows] tbody tr:not(.of-rows)")];
  const walk = (step) => {
    const all = rows();
    if (!all.length) return;
    const at = all.findIndex((row) => row.getAttribute("aria-selected") === "true");
    const next = all[Math.min(Math.max(at + step, 0), all.length - 1)];
    all.forEach((row) => row.removeAttribute("aria-selected"));
    next.setAttribute("aria-selected", "true");
    next.scrollIntoView({ block: "nearest" });
    const link = next.querySelector("a");
    if (link) link.focus({ preventScroll: true });
  };
  document.addEventListener("keydown", (event) => {
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape") {
      const editing = event.target.closest("tr.editing");
      if (editing) { editing.querySelector("[data-cancel]").click(); return; }
      if (closeDrawer()) return;
      for (const open of document.querySelectorAll("details.switcher[open], details.act[open]")) {
        open.open = false;
        if (open.contains(document.activeElement)) open.querySelector("summary").focus();
      }
      if (location.hash === "#navigation") location.hash = "main";
      return;
    }
    if (!hasKeys() || isFilling(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j") walk(1);
    if (event.key === "k") walk(-1);
    if (event.repeat) return;  // a key that is held down approves one proposal, not all that follow it
    const keyed = document.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
    if (!keyed) return;
    keyed.click();
    event.preventDefault();
    const opened = keyed.closest("details.act[open]");
    if (opened) focusIn(opened);  // "toggle" comes later than the next key of who types fast
  });

  // A form that was sent is not sent twice, and says that it is worked on when that takes a while.
  const WORKING_MS = 400;
  const sayWorking = (form, button) => {
    const count = form.querySelectorAll("table[data-rows] input[name]:checked").length;
    const status = document.createElement("p"), progress = document.createElement("progress");
    status.className = "working";
    status.setAttribute("role", "status");
    progress.setAttribute("aria-label", "Progress");
    status.append(progress, count > 1 ? ` Working on ${count} records. All are changed, or none.` : " Working.");
    (button.closest("p, .row") || button).after(status);
  };
  document.addEventListener("submit", (event) => {
    const button = event.submitter;
    if (event.target.method !== "post" || !button || event.defaultPrevented) return;
    setTimeout(() => { button.disabled = true; }, 0);
    setTimeout(() => { if (button.isConnected && button.disabled) sayWorking(event.target, button); }, WORKING_MS);
  });
  window.addEventListener("pageshow", () => {
    for (const button of document.querySelectorAll("button[disabled]")) button.disabled = false;
    for (const status of document.querySelectorAll(".working")) status.remove();
  });

  // What is chosen in a picture or a strip that is wider than its place is brought into sight.
  for (const chosen of document.querySelectorAll(".scroll .picture [aria-current], .scroll.from-end .picture .box.chosen, .strip [aria-current]")) {
    const room = chosen.closest(".scroll, .strip ol");
    const [inside, outside] = [chosen.getBoundingClientRect(), room.getBoundingClientRect()];
    room.scrollLeft += inside.left + inside.width / 2 - outside.left - outside.width / 2;
    room.scrollTop += inside.top + inside.height / 2 - outside.top - outside.height / 2;
  }

  // A unit, a time zone and a cadence say what they mean while they are typed, or what may be meant.
  const SUGGEST_MS = 300;
  let suggesting = 0;
  const answerBelow = async (field) => {
    const cadenceUnit = field.form && field.form.elements.cadence_unit;
    const query = { kind: field.dataset.suggest, text: field.value, cadence_unit: cadenceUnit ? cadenceUnit.value : "" };
    const answer = await fetch(`/suggestions?${new URLSearchParams(query)}`);
    let below = field.parentElement.querySelector(".suggestion");
    if (!below) {
      below = document.createElement("small");
      below.className = "suggestion";
      below.setAttribute("role", "status");
      field.after(below);
    }
    if (answer.ok && query.text === field.value) below.innerHTML = await answer.text();
  };
  document.addEventListener("input", (event) => {
    const field = event.target.name === "cadence_unit" ? event.target.form.elements.cadence_amount : event.target;
    if (!field || !field.dataset.suggest) return;
    clearTimeout(suggesting);
    suggesting = setTimeout(() => answerBelow(field), SUGGEST_MS);
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-fill]");
    const field = button && button.closest(".suggestion").parentElement.querySelector("[data-suggest]");
    if (!field) return;
    field.value = button.dataset.fill;
    field.focus();
    answerBelow(field);
  });

  // A name that a formula can read is inserted where somebody types it.
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-insert]");
    const field = button && document.getElementById(button.dataset.into);
    if (!field) return;
    field.setRangeText(button.dataset.insert, field.selectionStart, field.selectionEnd, "end");
    field.focus();
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });

  for (const field of document.querySelectorAll("[data-zone]")) {
    if (!field.value) field.defaultValue = Intl.DateTimeFormat().resolvedOptions().timeZone;
  }
})();
