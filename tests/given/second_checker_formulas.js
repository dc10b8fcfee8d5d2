/* What the tests of the second checker of bundles ask it to calculate: a formula of a model, or an example. */
"use strict";
const { parts } = checkBundle;

globalThis.calculateFormula = (one) => {
  const node = parts.readModel(one.text).bySlug.get(one.slug);
  const model = parts.readModel(one.text),
    values = new Map();
  const read = (value) =>
    Array.isArray(value) ? value.map(read) : value === null ? null : parts.parseDec(value);
  for (const [name, [unit, value]] of Object.entries(one.values)) {
    values.set(name, { kind: "number", unit: parts.parseUnit(unit), content: read(value) });
  }
  for (const [name, text] of Object.entries(one.partition)) {
    values.set(`partition.${name}`, { kind: "text", unit: null, content: text });
  }
  const durations = new Map(Object.entries(one.durations).map(([name, some]) => [name, some.map(read)]));
  const environment = {
    model,
    values,
    durations,
    periodDays: () => read(one.days),
    periodHours: read(one.hours),
    requireParallel() {},
  };
  const step = parts.evaluate(node.body, environment);
  let content = parts.requireContent(parts.convertContent(step, node.unit));
  const { round } = node,
    rounded = (value) => (round ? parts.roundTo(value, round.places, round.mode) : value);
  return Array.isArray(content) ? content.map((value) => String(rounded(value))) : String(rounded(content));
};

/** The names are those of docs/reference/model-language.md. */
globalThis.calculateExample = (one) => {
  const value = (unit, content) => ({
    kind: "number",
    unit: parts.parseUnit(unit),
    content: Array.isArray(content) ? content.map(parts.parseDec) : content && parts.parseDec(content),
  });
  const text = (content) => ({ kind: "text", unit: null, content });
  const values = new Map(
    Object.entries({
      mass: value("t", ["2.5", "1.5"]),
      ash: value("%", ["10", "20"]),
      energy: value("MJ", "7.2"),
      power: value("kW", ["10", "30"]),
      fraction: value("", "0.97"),
      temperature: value("degC", "14.85"),
      soil_temperature: value("degC", "14.9"),
      coldest: value("degC", "7"),
      change: value("t", "-3"),
      days: value("d", "2.5"),
      area: value("m**2", "2.25"),
      years: value("yr", "100"),
      decay: value("1/yr", "0.005"),
      ratio: value("", "100"),
      load: value("t", "12"),
      lab_moisture: value("%", null),
      default_moisture: value("%", "15"),
      wet: { kind: "truth", unit: null, content: false },
      feedstock: text("Wood chips"),
      "partition.feedstock": text("Wood"),
    }),
  );
  const model = {
    tables: new Map(
      Object.entries({
        factors: {
          columns: [
            { name: "name", isText: true },
            { name: "kg_per_t", unit: parts.parseUnit("kg{CO2e}/t") },
          ],
          rows: [["Wood", parts.parseDec("12.5")]],
        },
        permanence_class: {
          columns: [
            { name: "temperature", unit: parts.parseUnit("degC") },
            { name: "fraction", unit: parts.parseUnit("") },
          ],
          rows: [
            ["10", "0.9"],
            ["20", "0.8"],
          ].map((row) => row.map(parts.parseDec)),
        },
      }),
    ),
  };
  const hour = parts.parseDec("743"),
    day = parts.parseDec("31"),
    durations = new Map([["power", ["1", "0.5"].map(parts.parseDec)]]);
  const environment = {
    model,
    values,
    durations,
    periodDays: () => day,
    periodHours: hour,
    requireParallel() {},
  };
  const { content, unit } = parts.evaluate(parts.parseExpression(one), environment);
  parts.requireContent(content);
  return [
    Array.isArray(content) ? `[${content.join(", ")}]` : String(content),
    unit?.text || parts.writeUnit(unit),
  ];
};
