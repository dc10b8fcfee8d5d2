// The client: every operation as a method, and what takes several calls.

import {
  build,
  carry,
  Listing,
  TaskHandle,
  type Asked,
  type Caller,
  type Operation,
  type Options,
  type Page,
  type Pause,
  type Send,
} from "./calls.js";
import { readJson, type Shape } from "./json.js";
import { Groups } from "./made/operations.js";
import type { AsyncTask, DataFeedUpload, EventReceipt, Evidence, FeedChange, NewEvent } from "./made/records.js";
import * as rules from "./made/rules.js";

/** Where the service is, and who calls. */
export interface Settings {
  /** The token, which a browser should not have: see `changesUrl`. */
  readonly token: string;
  readonly fetch?: typeof fetch;
  /** Lets so many seconds pass between two attempts. */
  readonly pause?: Pause;
}

/** A file with the name that the service gives it. */
export interface NamedFile {
  readonly name: string;
  readonly content: Uint8Array;
}

/** Which changes are followed. */
export interface Following {
  /** The cursor behind which to go on; without it, the oldest change that is kept, and `latest` from now on. */
  readonly after?: string;
  readonly kind?: string;
  readonly project_id?: string;
  readonly signal?: AbortSignal;
}

const sleep: Pause = (seconds) => new Promise((done) => setTimeout(done, seconds * 1000));

/** The service at an address, with a token. */
export class Client extends Groups implements Caller {
  readonly #address: string;
  readonly #token: string;
  readonly #fetch: typeof fetch;
  readonly #pause: Pause;

  constructor(address: string, settings: Settings) {
    const holder: { caller?: Caller } = {};
    super({
      call: (...all) => holder.caller!.call(...all),
      list: (...all) => holder.caller!.list(...all),
      start: (...all) => holder.caller!.start(...all),
    });
    holder.caller = this;
    this.#address = address.replace(/\/+$/, "").replace(/\/api\/v1$/, "");
    this.#token = settings.token;
    this.#fetch = settings.fetch ?? ((...all) => fetch(...all));
    this.#pause = settings.pause ?? sleep;
  }

  async call<T>(operation: Operation, names: Asked, asked: Asked, options: Options): Promise<T> {
    const answer = await carry(this.#send, this.#pause, build(operation, names, asked, options));
    return (await read(answer, operation.answer)) as T;
  }

  list<T>(operation: Operation, names: Asked, asked: Asked, options: Options): Listing<T> {
    const query = { ...operation.query, page: "page", page_size: "page_size", cursor: "cursor" };
    return new Listing<T>((more) => {
      const { page: _, ...walked } = asked;
      const wanted = "page_size" in more ? { ...more, ...walked, cursor: more["cursor"] } : asked;
      return this.call<Page<T>>({ ...operation, query }, names, wanted, options);
    });
  }

  async start<T extends AsyncTask>(
    operation: Operation,
    names: Asked,
    asked: Asked,
    options: Options,
  ): Promise<TaskHandle> {
    return this.task((await this.call<T>(operation, names, asked, options)).id);
  }

  /** A task that can be waited for, by its number. */
  task(id: number): TaskHandle {
    return new TaskHandle(id, (task) => this.async_tasks.get(task), this.#pause);
  }

  /** Store events, however many, in batches of one request each, and give the receipt of each in their order. */
  async *store(
    projectId: string,
    events: Iterable<NewEvent> | AsyncIterable<NewEvent>,
    batchSize = 5000,
  ): AsyncGenerator<EventReceipt> {
    if (!(batchSize >= 1 && batchSize <= rules.EVENTS_MAX)) {
      throw new RangeError(`batchSize is ${batchSize}; one request takes 1 to ${rules.EVENTS_MAX} events.`);
    }
    let batch: NewEvent[] = [];
    for await (const event of events) {
      batch.push(event);
      if (batch.length === batchSize) {
        yield* await this.#storeBatch(projectId, batch);
        batch = [];
      }
    }
    if (batch.length > 0) yield* await this.#storeBatch(projectId, batch);
  }

  async #storeBatch(projectId: string, events: readonly NewEvent[]): Promise<readonly EventReceipt[]> {
    const operation: Operation = {
      method: "POST",
      path: "/projects/{project_id}/events",
      body: { events: ["events", { l: { r: ["NewEvent"] } }] },
      takesKey: true,
      answer: { r: ["EventReceipts"] },
    };
    const stored = await this.call<{ data: EventReceipt[] }>(operation, { project_id: projectId }, { events }, {});
    return stored.data;
  }

  /** Attach a file to an event. */
  attachFile(eventId: string, file: Blob, name: string, options: Options = {}): Promise<Evidence> {
    return this.#form(`/events/${encodeURIComponent(eventId)}/evidence`, "Evidence", file, name, options);
  }

  /** Upload a file to a data feed; poll the upload, or its task. */
  uploadFile(
    projectId: string,
    feed: number,
    file: Blob,
    name: string,
    options: Options = {},
  ): Promise<DataFeedUpload> {
    const path = `/projects/${encodeURIComponent(projectId)}/data_feeds/${feed}/uploads`;
    return this.#form(path, "DataFeedUpload", file, name, options);
  }

  async #form<T>(path: string, record: string, file: Blob, name: string, options: Options): Promise<T> {
    const body = new FormData();
    body.set("file", file, name);
    const answer = await carry(this.#send, this.#pause, {
      method: "POST",
      path: rules.PREFIX + path,
      headers: { "Idempotency-Key": options.idempotencyKey ?? crypto.randomUUID() },
      body,
      repeatable: true,
      takesKey: true,
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    });
    return (await read(answer, { r: [record] })) as T;
  }

  /** A file below the interface, by its path there, such as `/reports/rpt_…/bundle`, with its name. */
  async download(path: string, signal?: AbortSignal): Promise<NamedFile> {
    const operation: Operation = { method: "GET", path, answer: "Uint8Array" };
    const sent = build(operation, {}, {}, signal === undefined ? {} : { signal });
    const answer = await carry(this.#send, this.#pause, sent);
    const named = /filename\*=UTF-8''([^;]+)/.exec(answer.headers.get("Content-Disposition") ?? "");
    const name = named?.[1] === undefined ? (path.split("/").pop() ?? "file") : decodeURIComponent(named[1]);
    return { name, content: new Uint8Array(await answer.arrayBuffer()) };
  }

  /**
   * The address of the stream of changes with a ticket in place of the token, for `new EventSource(address)` of
   * a browser. It opens the stream for `seconds`, 600 when left out.
   */
  async changesUrl({ after, kind, project_id }: Following = {}, seconds?: number): Promise<string> {
    const { ticket } = await this.changes.issue_ticket(seconds === undefined ? {} : { expires_in_seconds: seconds });
    const query = new URLSearchParams({ ticket });
    for (const [name, value] of Object.entries({ after, kind, project_id })) if (value) query.set(name, value);
    return `${this.#address}${rules.PREFIX}/changes?${query}`;
  }

  /** Every change from a cursor on, as it comes, without end; keep `change.cursor` to go on later. */
  async *follow(following: Following = {}): AsyncGenerator<FeedChange> {
    let { after } = following;
    for (;;) {
      try {
        for await (const change of this.#stream({ ...following, ...(after === undefined ? {} : { after }) })) {
          after = change.cursor;
          yield change;
        }
      } catch (error) {
        if (following.signal?.aborted) return;
        if (!(error instanceof TypeError)) throw error; // a connection that was lost is a TypeError of fetch
      }
      if (following.signal?.aborted) return;
      await this.#pause(rules.FIRST_PAUSE_SECONDS);
    }
  }

  /** The changes of one stream, which a ticket opens. */
  async *#stream(following: Following): AsyncGenerator<FeedChange> {
    const address = await this.changesUrl(following);
    const answer = await carry(this.#send, this.#pause, {
      method: "GET",
      path: address.slice(this.#address.length),
      headers: { Accept: "text/event-stream", Authorization: "" },
      repeatable: true,
      takesKey: false,
      ...(following.signal === undefined ? {} : { signal: following.signal }),
    });
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const events = (rest + part.value).split("\n\n");
      rest = events.pop() ?? "";
      for (const event of events) {
        if (/^event: end$/m.test(event)) return;
        const data = /^data: (\{.*)$/m.exec(event);
        if (data?.[1] !== undefined && /^id: /m.test(event) && !/^event: /m.test(event)) {
          yield readJson(data[1], { r: ["FeedChange"] }) as FeedChange;
        }
      }
    }
  }

  readonly #send: Send = ({ method, path, headers, body, signal }) => {
    const { Authorization = `Bearer ${this.#token}`, ...others } = headers;
    return this.#fetch(`${this.#address}${path}`, {
      method,
      headers: Authorization === "" ? others : { Authorization, ...others },
      redirect: "manual",
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  };
}

async function read(answer: Response, shape: Shape | "void" | "string" | "Uint8Array"): Promise<unknown> {
  if (shape === "void") return undefined;
  if (shape === "Uint8Array") return new Uint8Array(await answer.arrayBuffer());
  const text = await answer.text();
  return shape === "string" ? text : readJson(text, shape);
}
