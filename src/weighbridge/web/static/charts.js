// Charts over time: the picture of the server gives way to one that is zoomed; each range is fetched anew.
(() => {
  "use strict";
  const HEIGHT = 280, RIGHT = 12;  // the strips of slots below keep to the same edges (panels.css)
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  // Making a form of times takes longer than many writings by it.
  const forms = new Map();
  const form = (language, zone, parts) => {
    const key = language + zone + JSON.stringify(parts);
    if (!forms.has(key)) forms.set(key, new Intl.DateTimeFormat(language, { timeZone: zone, ...parts }));
    return forms.get(key);
  };
  const NUMBERS = { year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" };
  const written = (seconds, zone, parts) => form("sv-SE", zone, parts).format(new Date(seconds * 1000)).replace(" ", "T");
  const local = (seconds, zone) => written(seconds, zone, NUMBERS);
  const said = (seconds, zone, parts) => form("en-GB", zone, parts).format(new Date(seconds * 1000));
  const DAY = { day: "numeric", month: "short" }, CLOCK = { hour: "2-digit", minute: "2-digit" };
  const tick = (seconds, zone, step) => {
    if (step >= 28 * 86400) return said(seconds, zone, { month: "short", year: "numeric" });
    const clock = said(seconds, zone, CLOCK);
    return step >= 86400 || clock === "00:00" ? said(seconds, zone, DAY) : clock;
  };
  const number = (text) => (text === null ? null : Number(text));

  // What is missing is a gap: a value without a number stands in each pause that is too long.
  const columns = (series) => {
    const times = [], low = [], high = [], captured = [];
    series.times.forEach((time, at) => {
      if (at && series.pause !== null && time - series.times[at - 1] > series.pause) {
        times.push((time + series.times[at - 1]) / 2);
        low.push(null); high.push(null); captured.push(null);
      }
      times.push(time);
      low.push(number(series.low[at])); high.push(number(series.high[at]));
      captured.push(number(series.captured[at]));
    });
    return series.is_cut ? [times, high, captured, low] : [times, high, captured];
  };

  // What a value is, if it is not as it was captured, by its time.
  const stateOf = (series) => {
    const states = new Map(series.imputed.map((at) => [series.times[at], "imputed"]));
    for (const pin of series.pins) states.set(pin.at, pin.source === "substitution" ? "substituted" : "adjusted");
    return states;
  };

  const marks = (series) => (chart) => {
    const ink = chart.ctx, ratio = devicePixelRatio || 1, size = 4 * ratio;
    const at = (time, value) => [chart.valToPos(time, "x", true), chart.valToPos(value, "y", true)];
    ink.save();
    ink.beginPath();
    ink.rect(chart.bbox.left, chart.bbox.top, chart.bbox.width, chart.bbox.height);
    ink.clip();
    ink.lineWidth = 1.6 * ratio;
    for (const one of series.imputed) {
      const [x, y] = at(series.times[one], number(series.high[one]));
      ink.strokeStyle = colour("--imputed"); ink.fillStyle = colour("--sheet");
      ink.fillRect(x - size, y - size, 2 * size, 2 * size); ink.strokeRect(x - size, y - size, 2 * size, 2 * size);
    }
    for (const pin of series.pins) {
      const [x, y] = at(pin.at, number(pin.value));
      const isSubstituted = pin.source === "substitution";
      ink.beginPath(); ink.arc(x, y, size, 0, 2 * Math.PI);
      ink.fillStyle = isSubstituted ? colour("--sheet") : colour("--ink"); ink.fill();
      ink.strokeStyle = isSubstituted ? colour("--wait") : colour("--ink"); ink.stroke();
    }
    ink.restore();
  };
  const bands = (series) => (chart) => {
    const ink = chart.ctx;
    ink.save();
    ink.fillStyle = colour("--outage"); ink.globalAlpha = 0.22;
    for (const one of series.outages) {
      const left = Math.max(chart.valToPos(one.start, "x", true), chart.bbox.left);
      const right = Math.min(chart.valToPos(one.end, "x", true), chart.bbox.left + chart.bbox.width);
      if (right > left) ink.fillRect(left, chart.bbox.top, right - left, chart.bbox.height);
    }
    ink.restore();
  };

  const draw = (box, series, zoom) => {
    const axis = { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const states = stateOf(series);
    const named = (chart, value, _series, at) => (value === null || value === undefined ? "–"
      : [value, series.unit, states.get(chart.data[0][at])].filter(Boolean).join(" "));
    const options = {
      width: box.clientWidth, height: HEIGHT, padding: [8, RIGHT, 0, 0],
      tzDate: (seconds) => new Date(written(seconds, series.zone, { ...NUMBERS, second: "2-digit" })),
      scales: { x: { range: [series.start, series.end] } },
      axes: [
        { ...axis, values: (_chart, splits, _axis, _space, step) => splits.map((one) => tick(one, series.zone, step)) },
        { ...axis, size: 64, ...(series.unit ? { label: series.unit, labelSize: 18 } : {}) },
      ],
      cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
      series: [
        { label: "When", value: (_chart, at) => (at === null ? "–" : said(at, series.zone, { ...DAY, year: "numeric", ...CLOCK })) },
        { label: series.is_cut ? "largest" : series.name, stroke: colour("--measured"), width: 1.4, points: { show: series.times.length < 200, size: 4 }, value: named },
        { label: "captured", stroke: colour("--faint"), dash: [4, 4], width: 1.2, points: { show: true, size: 3 }, value: named },
        ...(series.is_cut ? [{ label: "smallest", stroke: colour("--measured"), width: 1, points: { show: false }, value: named }] : []),
      ],
      bands: series.is_cut ? [{ series: [1, 3], fill: colour("--measured-4") }] : [],
      hooks: {
        drawClear: [bands(series)],
        draw: [marks(series)],
        setSelect: [(chart) => {
          if (chart.select.width < 4) return;
          const first = chart.posToVal(chart.select.left, "x");
          zoom(first, chart.posToVal(chart.select.left + chart.select.width, "x"));
        }],
      },
    };
    box.replaceChildren();
    return new uPlot(options, columns(series), box);
  };

  const begin = (box) => {
    let shown = null, chart = null;
    const out = document.querySelector("[data-zoom-out]");
    if (out) out.addEventListener("click", () => {
      const more = (shown.end - shown.start) / 2;
      zoom(shown.start - more, shown.end + more);
    });
    const fetched = async (address) => {
      const answer = await fetch(address, { headers: { accept: "application/json" } });
      if (!answer.ok) return;
      shown = await answer.json();
      if (out) out.hidden = false;
      requestAnimationFrame(() => { chart = draw(box, shown, zoom); });
    };
    const zoom = (first, last) => {
      const given = new URL(box.dataset.series, location.href).searchParams;
      const query = new URLSearchParams(["of", "meter"].filter((name) => given.get(name)).map((name) => [name, given.get(name)]));
      query.set("from", local(first, shown.zone)); query.set("until", local(last + 60, shown.zone));
      const page = `${box.dataset.path}?${query}`;
      history.pushState(null, "", page);
      fetched(`${box.dataset.path}/series.json?${query}`);
      for (const name of ["from", "until"]) {
        const field = document.querySelector(`[name="${name}"]`);
        if (field) field.value = query.get(name);
      }
      const period = document.querySelector(".head .period");
      if (period) period.textContent = [first, last].map((one) => said(one, shown.zone, { ...DAY, year: "numeric", ...CLOCK })).join(" \u2013 ");
      for (const span of document.querySelectorAll(".tabs [aria-current]")) span.removeAttribute("aria-current");
      if (window.htmx) htmx.ajax("GET", page, { target: "#values", select: "#values", swap: "outerHTML" });
    };
    addEventListener("popstate", () => location.reload());
    new ResizeObserver(() => {
      if (chart && Math.abs(chart.width - box.clientWidth) > 2) chart.setSize({ width: box.clientWidth, height: HEIGHT });
    }).observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      if (shown) chart = draw(box, shown, zoom);
    });
    fetched(box.dataset.series);
  };
  for (const box of document.querySelectorAll("[data-series]")) begin(box);
})();
