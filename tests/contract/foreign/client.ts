// A program on the types that openapi-typescript makes: it creates, lists, generates and waits.
import createClient from "openapi-fetch";
import type { paths } from "./generated.js";

declare const process: { argv: string[]; stdout: { write(text: string): void } };

const [, , address, token, ledger] = process.argv as [string, string, string, string, string];
const client = createClient<paths>({ baseUrl: address, headers: { Authorization: `Bearer ${token}` } });

const made = await client.POST("/api/v1/projects", { body: { project: { name: "Made by a client" } } });
const names: string[] = [];
let cursor: string | null | undefined;
do {
  const walked = cursor ? { cursor } : {};
  const page = await client.GET("/api/v1/projects", { params: { query: { page_size: 1, ...walked } } });
  if (!page.data || !("data" in page.data)) throw new Error(JSON.stringify(page.error));
  names.push(...page.data.data.map((project) => project.name));
  cursor = page.data.info.next_cursor;
} while (cursor);
const started = await client.POST("/api/v1/ledgers/{ledger_id}/batch_generations", {
  params: { path: { ledger_id: ledger } },
  body: { start_time: "2025-01-01T00:00:00Z", end_time: "2025-02-01T00:00:00Z" },
});
let task = started.data;
while (task && task.state !== "complete" && task.state !== "failed") {
  await new Promise<void>((done) => setTimeout(done, 100));
  task = (await client.GET("/api/v1/async_tasks/{task_id}", { params: { path: { task_id: task.id } } })).data;
}
const name = made.data?.name ?? JSON.stringify(made.error);
process.stdout.write(`${name} ${names.includes(name)} ${task?.state}\n`);
