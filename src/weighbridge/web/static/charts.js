// Charts over time: the picture of the server gives way to one that is zoomed; each range is fetched anew.
// `over_time.py` says what an answer holds. Colours and dashes are those of the stylesheet.
(() => {
  "use strict";
  const HEIGHT = 280, SIDE = 64, RIGHT = 12, TOP = 20, LABEL = 30;  // the strips of slots below keep to the same edges (panels.css)
  const DASHES = [[], [7, 4], [2, 3], [10, 3, 2, 3]];
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const lineOf = (at) => colour(at ? `--series-${at}` : "--measured");
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
  const moment = (seconds, zone) => said(seconds, zone, { ...DAY, year: "numeric", ...CLOCK, ...(seconds % 60 ? { second: "2-digit" } : {}) });
  const tick = (seconds, zone, step) => {
    if (step >= 28 * 86400) return said(seconds, zone, { month: "short", year: "numeric" });
    const clock = said(seconds, zone, step < 60 ? { ...CLOCK, second: "2-digit" } : CLOCK);
    return step >= 86400 || clock === "00:00" ? said(seconds, zone, DAY) : clock;
  };
  const number = (text) => (text === null ? null : Number(text));
  const STEPS = [];  // of values: 1, 2 and 5 times a power of ten
  for (let power = -12; power <= 40; power += 1) for (const factor of [1, 2, 5]) STEPS.push(Number(`${factor}e${power}`));
  const valueTick = (value) => {
    const size = Math.abs(value);
    if (value && (size >= 1e8 || size < 1e-5)) {
      const [digits, power] = value.toExponential().split("e");
      return `${Number(Number(digits).toFixed(3))} · 10${Number(power).toString().replace(/./g, (one) => ("-0123456789".includes(one) ? "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(one)] : one))}`.replace("-", "−");
    }
    return String(Number(value.toPrecision(12))).replace("-", "−");
  };

  // The rows of a series by time. What is missing is a gap: a row without a number stands in each pause that
  // is too long.
  const rowsOf = (series) => {
    const rows = [];
    series.times.forEach((time, at) => {
      if (at && series.pause !== null && time - series.times[at - 1] > series.pause) {
        rows.push([(time + series.times[at - 1]) / 2, null, null, null]);
      }
      rows.push([time, number(series.high[at]), number(series.captured[at]), number(series.low[at])]);
    });
    return rows;
  };
  // One column of times for all series; where only another series has a time, undefined breaks no line, and
  // inside a gap null does. A series may have several values of one time, of several meters.
  const columnsOf = (all) => {
    const rows = all.map(rowsOf), next = all.map(() => 0), times = [];
    const columns = all.map((series) => (series.is_cut ? [[], [], []] : [[], []]));
    for (;;) {
      let time = Infinity;
      rows.forEach((own, at) => { if (next[at] < own.length) time = Math.min(time, own[next[at]][0]); });
      if (time === Infinity) return [times, ...columns.flat()];
      times.push(time);
      rows.forEach((own, at) => {
        const row = next[at] < own.length && own[next[at]][0] === time ? own[next[at]++] : null;
        const isGap = next[at] > 0 && next[at] < own.length && (own[next[at]][1] === null || own[next[at] - 1][1] === null);
        columns[at].forEach((column, place) => column.push(row ? row[place + 1] : isGap ? null : undefined));
      });
    }
  };

  const found = (times, time) => {  // the last place that is not after a time
    let low = 0, high = times.length;
    while (low < high) { const middle = (low + high) >> 1; if (times[middle] <= time) low = middle + 1; else high = middle; }
    return low - 1;
  };
  // What a value is by its time: as it was captured, or how it was changed. A bucket is what a value in it is.
  const statesOf = (series) => {
    const states = new Map(series.imputed.map((at) => [series.times[at], "imputed"]));
    const timeOf = (at) => (series.is_cut ? series.times[found(series.times, at)] : at);
    for (const pin of series.pins) states.set(timeOf(pin.at), pin.source === "substitution" ? "substituted" : "adjusted");
    return states;
  };
  // What a series says of a moment: the value nearest to it with its state, or why there is none.
  const readingAt = (series, states, time) => {
    const before = found(series.times, time), after = before + 1, times = series.times;
    const isExact = before >= 0 && times[before] === time;
    const gap = before >= 0 && after < times.length ? times[after] - times[before] : Infinity;
    const reach = series.pause === null ? Infinity : series.pause;
    const nearest = after >= times.length || (before >= 0 && time - times[before] <= times[after] - time) ? before : after;
    const away = nearest < 0 ? Infinity : Math.abs(times[nearest] - time);
    if (!isExact && (gap > reach || nearest < 0) && (away > reach / 3 || nearest < 0)) {
      if (series.outages.some((one) => one.start <= time && time < one.end)) return { words: "outage" };
      if (time * 1000 > Date.now()) return { words: "no value yet" };
      return { words: series.pause === null ? "no value" : "missing" };
    }
    let low = series.low[nearest], high = series.high[nearest];  // of all meters that have the moment
    for (const step of [-1, 1]) {
      for (let at = nearest + step; times[at] === times[nearest]; at += step) {
        if (Number(series.low[at]) < Number(low)) low = series.low[at];
        if (Number(series.high[at]) > Number(high)) high = series.high[at];
      }
    }
    const value = String(low === high ? high : `${low} – ${high}`).replace(/(^|– )-/g, "$1−");
    const state = states.get(times[nearest]) || (series.captured[nearest] === null ? "captured" : "adjusted");
    return { at: times[nearest], words: [value, series.unit].filter(Boolean).join(" "), state };
  };

  const marks = (shown) => (chart) => {
    const ink = chart.ctx, ratio = devicePixelRatio || 1, size = 4 * ratio;
    ink.save();
    ink.fillStyle = colour("--faint"); ink.font = `${12 * ratio}px ${getComputedStyle(document.body).fontFamily}`;
    ink.textBaseline = "alphabetic";
    shown.axes.forEach((unit, side) => {
      ink.textAlign = side ? "right" : "left";
      ink.fillText(unit, side ? chart.width * ratio : 0, 12 * ratio);
    });
    ink.beginPath();
    ink.rect(chart.bbox.left, chart.bbox.top, chart.bbox.width, chart.bbox.height);
    ink.clip();
    ink.lineWidth = 1.6 * ratio;
    for (const series of shown.series) {
      const at = (time, value) => [chart.valToPos(time, "x", true), chart.valToPos(value, `y${series.axis}`, true)];
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
    }
    ink.restore();
  };
  const bands = (shown) => (chart) => {
    const ink = chart.ctx, drawn = new Set();
    ink.save();
    ink.fillStyle = colour("--outage"); ink.globalAlpha = 0.22;
    for (const one of shown.series.flatMap((series) => series.outages)) {
      const key = `${one.start} ${one.end} ${one.reason}`;
      if (drawn.has(key)) continue;
      drawn.add(key);
      const left = Math.max(chart.valToPos(one.start, "x", true), chart.bbox.left);
      const right = Math.min(chart.valToPos(one.end, "x", true), chart.bbox.left + chart.bbox.width);
      if (right > left) ink.fillRect(left, chart.bbox.top, right - left, chart.bbox.height);
    }
    ink.restore();
  };

  const linesOf = (series, at) => {
    const scale = `y${series.axis}`, stroke = lineOf(at), dash = DASHES[at];
    const isShort = series.times.length < 200;
    return [
      { scale, stroke, dash, width: at ? 1.8 : 1.4, points: { show: isShort, size: 4, fill: stroke } },
      { scale, stroke: colour("--faint"), dash: [4, 4], width: 1.2, points: { show: true, size: 3 } },
      ...(series.is_cut ? [{ scale, stroke, width: 1, points: { show: false } }] : []),
    ];
  };
  const draw = (box, shown, zoom, point) => {
    const axis = { stroke: colour("--faint"), grid: { stroke: colour("--line"), width: 1 }, ticks: { show: false } };
    const lines = shown.series.map(linesOf);
    let first = 1;
    const fills = lines.flatMap((own, at) => {
      const place = first;
      first += own.length;
      return own.length > 2 ? [{ series: [place, place + 2], fill: `color-mix(in srgb, ${lineOf(at)} 22%, transparent)` }] : [];
    });
    const values = (_chart, splits) => splits.map(valueTick), edge = shown.axes.length > 1 ? SIDE : RIGHT;
    const options = {
      width: box.clientWidth, height: HEIGHT, padding: [shown.axes.some(Boolean) ? TOP : 8, shown.axes.length > 1 ? 0 : RIGHT, 0, 0],
      tzDate: (seconds) => new Date(written(seconds, shown.zone, { ...NUMBERS, second: "2-digit" })),
      scales: { x: { range: [shown.start, shown.end] } },
      axes: [
        {
          ...axis, size: 30,  // what would be cut at the edge is not written
          values: (chart, splits, _axis, _space, step) => splits.map((one) => {
            const left = (shown.end - one) / (shown.end - shown.start) * (chart.width - SIDE - edge);
            return left + edge < LABEL ? "" : tick(one, shown.zone, step);
          }),
        },
        ...shown.axes.map((_unit, side) => ({
          ...axis, scale: `y${side}`, side: side ? 1 : 3, size: SIDE, incrs: STEPS, values, ...(side ? { grid: { show: false } } : {}),
        })),
      ],
      legend: { show: false },
      cursor: { drag: { x: true, y: false, setScale: false }, points: { size: 7 } },
      series: [{}, ...lines.flat()],
      bands: fills,
      hooks: {
        drawClear: [bands(shown)],
        draw: [marks(shown)],
        setCursor: [(chart) => point(chart.cursor.left < 0 ? null : chart.posToVal(chart.cursor.left, "x"))],
        setSelect: [(chart) => {
          if (chart.select.width < 4) return;
          const left = chart.posToVal(chart.select.left, "x");
          zoom(left, chart.posToVal(chart.select.left + chart.select.width, "x"));
        }],
      },
    };
    box.replaceChildren();
    return new uPlot(options, columnsOf(shown.series), box);
  };

  // The legend says the value under the cursor, and without one the latest of the range.
  const legend = (shown) => {
    const states = shown.series.map(statesOf);
    const entries = [...document.querySelectorAll(".series [data-reading]")], when = document.querySelector("[data-when]");
    const write = (place, text) => { if (place && place.textContent !== text) place.textContent = text; };
    return (time) => {
      const words = shown.series.map((series, at) => {
        if (time === null) return series.latest ? `latest ${series.latest}` : "no values in this range";
        const reading = readingAt(series, states[at], time);
        if (reading.state === undefined) return reading.words;
        const isElsewhere = shown.series.length > 1 && Math.abs(reading.at - time) > 60;
        return `${reading.words}, ${reading.state}${isElsewhere ? `, ${moment(reading.at, shown.zone)}` : ""}`;
      });
      words.forEach((text, at) => write(entries[at], text));
      const nearest = time === null ? null : nearestTime(shown, time);
      write(when, nearest === null ? "" : moment(nearest, shown.zone));
      return nearest === null ? "" : `${moment(nearest, shown.zone)}: ${words.map((text, at) => (words.length > 1 ? `${shown.series[at].name} ${text}` : text)).join("; ")}`;
    };
  };
  // The time of the value under the cursor, if a single series has one; otherwise that of the cursor, to a minute.
  const nearestTime = (shown, time) => {
    if (shown.series.length === 1) {
      const reading = readingAt(shown.series[0], new Map(), time);
      if (reading.at !== undefined) return reading.at;
    }
    return shown.end - shown.start > 7200 ? Math.round(time / 60) * 60 : Math.round(time);
  };

  const begin = (box) => {
    let shown = null, chart = null, point = () => "", place = -1;
    const announced = document.querySelector("[data-announced]");
    const redraw = () => { place = -1; point = legend(shown); chart = draw(box, shown, zoom, (time) => point(time)); };
    const fetched = async (address) => {
      const answer = await fetch(address, { headers: { accept: "application/json" } });
      if (!answer.ok) return;
      shown = await answer.json();
      for (const one of document.querySelectorAll("[data-beside]")) {
        const target = shown.beside[one.dataset.beside];
        one.hidden = !target;
        if (target) one.href = target;
      }
      requestAnimationFrame(() => { redraw(); point(null); });
    };
    const follow = (from, until) => {
      for (const [name, value] of [["from", from], ["until", until]]) {
        for (const field of document.querySelectorAll(`main form [name="${name}"]`)) field.value = value;
      }
      for (const field of document.querySelectorAll('main form input[type=hidden][name="span"]')) {
        const fields = ["from", "until"].map((name) => Object.assign(document.createElement("input"), { type: "hidden", name, value: name === "from" ? from : until }));
        field.replaceWith(...fields);
      }
      for (const link of document.querySelectorAll("a[data-keeps-range]")) {
        const target = new URL(link.href);
        target.searchParams.delete("span");
        target.searchParams.set("from", from); target.searchParams.set("until", until);
        link.href = target;
      }
    };
    const zoom = (first, last) => {
      const given = new URL(box.dataset.series, location.href).searchParams;
      const query = new URLSearchParams(["of", "meter", "also"].flatMap((name) => given.getAll(name).map((value) => [name, value])));
      const from = local(first, shown.zone), until = local(last + 60, shown.zone);
      query.set("from", from); query.set("until", until);
      const page = `${box.dataset.path}?${query}`;
      history.pushState(null, "", page);
      fetched(`${box.dataset.path}/series.json?${query}`);
      follow(from, until);
      const period = document.querySelector(".head .period");
      if (period) period.textContent = [first, last].map((one) => said(one, shown.zone, { ...DAY, year: "numeric", ...CLOCK })).join(" \u2013 ");
      for (const span of document.querySelectorAll(".tabs [aria-current]")) span.removeAttribute("aria-current");
      if (window.htmx) htmx.ajax("GET", page, { target: "#values", select: "#values", swap: "outerHTML" });
    };
    // Keys move the cursor from value to value, gaps included.
    box.tabIndex = 0;
    box.setAttribute("role", "group");
    box.setAttribute("aria-label", "Chart. Left and right arrow keys move from value to value.");
    box.addEventListener("keydown", (event) => {
      if (!chart || event.ctrlKey || event.metaKey || event.altKey) return;
      const times = chart.data[0], last = times.length - 1;
      const steps = { ArrowLeft: place < 0 ? last : place - 1, ArrowRight: place < 0 ? 0 : place + 1, Home: 0, End: last };
      if (event.key === "Escape") { place = -1; chart.setCursor({ left: -10, top: -10 }); announced.textContent = ""; return; }
      if (!(event.key in steps) || last < 0) return;
      event.preventDefault();
      const before = place < 0 ? null : times[place];
      place = Math.min(Math.max(steps[event.key], 0), last);
      while (times[place] === before && place > 0 && place < last) place += event.key === "ArrowLeft" ? -1 : 1;
      chart.setCursor({ left: chart.valToPos(times[place], "x"), top: chart.over.clientHeight / 2 });
      announced.textContent = point(times[place]);
    });
    addEventListener("popstate", () => location.reload());
    new ResizeObserver(() => {
      if (chart && Math.abs(chart.width - box.clientWidth) > 2) chart.setSize({ width: box.clientWidth, height: HEIGHT });
    }).observe(box);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { if (shown) redraw(); });
    fetched(box.dataset.series);
  };
  for (const box of document.querySelectorAll("[data-series]")) begin(box);
})();
