// Calls: what is sent and what comes back, what is sent again, and what can go wrong.
//
// Invariant: a request that may have arrived is sent again only where that has no second effect: a reading one,
// or one with an idempotency key, which stays the same through all attempts.

import { readJson, writeJson, type Shape } from "./json.js";
import * as rules from "./made/rules.js";
import type { AsyncTask, ErrorItem, Info } from "./made/records.js";

/** What a call may be given besides what it asks for. */
export interface Options {
  /** A request sent again with the same key is executed once; made up where none is given. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
}

/** An operation: what is sent where, and what the answer is read as. */
export interface Operation {
  readonly method: "GET" | "POST" | "PATCH" | "PUT" | "DELETE";
  readonly path: string;
  readonly fixed?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: Readonly<Record<string, readonly [string, Shape]>>;
  readonly wrapper?: string;
  readonly text?: string;
  readonly takesKey?: boolean;
  readonly answer: Shape | "void" | "string" | "Uint8Array";
}

/** Values of a request by their names. */
export type Asked = Readonly<Record<string, unknown>>;

/** One problem: a sentence for people, a code for programs, and the field that it is about. */
export type Problem = Omit<ErrorItem, "code"> & { readonly code?: rules.ErrorCode };

const KINDS = {
  400: "bad_request",
  401: "unauthenticated",
  403: "forbidden",
  404: "not_found",
  409: "conflict",
  422: "invalid",
  429: "rate_limited",
} as const;

/** What a refusal is, by its status: `failed` of 5xx, `refused` of any other. */
export type RefusalKind = (typeof KINDS)[keyof typeof KINDS] | "failed" | "refused";

/** Anything that this client throws on purpose; `kind` tells which. */
export type WeighbridgeError = Refused | Unreachable | UnreadableAnswer | TaskFailed | TaskTimeout;

/** The service refused the call; `errors` says all that is wrong with it. */
export class Refused extends Error {
  readonly kind: RefusalKind;

  constructor(
    readonly status: number,
    readonly errors: readonly Problem[],
    readonly requestId: string | undefined,
  ) {
    super(`${status} ${errors.map((each) => (each.field ? `${each.field}: ${each.message}` : each.message)).join(" ")}`);
    this.name = "Refused";
    this.kind = KINDS[status as keyof typeof KINDS] ?? (status >= 500 ? "failed" : "refused");
  }
}

/** The service did not answer, however often it was asked; what was sent may have arrived. */
export class Unreachable extends Error {
  readonly kind = "unreachable";
}

/** Something answered that does not speak the service's interface. */
export class UnreadableAnswer extends Error {
  readonly kind = "unreadable_answer";
}

/** A task that was waited for has failed; `task` is its record. */
export class TaskFailed extends Error {
  readonly kind = "task_failed";

  constructor(readonly task: AsyncTask) {
    super(`Task ${task.id} (${task.type}) failed: ${task.error_message}`);
  }
}

/** A task that was waited for had not ended in time; it goes on. */
export class TaskTimeout extends Error {
  readonly kind = "task_timeout";
}

/** A request as it is sent. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | FormData;
  readonly repeatable: boolean;
  readonly takesKey: boolean;
  readonly signal?: AbortSignal;
}

export type Send = (sent: Sent) => Promise<Response>;
export type Pause = (seconds: number) => Promise<void>;

/** The request of an operation. */
export function build(operation: Operation, names: Asked, asked: Asked, options: Options): Sent {
  const filled = operation.path.replace(/{(\w+)}/g, (_, name: string) => encodeURIComponent(String(names[name])));
  const query = new URLSearchParams(operation.fixed);
  for (const [name, sent] of Object.entries(operation.query ?? {})) {
    const value = asked[name];
    if (value !== undefined && value !== null) query.set(sent, Array.isArray(value) ? value.join(",") : told(value));
  }
  const headers: Record<string, string> = {};
  let body: string | undefined;
  if (operation.text !== undefined) {
    body = String(asked[operation.text]);
    headers["Content-Type"] = "text/csv; charset=utf-8";
  } else if (operation.body !== undefined) {
    const fields = Object.entries(operation.body)
      .filter(([name]) => asked[name] !== undefined)
      .map(([name, [sent, shape]]) => `${JSON.stringify(sent)}:${writeJson(asked[name], shape)}`);
    const record = `{${fields.join(",")}}`;
    body = operation.wrapper === undefined ? record : `{${JSON.stringify(operation.wrapper)}:${record}}`;
    headers["Content-Type"] = "application/json";
  }
  if (operation.takesKey) headers["Idempotency-Key"] = options.idempotencyKey ?? crypto.randomUUID();
  const asks = query.size > 0 ? `?${query}` : "";
  return {
    method: operation.method,
    path: `${rules.PREFIX}${filled}${asks}`,
    headers,
    ...(body === undefined ? {} : { body }),
    repeatable: operation.method === "GET" || operation.takesKey === true,
    takesKey: operation.takesKey === true,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  };
}

function told(value: unknown): string {
  return value instanceof Date ? value.toISOString() : String(value);
}

/** Send a request, again where that is safe, and give the answer that is a success. */
export async function carry(send: Send, pause: Pause, sent: Sent): Promise<Response> {
  let reason: unknown;
  for (let attempt = 1; ; attempt++) {
    let answer: Response | undefined;
    try {
      answer = await send(sent);
    } catch (error) {
      if (sent.signal?.aborted) throw error;
      reason = error;
    }
    if (answer?.ok) return answer;
    const after = answer?.headers.get("Retry-After") ?? null;
    if (attempt === rules.ATTEMPTS_MAX || !worthRepeating(sent, answer, after)) {
      if (answer !== undefined) throw await refusal(answer);
      throw new Unreachable(`${sent.method} ${sent.path} was not answered: ${String(reason)}`, { cause: reason });
    }
    await answer?.body?.cancel();
    await pause(pauseSeconds(attempt, after));
  }
}

function worthRepeating(sent: Sent, answer: Response | undefined, after: string | null): boolean {
  if (answer?.status === 429) return after !== null;
  if (answer?.status === rules.IN_PROGRESS) return sent.takesKey && after !== null;
  return sent.repeatable && (answer === undefined || rules.BUSY.includes(answer.status));
}

function pauseSeconds(attempt: number, after: string | null): number {
  const grown = Math.min(rules.FIRST_PAUSE_SECONDS * 2 ** (attempt - 1), rules.PAUSE_SECONDS_MAX);
  const asked = after !== null && /^\d+$/.test(after) ? Math.max(Number(after), rules.FIRST_PAUSE_SECONDS) : grown;
  return asked * (1 + Math.random() / 4);
}

/** The error that an answer stands for which is no success. */
export async function refusal(answer: Response): Promise<Refused | UnreadableAnswer> {
  const text = await answer.text();
  try {
    const body = readJson(text, { r: ["ErrorBody"] }) as { errors: Problem[]; request_id?: string };
    if (Array.isArray(body.errors)) return new Refused(answer.status, body.errors, body.request_id);
  } catch {
    // Told below: what answered is not the service.
  }
  return new UnreadableAnswer(`The answer has status ${answer.status} and no errors of the service: ${text.slice(0, 200)}`);
}

/** What operations call: the client. */
export interface Caller {
  call<T>(operation: Operation, names: Asked, asked: Asked, options: Options): Promise<T>;
  list<T>(operation: Operation, names: Asked, asked: Asked, options: Options): Listing<T>;
  start<T extends AsyncTask>(operation: Operation, names: Asked, asked: Asked, options: Options): Promise<TaskHandle>;
}

/** One page of a list, with what `info` says of the list. */
export interface Page<T> {
  readonly data: readonly T[];
  readonly info: Info;
}

const PAGE_SIZE = 200;

/** A list, walked by cursor with `for await`: the next page is asked for when its first record is wanted. */
export class Listing<T> implements AsyncIterable<T> {
  constructor(private readonly read: (asked: Asked) => Promise<Page<T>>) {}

  async *[Symbol.asyncIterator](): AsyncIterator<T> {
    let cursor: string | null | undefined;
    do {
      const page = await this.read({ page_size: PAGE_SIZE, ...(cursor ? { cursor } : {}) });
      yield* page.data;
      cursor = page.info.next_cursor;
    } while (cursor);
  }

  /** The page that was asked for. */
  page(): Promise<Page<T>> {
    return this.read({});
  }

  /** The whole list. */
  async all(): Promise<T[]> {
    const found: T[] = [];
    for await (const record of this) found.push(record);
    return found;
  }
}

/** How a task is waited for. */
export interface Waiting {
  /** For how long, in seconds; without it, until the task ends. */
  readonly timeout?: number;
  /** Called with each record of the task. */
  readonly progress?: (task: AsyncTask) => void;
}

/** A task that can be waited for. */
export class TaskHandle {
  constructor(
    readonly id: number,
    private readonly read: (id: number) => Promise<AsyncTask>,
    private readonly pause: Pause,
  ) {}

  /**
   * What the task came to, once it is complete. Throws TaskFailed when it fails, TaskTimeout when it goes on
   * for longer.
   */
  async wait({ timeout, progress }: Waiting = {}): Promise<AsyncTask["result"]> {
    let waited = 0;
    let seconds = rules.FIRST_SECONDS;
    for (;;) {
      const task = await this.read(this.id);
      progress?.(task);
      if (task.state === "failed") throw new TaskFailed(task);
      if (task.state === "complete") return task.result;
      if (timeout !== undefined && waited + seconds > timeout) {
        throw new TaskTimeout(`Task ${task.id} (${task.type}) is still ${task.state} after ${waited.toFixed(0)} s.`);
      }
      await this.pause(seconds);
      waited += seconds;
      seconds = Math.min(seconds * rules.GROWTH, rules.SECONDS_MAX);
    }
  }
}
