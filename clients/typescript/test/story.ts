// A plant by the TypeScript client, from its project to a report, on a running service; and the changes that
// are followed meanwhile. Prints what came of it as JSON, for the test that started it.

import { Client, decimal, Num, Refused, type records } from "weighbridge-client";

declare const process: { argv: string[]; stdout: { write(text: string): void } };

const [, , address, token] = process.argv as [string, string, string, string];
const client = new Client(address, { token });

const MODEL = `name: Deliveries
cadence: monthly
partition_type: time
primary_output: mass
nodes:
  - slug: mass
    input: {event_type: delivery, data_point_type: mass, aggregate: sum}
    unit: t
    output: true
`;
const MASSES = ["1234567890123456789012345678.123456", "0.1", "0.2"];

const project = await client.projects.create({ name: "Plant by TypeScript", time_zone: "UTC" });
await client.event_types.create(project.id, {
  name: "Delivery",
  slug: "delivery",
  expected_locations: "none",
  data_point_types: [
    { name: "Mass", slug: "mass", value_type: "number", unit: "t" },
    { name: "Note", slug: "note", value_type: "string", required: false },
  ],
});

// Follow what changes from now on, by a ticket as a browser would.
const { cursor } = await client.changes.list({ after: "latest" });
const stop = new AbortController();
const seen = new Set<string>();
const enough = (async () => {
  for await (const change of client.follow({ after: cursor, project_id: project.id, signal: stop.signal })) {
    seen.add(change.kind);
    if (["event", "async_task", "batch", "report"].every((kind) => seen.has(kind))) return stop.abort();
  }
})();

const model = await client.models.create({ yaml: MODEL, project_id: project.id });
const ledger = await client.ledgers.create({ name: "Mass", unit: "t", model_id: model.id, project_id: project.id });

const deliveries = MASSES.map((mass, index): records.NewEvent => ({
  event_type: "delivery",
  start_time: new Date(Date.UTC(2025, 0, index + 1)).toISOString(),
  data_points: [
    { slug: "mass", value: new Num(mass) },
    { slug: "note", value: "0.1" },
  ],
}));
let receipts = 0;
for await (const _ of client.store(project.id, deliveries, 2)) receipts++;

const values: string[] = [];
const kinds = new Set<string>();
for await (const event of client.events.list(project.id, { sort: "start_time", page_size: 2 })) {
  for (const { value } of event.data_points) {
    kinds.add(value instanceof Num ? "number" : typeof value);
    if (value instanceof Num) values.push(value.digits);
  }
}

const states: string[] = [];
const task = await client.batch_generations.create(ledger.id, {
  start_time: "2025-01-01T00:00:00Z",
  end_time: "2025-02-01T00:00:00Z",
});
const result = await task.wait({ timeout: 300, progress: ({ state }) => states.push(state) });
const [batch] = await client.batches.list_of_ledger(ledger.id).all();
const left = batch!.ledger_balance;
const report = await client.reports.create({
  name: "January",
  report_type: "monthly",
  project_id: project.id,
  batches: [{ batch_id: batch!.id, amount: decimal("0.1") }],
});
const csv = await client.download(`/ledgers/${ledger.id}/batches.csv`);

const refusals: unknown[] = [];
for (const attempt of [
  () => client.projects.get("prj_000000000000000000000000"),
  () => client.projects.create({ name: "" }),
  () => client.ledgers.create({ name: "Mass", unit: "furlongs", project_id: project.id }),
]) {
  try {
    await attempt();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    refusals.push([error.kind, error.status, error.errors[0]!.code, error.requestId !== undefined]);
  }
}
const floats: string[] = [];
for (const attempt of [() => new Num(0.1), () => decimal(0.1), () => decimal("a lot")]) {
  try {
    attempt();
  } catch (error) {
    floats.push((error as Error).message);
  }
}

await enough;
const told = {
  ledger: ledger.id, receipts, values, kinds: [...kinds].sort(), left, result, lastState: states.at(-1), refusals, floats,
  projects: (await client.projects.list({ page_size: 1 }).all()).map(({ name }) => name),
  taken: report.amount, changes: [...seen].sort(), file: csv.name, bytes: csv.content.length,
};
process.stdout.write(JSON.stringify(told));
