// The operations on each kind of record, as methods.
// Made by `make docs` from the OpenAPI document; change the service, not this file.

import type { Decimal, Num } from "../json.js";
import type { Caller, Listing, Options, TaskHandle } from "../calls.js";
import type * as records from "./records.js";

/** Operations on agent mappings. */
export class AgentMappingsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Save the next version of an agent's mapping: all variables that it reads in addition to its file.
   * `POST /projects/{project_id}/agents/{agent_id}/mappings`
   */
  create(
    project_id: string,
    agent_id: number,
    asked: {
      /** The version that it was made from, 0 before the first; 409 when there is a newer one. */
      replaces: number;
      /**
       * All variables that the agent is to read in addition to those of its file; none for its file
       * alone.
       */
      variables: records.MappedVariable[];
    },
    options: Options = {},
  ): Promise<records.AgentMapping> {
    return this.caller.call<records.AgentMapping>(
      { method: "POST", path: "/projects/{project_id}/agents/{agent_id}/mappings", body: { replaces: ["replaces", { n: "integer" }], variables: ["variables", { l: { r: ["MappedVariable"] } }] }, wrapper: "mapping", takesKey: true, answer: { r: ["AgentMapping"] } },
      { "project_id": project_id, "agent_id": agent_id },
      asked,
      options,
    );
  }

  /**
   * Read one version of an agent's mapping, by its number, with its variables. `GET
   * /projects/{project_id}/agents/{agent_id}/mappings/{agent_mapping_id}`
   */
  get(
    project_id: string,
    agent_id: number,
    agent_mapping_id: number,
    options: Options = {},
  ): Promise<records.AgentMapping> {
    return this.caller.call<records.AgentMapping>(
      { method: "GET", path: "/projects/{project_id}/agents/{agent_id}/mappings/{agent_mapping_id}", answer: { r: ["AgentMapping"] } },
      { "project_id": project_id, "agent_id": agent_id, "agent_mapping_id": agent_mapping_id },
      {},
      options,
    );
  }

  /**
   * List the versions of an agent's mapping, newest first: who saved each, and when. `GET
   * /projects/{project_id}/agents/{agent_id}/mappings`
   */
  list(
    project_id: string,
    agent_id: number,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -version, or what the cursor was written for.
       */
      sort?: string | readonly string[];
    } = {},
    options: Options = {},
  ): Listing<records.AgentMappingVersion> {
    return this.caller.list<records.AgentMappingVersion>(
      { method: "GET", path: "/projects/{project_id}/agents/{agent_id}/mappings", query: {"page": "page", "page_size": "page_size", "sort": "sort"}, answer: { r: ["PageOfAgentMappingVersion"] } },
      { "project_id": project_id, "agent_id": agent_id },
      asked,
      options,
    );
  }
}

/** Operations on agents. */
export class AgentsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Ask an agent for the nodes below a node of an OPC UA server; its answer comes with its next reports.
   * `POST /projects/{project_id}/agents/{agent_id}/browse`
   */
  browse(
    project_id: string,
    agent_id: number,
    asked: {
      /** The source of type `opcua` whose server is asked. */
      source: string;
      /** The node whose children are wanted; left out, the folder of the server's objects. */
      node?: string;
    },
    options: Options = {},
  ): Promise<records.PlantAgent> {
    return this.caller.call<records.PlantAgent>(
      { method: "POST", path: "/projects/{project_id}/agents/{agent_id}/browse", body: { source: ["source", {  }], node: ["node", {  }] }, wrapper: "browsing", takesKey: true, answer: { r: ["PlantAgent"] } },
      { "project_id": project_id, "agent_id": agent_id },
      asked,
      options,
    );
  }

  /**
   * Remove an agent that is gone; one that still runs registers again by its next report. `DELETE
   * /projects/{project_id}/agents/{agent_id}`
   */
  delete(
    project_id: string,
    agent_id: number,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/projects/{project_id}/agents/{agent_id}", answer: "void" },
      { "project_id": project_id, "agent_id": agent_id },
      {},
      options,
    );
  }

  /** Read one agent. `GET /projects/{project_id}/agents/{agent_id}` */
  get(
    project_id: string,
    agent_id: number,
    options: Options = {},
  ): Promise<records.PlantAgent> {
    return this.caller.call<records.PlantAgent>(
      { method: "GET", path: "/projects/{project_id}/agents/{agent_id}", answer: { r: ["PlantAgent"] } },
      { "project_id": project_id, "agent_id": agent_id },
      {},
      options,
    );
  }

  /**
   * List the agents of a project: which is quiet, what each reads, and how far behind it is. `GET
   * /projects/{project_id}/agents`
   */
  list(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose is_quiet is the value given: true or false. */
      is_quiet?: "true" | "false";
    } = {},
    options: Options = {},
  ): Listing<records.PlantAgent> {
    return this.caller.list<records.PlantAgent>(
      { method: "GET", path: "/projects/{project_id}/agents", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "is_quiet": "filter[is_quiet][eq]"}, answer: { r: ["PageOfPlantAgent"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Report the state of an agent; the first report of a name registers it. `POST
   * /projects/{project_id}/agents`
   */
  report(
    project_id: string,
    asked: {
      /** The name of the agent in its file; the first report of a name registers it. */
      name: string;
      /** The version of the program that it runs. */
      version: string;
      /** What it says of itself. */
      state: records.StateOfAgent;
      /** The answer to the question that the last response had; left out without one. */
      browsed?: records.BrowsingAnswer | null;
    },
    options: Options = {},
  ): Promise<records.PlantAgent> {
    return this.caller.call<records.PlantAgent>(
      { method: "POST", path: "/projects/{project_id}/agents", body: { name: ["name", {  }], version: ["version", {  }], state: ["state", { r: ["StateOfAgent"] }], browsed: ["browsed", { r: ["BrowsingAnswer"] }] }, wrapper: "agent", takesKey: true, answer: { r: ["PlantAgent"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Change the description of an agent, or after how long without a report it counts as quiet. `PATCH
   * /projects/{project_id}/agents/{agent_id}`
   */
  update(
    project_id: string,
    agent_id: number,
    asked: {
      /** What people write about it, such as where the machine stands. */
      description?: string | null;
      /** After how long without a report the agent counts as quiet. */
      quiet_after_seconds?: number;
    } = {},
    options: Options = {},
  ): Promise<records.PlantAgent> {
    return this.caller.call<records.PlantAgent>(
      { method: "PATCH", path: "/projects/{project_id}/agents/{agent_id}", body: { description: ["description", {  }], quiet_after_seconds: ["quiet_after_seconds", { n: "integer" }] }, wrapper: "agent", takesKey: true, answer: { r: ["PlantAgent"] } },
      { "project_id": project_id, "agent_id": agent_id },
      asked,
      options,
    );
  }
}

/** Operations on api tokens. */
export class ApiTokensOperations {
  constructor(private readonly caller: Caller) {}

  /** Create a token; the answer shows it this once. `POST /api_tokens` */
  create(
    asked: {
      /** What the token is for, in the words of whoever made it. */
      name: string;
      /**
       * What the token may do: no more than the token that makes it. `data_collection:read` holds in
       * all projects, `data_collection:read@prj_…` in that one alone.
       */
      permissions: string[];
      /** How many days it lives: 30, 60, 90, 180 or 365; null for one that does not expire. */
      expires_in_days?: 30 | 60 | 90 | 180 | 365 | null;
      /** The user whom it acts for, who is made when new; the caller's own user when left out. */
      user_email?: string | null;
    },
    options: Options = {},
  ): Promise<records.IssuedApiToken> {
    return this.caller.call<records.IssuedApiToken>(
      { method: "POST", path: "/api_tokens", body: { name: ["name", {  }], permissions: ["permissions", {  }], expires_in_days: ["expires_in_days", { n: "integer" }], user_email: ["user_email", {  }] }, wrapper: "api_token", takesKey: true, answer: { r: ["IssuedApiToken"] } },
      {},
      asked,
      options,
    );
  }

  /** List the account's tokens, without their secrets. `GET /api_tokens` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose user_id is the value given: the number of a user. */
      user_id?: string;
      /** Only records whose status is the value given: working, expired, revoked. */
      status?: "working" | "expired" | "revoked";
    } = {},
    options: Options = {},
  ): Listing<records.ApiToken> {
    return this.caller.list<records.ApiToken>(
      { method: "GET", path: "/api_tokens", query: {"page": "page", "page_size": "page_size", "sort": "sort", "user_id": "filter[user_id][eq]", "status": "filter[status][eq]"}, answer: { r: ["PageOfApiToken"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Have a token act for another user, such as when its own was shut out; it may do what it could before.
   * `PATCH /api_tokens/{token_id}`
   */
  reassign(
    token_id: number,
    asked: {
      /** The address of a user of the account who was not shut out. */
      user_email: string;
    },
    options: Options = {},
  ): Promise<records.ApiToken> {
    return this.caller.call<records.ApiToken>(
      { method: "PATCH", path: "/api_tokens/{token_id}", body: { user_email: ["user_email", {  }] }, wrapper: "api_token", takesKey: true, answer: { r: ["ApiToken"] } },
      { "token_id": token_id },
      asked,
      options,
    );
  }

  /**
   * Revoke a token and all that were issued by it: they open nothing any more, and stay in the list.
   * `DELETE /api_tokens/{token_id}`
   */
  revoke(
    token_id: number,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/api_tokens/{token_id}", answer: "void" },
      { "token_id": token_id },
      {},
      options,
    );
  }
}

/** Operations on asset custom fields. */
export class AssetCustomFieldsOperations {
  constructor(private readonly caller: Caller) {}

  /** Create a custom field of a project's assets. `POST /projects/{project_id}/asset_custom_fields` */
  create(
    project_id: string,
    asked: {
      /**
       * What heads its column in the asset spreadsheet, such as `Calibrated on`, up to 100 characters.
       */
      label: string;
      /** What its values are; a `date` is a text such as `2025-01-31`. */
      value_type: "text" | "number" | "boolean" | "date";
    },
    options: Options = {},
  ): Promise<records.AssetCustomField> {
    return this.caller.call<records.AssetCustomField>(
      { method: "POST", path: "/projects/{project_id}/asset_custom_fields", body: { label: ["label", {  }], value_type: ["value_type", {  }] }, wrapper: "asset_custom_field", takesKey: true, answer: { r: ["AssetCustomField"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Remove a custom field that no asset has a value for. `DELETE
   * /projects/{project_id}/asset_custom_fields/{asset_custom_field_id}`
   */
  delete(
    project_id: string,
    asset_custom_field_id: number,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/projects/{project_id}/asset_custom_fields/{asset_custom_field_id}", answer: "void" },
      { "project_id": project_id, "asset_custom_field_id": asset_custom_field_id },
      {},
      options,
    );
  }

  /** List the custom fields of a project's assets. `GET /projects/{project_id}/asset_custom_fields` */
  list(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
    } = {},
    options: Options = {},
  ): Listing<records.AssetCustomField> {
    return this.caller.list<records.AssetCustomField>(
      { method: "GET", path: "/projects/{project_id}/asset_custom_fields", query: {"page": "page", "page_size": "page_size", "sort": "sort"}, answer: { r: ["PageOfAssetCustomField"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }
}

/** Operations on assets. */
export class AssetsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Create an asset; its custom fields are those of the project, by label. `POST
   * /projects/{project_id}/assets`
   */
  create(
    project_id: string,
    asked: {
      /** What people call it, once in the project, such as `Plant North`. */
      name: string;
      /**
       * What sort of equipment it is, in the project's own words, such as `scale`; null when not said.
       */
      asset_type?: string | null;
      /** The maker's number on its plate; null when not said. */
      serial_number?: string | null;
      /** What people write about it, up to 10,000 characters; null when there is nothing. */
      description?: string | null;
      /**
       * Values by the label of the custom field, such as `{"Calibrated on": "2025-01-31"}`. A change
       * keeps those that it leaves out; null takes one away.
       */
      custom_fields?: Record<string, unknown>;
      /** From when it is expected to measure, inclusive; null says nothing. */
      in_service_from?: string | null;
      /** Until when it is expected to measure, exclusive; null says nothing. */
      in_service_until?: string | null;
    },
    options: Options = {},
  ): Promise<records.Asset> {
    return this.caller.call<records.Asset>(
      { method: "POST", path: "/projects/{project_id}/assets", body: { name: ["name", {  }], asset_type: ["asset_type", {  }], serial_number: ["serial_number", {  }], description: ["description", {  }], custom_fields: ["custom_fields", {  }], in_service_from: ["in_service_from", {  }], in_service_until: ["in_service_until", {  }] }, wrapper: "asset", takesKey: true, answer: { r: ["Asset"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Remove an asset that no event, static input or batch names. `DELETE
   * /projects/{project_id}/assets/{asset_id}`
   */
  delete(
    project_id: string,
    asset_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/projects/{project_id}/assets/{asset_id}", answer: "void" },
      { "project_id": project_id, "asset_id": asset_id },
      {},
      options,
    );
  }

  /** Download a project's assets as a CSV file. `GET /projects/{project_id}/assets/spreadsheet` */
  export(
    project_id: string,
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/projects/{project_id}/assets/spreadsheet", answer: "string" },
      { "project_id": project_id },
      {},
      options,
    );
  }

  /** Read one asset. `GET /projects/{project_id}/assets/{asset_id}` */
  get(
    project_id: string,
    asset_id: string,
    options: Options = {},
  ): Promise<records.Asset> {
    return this.caller.call<records.Asset>(
      { method: "GET", path: "/projects/{project_id}/assets/{asset_id}", answer: { r: ["Asset"] } },
      { "project_id": project_id, "asset_id": asset_id },
      {},
      options,
    );
  }

  /**
   * Create and change assets from a CSV file: all lines are taken, or none. `POST
   * /projects/{project_id}/assets/spreadsheet`
   */
  import_(
    project_id: string,
    asked: {
      /** The rows as CSV, with a header. */
      content: string;
    },
    options: Options = {},
  ): Promise<records.AssetImport> {
    return this.caller.call<records.AssetImport>(
      { method: "POST", path: "/projects/{project_id}/assets/spreadsheet", text: "content", takesKey: true, answer: { r: ["AssetImport"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /** List the assets of all projects of the account. `GET /assets` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      project_id?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Asset> {
    return this.caller.list<records.Asset>(
      { method: "GET", path: "/assets", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "project_id": "filter[project_id][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]"}, answer: { r: ["PageOfAsset"] } },
      {},
      asked,
      options,
    );
  }

  /** List a project's assets. `GET /projects/{project_id}/assets` */
  list_assets_of_project(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      filter_project_id?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Asset> {
    return this.caller.list<records.Asset>(
      { method: "GET", path: "/projects/{project_id}/assets", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "filter_project_id": "filter[project_id][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]"}, answer: { r: ["PageOfAsset"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Change an asset; its name is fixed once batches were made of its events. `PATCH
   * /projects/{project_id}/assets/{asset_id}`
   */
  update(
    project_id: string,
    asset_id: string,
    asked: {
      /** What people call it, once in the project, such as `Plant North`. */
      name?: string;
      /**
       * What sort of equipment it is, in the project's own words, such as `scale`; null when not said.
       */
      asset_type?: string | null;
      /** The maker's number on its plate; null when not said. */
      serial_number?: string | null;
      /** What people write about it, up to 10,000 characters; null when there is nothing. */
      description?: string | null;
      /**
       * Values by the label of the custom field, such as `{"Calibrated on": "2025-01-31"}`. A change
       * keeps those that it leaves out; null takes one away.
       */
      custom_fields?: Record<string, unknown>;
      /** From when it is expected to measure, inclusive; null says nothing. */
      in_service_from?: string | null;
      /** Until when it is expected to measure, exclusive; null says nothing. */
      in_service_until?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.Asset> {
    return this.caller.call<records.Asset>(
      { method: "PATCH", path: "/projects/{project_id}/assets/{asset_id}", body: { name: ["name", {  }], asset_type: ["asset_type", {  }], serial_number: ["serial_number", {  }], description: ["description", {  }], custom_fields: ["custom_fields", {  }], in_service_from: ["in_service_from", {  }], in_service_until: ["in_service_until", {  }] }, wrapper: "asset", takesKey: true, answer: { r: ["Asset"] } },
      { "project_id": project_id, "asset_id": asset_id },
      asked,
      options,
    );
  }
}

/** Operations on async tasks. */
export class AsyncTasksOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Cancel a task that is pending or running: it is `failed` at once, and changes nothing. `POST
   * /async_tasks/{task_id}/cancel`
   */
  cancel(
    task_id: number,
    options: Options = {},
  ): Promise<records.AsyncTask> {
    return this.caller.call<records.AsyncTask>(
      { method: "POST", path: "/async_tasks/{task_id}/cancel", body: {  }, takesKey: true, answer: { r: ["AsyncTask"] } },
      { "task_id": task_id },
      {},
      options,
    );
  }

  /**
   * Read one async task; poll it every 2 to 5 seconds until it is complete or failed. `GET
   * /async_tasks/{task_id}`
   */
  get(
    task_id: number,
    options: Options = {},
  ): Promise<records.AsyncTask> {
    return this.caller.call<records.AsyncTask>(
      { method: "GET", path: "/async_tasks/{task_id}", answer: { r: ["AsyncTask"] } },
      { "task_id": task_id },
      {},
      options,
    );
  }

  /**
   * List the account's async tasks of the kinds that the token may start or read, newest first. `GET
   * /async_tasks`
   */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for. By created_at, state, type, or by several, at most
       * 10,000 records are sorted.
       */
      sort?: string | readonly string[];
      /** Only records whose state is the value given: pending, running, complete, failed. */
      state?: "pending" | "running" | "complete" | "failed";
      /** Only records whose type is the value given: a type of task. */
      type?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      project_id?: string;
      /** Only records whose ledger_id is the value given: an id lgr_…. */
      ledger_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.AsyncTask> {
    return this.caller.list<records.AsyncTask>(
      { method: "GET", path: "/async_tasks", query: {"page": "page", "page_size": "page_size", "sort": "sort", "state": "filter[state][eq]", "type": "filter[type][eq]", "project_id": "filter[project_id][eq]", "ledger_id": "filter[ledger_id][eq]"}, answer: { r: ["PageOfAsyncTask"] } },
      {},
      asked,
      options,
    );
  }
}

/** Operations on audit log. */
export class AuditLogOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Download the proof that a head extends an older one, with the newer head (as C2SP tlog-witness has
   * it). `GET /audit_log/consistency`
   */
  get_audit_consistency(
    asked: {
      /** How many rows the older head has. */
      from_: string;
      /** How many rows the newer head has. */
      to: string;
    },
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/audit_log/consistency", query: {"from_": "from", "to": "to"}, answer: "string" },
      {},
      asked,
      options,
    );
  }

  /**
   * Download the head of the account's log: how many rows are sealed and the root of their tree, signed.
   * `GET /audit_log/head`
   */
  get_audit_head(
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/audit_log/head", answer: "string" },
      {},
      {},
      options,
    );
  }

  /** Read the public key by which heads of the account's log are verified. `GET /audit_log/key` */
  get_audit_key(
    options: Options = {},
  ): Promise<records.AuditKey> {
    return this.caller.call<records.AuditKey>(
      { method: "GET", path: "/audit_log/key", answer: { r: ["AuditKey"] } },
      {},
      {},
      options,
    );
  }

  /**
   * Read the history of the keys of the account's log: which one signs now, and how it follows the first.
   * `GET /audit_log/keys`
   */
  get_audit_keys(
    options: Options = {},
  ): Promise<records.AuditKeys> {
    return this.caller.call<records.AuditKeys>(
      { method: "GET", path: "/audit_log/keys", answer: { r: ["AuditKeys"] } },
      {},
      {},
      options,
    );
  }

  /**
   * Download the proof that a row is under a head, with that head (C2SP tlog-proof). `GET
   * /audit_log/proof`
   */
  get_audit_proof(
    asked: {
      /** The number of the row, from 1. */
      number: string;
      /** How many rows the head has under which the row is proved to be. */
      size: string;
    },
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/audit_log/proof", query: {"number": "number", "size": "size"}, answer: "string" },
      {},
      asked,
      options,
    );
  }

  /**
   * Download the newest head that enough witnesses have cosigned (C2SP tlog-cosignature). `GET
   * /audit_log/cosigned_head`
   */
  get_cosigned_head(
    asked: {
      /** How many witnesses have to have cosigned the head, from 1. */
      cosignatures: string;
    },
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/audit_log/cosigned_head", query: {"cosignatures": "cosignatures"}, answer: "string" },
      {},
      asked,
      options,
    );
  }

  /**
   * List every write to the account's records, newest first, with its place in the sealed log. `GET
   * /audit_log`
   */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for. With filter[number], by another than number, as
       * many. With filter[at], by another than at, as many.
       */
      sort?: string | readonly string[];
      /** Only records whose action is the value given: an action, such as event.create. */
      action?: string;
      /**
       * Only records whose kind is the value given: a kind of record, such as event: what its actions
       * begin with.
       */
      kind?: string;
      /** Only records whose object is the value given: the id of an object. */
      object?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      project_id?: string;
      /** Only records whose request_id is the value given: a request's id. */
      request_id?: string;
      /** Only records whose number is the value given: a whole number. */
      number?: string;
      /** Only records whose number is at least the value given: a whole number. */
      number_geq?: string;
      /** Only records whose number is at most the value given: a whole number. */
      number_leq?: string;
      /**
       * Only records whose user_id is the value given: a person's number, as `user_id` of a row has it.
       */
      user_id?: string;
      /** Only records whose at is at or after the value given: a time with an offset or Z. */
      at_geq?: string;
      /** Only records whose at is at or before the value given: a time with an offset or Z. */
      at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.AuditRow> {
    return this.caller.list<records.AuditRow>(
      { method: "GET", path: "/audit_log", query: {"page": "page", "page_size": "page_size", "sort": "sort", "action": "filter[action][eq]", "kind": "filter[kind][eq]", "object": "filter[object][eq]", "project_id": "filter[project_id][eq]", "request_id": "filter[request_id][eq]", "number": "filter[number][eq]", "number_geq": "filter[number][geq]", "number_leq": "filter[number][leq]", "user_id": "filter[user_id][eq]", "at_geq": "filter[at][geq]", "at_leq": "filter[at][leq]"}, answer: { r: ["PageOfAuditRow"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * List the witnesses that cosign heads of the account's log, and how each of them fares. `GET
   * /audit_log/witnesses`
   */
  list_audit_witnesses(
    options: Options = {},
  ): Promise<records.AuditWitnesses> {
    return this.caller.call<records.AuditWitnesses>(
      { method: "GET", path: "/audit_log/witnesses", answer: { r: ["AuditWitnesses"] } },
      {},
      {},
      options,
    );
  }
}

/** Operations on balance steps. */
export class BalanceStepsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * List step by step why the balance known at one row of the audit log is another one at a later row.
   * `GET /ledgers/{ledger_id}/balance_steps`
   */
  list(
    ledger_id: string,
    asked: {
      /**
       * The row of the audit log from which the steps start, as `as_of` takes it: a number or a time.
       */
      since: string;
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
    },
    options: Options = {},
  ): Promise<records.BalanceSteps> {
    return this.caller.call<records.BalanceSteps>(
      { method: "GET", path: "/ledgers/{ledger_id}/balance_steps", query: {"since": "since", "as_of": "as_of"}, answer: { r: ["BalanceSteps"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }
}

/** Operations on batch generations. */
export class BatchGenerationsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Start generating batches on a ledger; poll the task in the answer. `POST
   * /ledgers/{ledger_id}/batch_generations`
   */
  create(
    ledger_id: string,
    asked: {
      /** The start of the range, inclusive; slots of which at least half lies in it are computed. */
      start_time: string;
      /** The end of the range, exclusive. */
      end_time: string;
      /**
       * Whether every ledger that the model credits in the project is credited, and not this one alone.
       */
      generate_concurrent_ledgers?: boolean;
      /**
       * With `latest` the active version replaces whole slots; without it a slot keeps the version it
       * has.
       */
      model_version?: "latest" | null;
      /**
       * What runs draw from batches by hand, for all runs together; without it they keep what they
       * hold.
       */
      batch_amounts?: records.BatchAmount[] | null;
      /**
       * The complete set of data for the inputs that it touches, slot by slot; empty, all discover
       * again.
       */
      data_point_ids?: string[] | null;
      /** Types whose data are set aside: their inputs take their defaults, a sum takes zero. */
      skipped_data_point_type_ids?: number[] | null;
    },
    options: Options = {},
  ): Promise<TaskHandle> {
    return this.caller.start<records.AsyncTask>(
      { method: "POST", path: "/ledgers/{ledger_id}/batch_generations", body: { start_time: ["start_time", {  }], end_time: ["end_time", {  }], generate_concurrent_ledgers: ["generate_concurrent_ledgers", {  }], model_version: ["model_version", {  }], batch_amounts: ["batch_amounts", { l: { r: ["BatchAmount"] } }], data_point_ids: ["data_point_ids", {  }], skipped_data_point_type_ids: ["skipped_data_point_type_ids", { l: { n: "integer" } }] }, takesKey: true, answer: { r: ["AsyncTask"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }

  /**
   * Say what generation would change, ledger after ledger down to reports, without storing anything.
   * `POST /ledgers/{ledger_id}/generate_impact`
   */
  generate_impact(
    ledger_id: string,
    asked: {
      /** The start of the range, inclusive; slots of which at least half lies in it are computed. */
      start_time: string;
      /** The end of the range, exclusive. */
      end_time: string;
      /**
       * Whether every ledger that the model credits in the project is credited, and not this one alone.
       */
      generate_concurrent_ledgers?: boolean;
      /**
       * With `latest` the active version replaces whole slots; without it a slot keeps the version it
       * has.
       */
      model_version?: "latest" | null;
      /**
       * What runs draw from batches by hand, for all runs together; without it they keep what they
       * hold.
       */
      batch_amounts?: records.BatchAmount[] | null;
      /**
       * The complete set of data for the inputs that it touches, slot by slot; empty, all discover
       * again.
       */
      data_point_ids?: string[] | null;
      /** Types whose data are set aside: their inputs take their defaults, a sum takes zero. */
      skipped_data_point_type_ids?: number[] | null;
    },
    options: Options = {},
  ): Promise<records.GenerationImpact> {
    return this.caller.call<records.GenerationImpact>(
      { method: "POST", path: "/ledgers/{ledger_id}/generate_impact", body: { start_time: ["start_time", {  }], end_time: ["end_time", {  }], generate_concurrent_ledgers: ["generate_concurrent_ledgers", {  }], model_version: ["model_version", {  }], batch_amounts: ["batch_amounts", { l: { r: ["BatchAmount"] } }], data_point_ids: ["data_point_ids", {  }], skipped_data_point_type_ids: ["skipped_data_point_type_ids", { l: { n: "integer" } }] }, takesKey: true, answer: { r: ["GenerationImpact"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }

  /**
   * Say how many batches generation would create, without creating any. `POST
   * /ledgers/{ledger_id}/generate_preview`
   */
  generate_preview(
    ledger_id: string,
    asked: {
      /** The start of the range, inclusive; slots of which at least half lies in it are computed. */
      start_time: string;
      /** The end of the range, exclusive. */
      end_time: string;
      /**
       * Whether every ledger that the model credits in the project is credited, and not this one alone.
       */
      generate_concurrent_ledgers?: boolean;
      /**
       * With `latest` the active version replaces whole slots; without it a slot keeps the version it
       * has.
       */
      model_version?: "latest" | null;
      /**
       * What runs draw from batches by hand, for all runs together; without it they keep what they
       * hold.
       */
      batch_amounts?: records.BatchAmount[] | null;
      /**
       * The complete set of data for the inputs that it touches, slot by slot; empty, all discover
       * again.
       */
      data_point_ids?: string[] | null;
      /** Types whose data are set aside: their inputs take their defaults, a sum takes zero. */
      skipped_data_point_type_ids?: number[] | null;
    },
    options: Options = {},
  ): Promise<records.Preview> {
    return this.caller.call<records.Preview>(
      { method: "POST", path: "/ledgers/{ledger_id}/generate_preview", body: { start_time: ["start_time", {  }], end_time: ["end_time", {  }], generate_concurrent_ledgers: ["generate_concurrent_ledgers", {  }], model_version: ["model_version", {  }], batch_amounts: ["batch_amounts", { l: { r: ["BatchAmount"] } }], data_point_ids: ["data_point_ids", {  }], skipped_data_point_type_ids: ["skipped_data_point_type_ids", { l: { n: "integer" } }] }, takesKey: true, answer: { r: ["Preview"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }
}

/** Operations on batches. */
export class BatchesOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Start undoing all that several batches of the ledger's project posted, together. `POST
   * /ledgers/{ledger_id}/batch_deletions`
   */
  create_batch_deletion(
    ledger_id: string,
    asked: {
      /** The friendly ids of the batches to delete, up to 10,000, such as `bat_…`. */
      batch_ids: string[];
      /** Why they are deleted; it stands in the task and in the audit log. */
      reason?: string | null;
    },
    options: Options = {},
  ): Promise<TaskHandle> {
    return this.caller.start<records.AsyncTask>(
      { method: "POST", path: "/ledgers/{ledger_id}/batch_deletions", body: { batch_ids: ["batch_ids", {  }], reason: ["reason", {  }] }, takesKey: true, answer: { r: ["AsyncTask"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }

  /**
   * Start undoing all that one batch posted; poll the task in the answer. `DELETE /batches/{batch_id}`
   */
  delete(
    batch_id: string,
    options: Options = {},
  ): Promise<TaskHandle> {
    return this.caller.start<records.AsyncTask>(
      { method: "DELETE", path: "/batches/{batch_id}", answer: { r: ["AsyncTask"] } },
      { "batch_id": batch_id },
      {},
      options,
    );
  }

  /** Read one batch with the first rows of its input data. `GET /batches/{batch_id}` */
  get(
    batch_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
    } = {},
    options: Options = {},
  ): Promise<records.Batch> {
    return this.caller.call<records.Batch>(
      { method: "GET", path: "/batches/{batch_id}", query: {"as_of": "as_of"}, answer: { r: ["Batch"] } },
      { "batch_id": batch_id },
      asked,
      options,
    );
  }

  /**
   * Show how a batch came about: every node's equation and value, down to the measurements. `GET
   * /batches/{batch_id}/lineage`
   */
  get_lineage(
    batch_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
    } = {},
    options: Options = {},
  ): Promise<records.Lineage> {
    return this.caller.call<records.Lineage>(
      { method: "GET", path: "/batches/{batch_id}/lineage", query: {"as_of": "as_of"}, answer: { r: ["Lineage"] } },
      { "batch_id": batch_id },
      asked,
      options,
    );
  }

  /** List the batches of all the account's ledgers. `GET /batches` */
  list(
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is start_time, or what the cursor was written for. By end_time, updated_at, tracking_id, state,
       * or by several, at most 10,000 records are sorted. With filter[created_at], by another than
       * created_at, as many.
       */
      sort?: string | readonly string[];
      /** Only records whose id is the value given: an id bat_…. */
      id?: string;
      /** Only records whose friendly_id is the value given: an id bat_…. */
      friendly_id?: string;
      /** Only records whose tracking_id is the value given: a tracking id. */
      tracking_id?: string;
      /** Only records whose start_time is the value given: a time with an offset or Z. */
      start_time?: string;
      /** Only records whose start_time is at or after the value given: a time with an offset or Z. */
      start_time_geq?: string;
      /** Only records whose start_time is at or before the value given: a time with an offset or Z. */
      start_time_leq?: string;
      /** Only records whose end_time is the value given: a time with an offset or Z. */
      end_time?: string;
      /** Only records whose end_time is at or after the value given: a time with an offset or Z. */
      end_time_geq?: string;
      /** Only records whose end_time is at or before the value given: a time with an offset or Z. */
      end_time_leq?: string;
      /** Only records whose created_at is the value given: a time with an offset or Z. */
      created_at?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
      /**
       * Only records whose model_run_id is the value given: an id mr_…, for all batches of its run.
       */
      model_run_id?: string;
      /** Only records whose is_stale is the value given: true or false. */
      is_stale?: "true" | "false";
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      project_id?: string;
      /** Only records whose ledger_id is the value given: an id lgr_…. */
      ledger_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Batch> {
    return this.caller.list<records.Batch>(
      { method: "GET", path: "/batches", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "id": "filter[id][eq]", "friendly_id": "filter[friendly_id][eq]", "tracking_id": "filter[tracking_id][eq]", "start_time": "filter[start_time][eq]", "start_time_geq": "filter[start_time][geq]", "start_time_leq": "filter[start_time][leq]", "end_time": "filter[end_time][eq]", "end_time_geq": "filter[end_time][geq]", "end_time_leq": "filter[end_time][leq]", "created_at": "filter[created_at][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]", "model_run_id": "filter[model_run_id][eq]", "is_stale": "filter[is_stale][eq]", "project_id": "filter[project_id][eq]", "ledger_id": "filter[ledger_id][eq]"}, answer: { r: ["PageOfBatch"] } },
      {},
      asked,
      options,
    );
  }

  /** List every value that a batch was made of, page by page. `GET /batches/{batch_id}/input_data` */
  list_input_data(
    batch_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
    } = {},
    options: Options = {},
  ): Listing<records.InputRow> {
    return this.caller.list<records.InputRow>(
      { method: "GET", path: "/batches/{batch_id}/input_data", query: {"as_of": "as_of", "page": "page", "page_size": "page_size"}, answer: { r: ["InputDataPage"] } },
      { "batch_id": batch_id },
      asked,
      options,
    );
  }

  /** List the batches of one ledger. `GET /ledgers/{ledger_id}/batches` */
  list_of_ledger(
    ledger_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is start_time, or what the cursor was written for. By end_time, created_at, updated_at,
       * tracking_id, or by several, at most 10,000 records are sorted.
       */
      sort?: string | readonly string[];
      /** Only records whose id is the value given: an id bat_…. */
      id?: string;
      /** Only records whose friendly_id is the value given: an id bat_…. */
      friendly_id?: string;
      /** Only records whose tracking_id is the value given: a tracking id. */
      tracking_id?: string;
      /** Only records whose start_time is the value given: a time with an offset or Z. */
      start_time?: string;
      /** Only records whose start_time is at or after the value given: a time with an offset or Z. */
      start_time_geq?: string;
      /** Only records whose start_time is at or before the value given: a time with an offset or Z. */
      start_time_leq?: string;
      /** Only records whose end_time is the value given: a time with an offset or Z. */
      end_time?: string;
      /** Only records whose end_time is at or after the value given: a time with an offset or Z. */
      end_time_geq?: string;
      /** Only records whose end_time is at or before the value given: a time with an offset or Z. */
      end_time_leq?: string;
      /** Only records whose created_at is the value given: a time with an offset or Z. */
      created_at?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
      /**
       * Only records whose model_run_id is the value given: an id mr_…, for all batches of its run.
       */
      model_run_id?: string;
      /** Only records whose is_stale is the value given: true or false. */
      is_stale?: "true" | "false";
    } = {},
    options: Options = {},
  ): Listing<records.Batch> {
    return this.caller.list<records.Batch>(
      { method: "GET", path: "/ledgers/{ledger_id}/batches", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "id": "filter[id][eq]", "friendly_id": "filter[friendly_id][eq]", "tracking_id": "filter[tracking_id][eq]", "start_time": "filter[start_time][eq]", "start_time_geq": "filter[start_time][geq]", "start_time_leq": "filter[start_time][leq]", "end_time": "filter[end_time][eq]", "end_time_geq": "filter[end_time][geq]", "end_time_leq": "filter[end_time][leq]", "created_at": "filter[created_at][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]", "model_run_id": "filter[model_run_id][eq]", "is_stale": "filter[is_stale][eq]"}, answer: { r: ["PageOfBatch"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }

  /** List the batches of all the project's ledgers. `GET /projects/{project_id}/batches` */
  list_of_project(
    project_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is start_time, or what the cursor was written for. By end_time, updated_at, tracking_id, state,
       * or by several, at most 10,000 records are sorted. With filter[created_at], by another than
       * created_at, as many.
       */
      sort?: string | readonly string[];
      /** Only records whose id is the value given: an id bat_…. */
      id?: string;
      /** Only records whose friendly_id is the value given: an id bat_…. */
      friendly_id?: string;
      /** Only records whose tracking_id is the value given: a tracking id. */
      tracking_id?: string;
      /** Only records whose start_time is the value given: a time with an offset or Z. */
      start_time?: string;
      /** Only records whose start_time is at or after the value given: a time with an offset or Z. */
      start_time_geq?: string;
      /** Only records whose start_time is at or before the value given: a time with an offset or Z. */
      start_time_leq?: string;
      /** Only records whose end_time is the value given: a time with an offset or Z. */
      end_time?: string;
      /** Only records whose end_time is at or after the value given: a time with an offset or Z. */
      end_time_geq?: string;
      /** Only records whose end_time is at or before the value given: a time with an offset or Z. */
      end_time_leq?: string;
      /** Only records whose created_at is the value given: a time with an offset or Z. */
      created_at?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
      /**
       * Only records whose model_run_id is the value given: an id mr_…, for all batches of its run.
       */
      model_run_id?: string;
      /** Only records whose is_stale is the value given: true or false. */
      is_stale?: "true" | "false";
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      filter_project_id?: string;
      /** Only records whose ledger_id is the value given: an id lgr_…. */
      ledger_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Batch> {
    return this.caller.list<records.Batch>(
      { method: "GET", path: "/projects/{project_id}/batches", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "id": "filter[id][eq]", "friendly_id": "filter[friendly_id][eq]", "tracking_id": "filter[tracking_id][eq]", "start_time": "filter[start_time][eq]", "start_time_geq": "filter[start_time][geq]", "start_time_leq": "filter[start_time][leq]", "end_time": "filter[end_time][eq]", "end_time_geq": "filter[end_time][geq]", "end_time_leq": "filter[end_time][leq]", "created_at": "filter[created_at][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]", "model_run_id": "filter[model_run_id][eq]", "is_stale": "filter[is_stale][eq]", "filter_project_id": "filter[project_id][eq]", "ledger_id": "filter[ledger_id][eq]"}, answer: { r: ["PageOfBatch"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Start computing a batch again with other inputs; `processing` until the task in `Location` ends.
   * `PATCH /ledgers/{ledger_id}/batches/{batch_id}/update_inputs`
   */
  update_inputs(
    ledger_id: string,
    batch_id: string,
    asked: {
      /** The complete set of data of the batch, for the inputs that it touches. */
      data_point_ids?: string[] | null;
      /** What the batch's run draws from other batches by hand. */
      batch_amounts?: records.BatchAmount[] | null;
      /** Types whose data are set aside in the batch's slot. */
      skipped_data_point_type_ids?: number[] | null;
    } = {},
    options: Options = {},
  ): Promise<records.UpdatedBatch> {
    return this.caller.call<records.UpdatedBatch>(
      { method: "PATCH", path: "/ledgers/{ledger_id}/batches/{batch_id}/update_inputs", body: { data_point_ids: ["data_point_ids", {  }], batch_amounts: ["batch_amounts", { l: { r: ["BatchAmount"] } }], skipped_data_point_type_ids: ["skipped_data_point_type_ids", { l: { n: "integer" } }] }, takesKey: true, answer: { r: ["UpdatedBatch"] } },
      { "ledger_id": ledger_id, "batch_id": batch_id },
      asked,
      options,
    );
  }
}

/** Operations on calibrations. */
export class CalibrationsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Enter the calibration of a meter: how well its readings are known while the certificate holds. `POST
   * /projects/{project_id}/calibrations`
   */
  create(
    project_id: string,
    asked: {
      /** What people call it, such as the number of the certificate: `D-K-15204-01`. */
      name: string;
      /** The friendly id of the event type of the readings. */
      event_type_id: string;
      /** The slug of the data point type that the meter measures, such as `wet_mass`. */
      data_point_type: string;
      /** From which start of a reading on it holds, inclusive. */
      valid_from: string;
      /**
       * How well the readings are known. It is one effect: an error that all readings of the meter
       * share while the calibration holds; where it names an `effect`, they share it with all that name
       * it.
       */
      uncertainty: records.StatedUncertainty;
      /** The friendly id of the meter; null for readings of events that name no asset. */
      asset_id?: string | null;
      /** Until when it holds, exclusive; null where the certificate names no end. */
      valid_until?: string | null;
      /**
       * The error that the calibration found before anything was adjusted, reading minus reference;
       * null when not said. It says nothing of the uncertainty.
       */
      as_found?: Decimal | null;
      /** The error that it left behind; null when not said. */
      as_left?: Decimal | null;
      /**
       * The unit of both errors, such as `%` of a span; null when it is that of the data point type.
       */
      error_unit?: string | null;
      /**
       * The number of the file or link that is the certificate, attached to an event of the project;
       * null without one.
       */
      evidence_id?: number | null;
      /** What people write about it; null when there is nothing. */
      notes?: string | null;
    },
    options: Options = {},
  ): Promise<records.Calibration> {
    return this.caller.call<records.Calibration>(
      { method: "POST", path: "/projects/{project_id}/calibrations", body: { name: ["name", {  }], event_type_id: ["event_type_id", {  }], data_point_type: ["data_point_type", {  }], valid_from: ["valid_from", {  }], uncertainty: ["uncertainty", { r: ["StatedUncertainty"] }], asset_id: ["asset_id", {  }], valid_until: ["valid_until", {  }], as_found: ["as_found", { n: "number" }], as_left: ["as_left", { n: "number" }], error_unit: ["error_unit", {  }], evidence_id: ["evidence_id", { n: "integer" }], notes: ["notes", {  }] }, wrapper: "calibration", takesKey: true, answer: { r: ["Calibration"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Remove a calibration that was entered by mistake; batches made of its readings become stale. `DELETE
   * /projects/{project_id}/calibrations/{calibration_id}`
   */
  delete(
    project_id: string,
    calibration_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/projects/{project_id}/calibrations/{calibration_id}", answer: "void" },
      { "project_id": project_id, "calibration_id": calibration_id },
      {},
      options,
    );
  }

  /** Read one calibration. `GET /projects/{project_id}/calibrations/{calibration_id}` */
  get(
    project_id: string,
    calibration_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
    } = {},
    options: Options = {},
  ): Promise<records.Calibration> {
    return this.caller.call<records.Calibration>(
      { method: "GET", path: "/projects/{project_id}/calibrations/{calibration_id}", query: {"as_of": "as_of"}, answer: { r: ["Calibration"] } },
      { "project_id": project_id, "calibration_id": calibration_id },
      asked,
      options,
    );
  }

  /**
   * List a project's calibrations: how well its meters measure, from when until when. `GET
   * /projects/{project_id}/calibrations`
   */
  list(
    project_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose asset_id is the value given: an id ast_…. */
      asset_id?: string;
      /** Only records whose event_type_id is the value given: an id et_…. */
      event_type_id?: string;
      /** Only records whose data_point_type is the value given: the slug of a data point type. */
      data_point_type?: string;
      /** Only records whose valid_from is at or after the value given: a time with an offset or Z. */
      valid_from_geq?: string;
      /** Only records whose valid_from is at or before the value given: a time with an offset or Z. */
      valid_from_leq?: string;
      /** Only records whose valid_until is at or after the value given: a time with an offset or Z. */
      valid_until_geq?: string;
      /**
       * Only records whose valid_until is at or before the value given: a time with an offset or Z.
       */
      valid_until_leq?: string;
      /** Only records whose in_force_at is the value given: a time with an offset or Z. */
      in_force_at?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Calibration> {
    return this.caller.list<records.Calibration>(
      { method: "GET", path: "/projects/{project_id}/calibrations", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "asset_id": "filter[asset_id][eq]", "event_type_id": "filter[event_type_id][eq]", "data_point_type": "filter[data_point_type][eq]", "valid_from_geq": "filter[valid_from][geq]", "valid_from_leq": "filter[valid_from][leq]", "valid_until_geq": "filter[valid_until][geq]", "valid_until_leq": "filter[valid_until][leq]", "in_force_at": "filter[in_force_at][eq]"}, answer: { r: ["PageOfCalibration"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Change a calibration, for example until when it holds; `uncertainty` is replaced as a whole. `PATCH
   * /projects/{project_id}/calibrations/{calibration_id}`
   */
  update(
    project_id: string,
    calibration_id: string,
    asked: {
      /** What people call it, such as the number of the certificate: `D-K-15204-01`. */
      name?: string;
      /** The friendly id of the event type of the readings. */
      event_type_id?: string;
      /** The slug of the data point type that the meter measures, such as `wet_mass`. */
      data_point_type?: string;
      /** From which start of a reading on it holds, inclusive. */
      valid_from?: string;
      /**
       * How well the readings are known. It is one effect: an error that all readings of the meter
       * share while the calibration holds; where it names an `effect`, they share it with all that name
       * it.
       */
      uncertainty?: records.StatedUncertainty;
      /** The friendly id of the meter; null for readings of events that name no asset. */
      asset_id?: string | null;
      /** Until when it holds, exclusive; null where the certificate names no end. */
      valid_until?: string | null;
      /**
       * The error that the calibration found before anything was adjusted, reading minus reference;
       * null when not said. It says nothing of the uncertainty.
       */
      as_found?: Decimal | null;
      /** The error that it left behind; null when not said. */
      as_left?: Decimal | null;
      /**
       * The unit of both errors, such as `%` of a span; null when it is that of the data point type.
       */
      error_unit?: string | null;
      /**
       * The number of the file or link that is the certificate, attached to an event of the project;
       * null without one.
       */
      evidence_id?: number | null;
      /** What people write about it; null when there is nothing. */
      notes?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.Calibration> {
    return this.caller.call<records.Calibration>(
      { method: "PATCH", path: "/projects/{project_id}/calibrations/{calibration_id}", body: { name: ["name", {  }], event_type_id: ["event_type_id", {  }], data_point_type: ["data_point_type", {  }], valid_from: ["valid_from", {  }], uncertainty: ["uncertainty", { r: ["StatedUncertainty"] }], asset_id: ["asset_id", {  }], valid_until: ["valid_until", {  }], as_found: ["as_found", { n: "number" }], as_left: ["as_left", { n: "number" }], error_unit: ["error_unit", {  }], evidence_id: ["evidence_id", { n: "integer" }], notes: ["notes", {  }] }, wrapper: "calibration", takesKey: true, answer: { r: ["Calibration"] } },
      { "project_id": project_id, "calibration_id": calibration_id },
      asked,
      options,
    );
  }
}

/** Operations on capture rates. */
export class CaptureRatesOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Read how much of what an event type's meters were expected to measure is valid. `GET
   * /projects/{project_id}/event_types/{event_type_id}/capture_rate`
   */
  get(
    project_id: string,
    event_type_id: string,
    asked: {
      /** The moment at which the range begins: slots that begin earlier are not in it. */
      start_time: string;
      /** The moment at which it ends: slots that begin then or later are not in it. */
      end_time: string;
      /** How the range is cut in the project's time zone: `day`, `month` or `quarter`. */
      period: string;
    },
    options: Options = {},
  ): Promise<records.CaptureRate> {
    return this.caller.call<records.CaptureRate>(
      { method: "GET", path: "/projects/{project_id}/event_types/{event_type_id}/capture_rate", query: {"start_time": "start_time", "end_time": "end_time", "period": "period"}, answer: { r: ["CaptureRate"] } },
      { "project_id": project_id, "event_type_id": event_type_id },
      asked,
      options,
    );
  }
}

/** Operations on changes. */
export class ChangesOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Issue a ticket, which opens the stream of changes in place of the token until it expires. `POST
   * /changes/issue_ticket`
   */
  issue_ticket(
    asked: {
      /**
       * For how many seconds the ticket opens a stream, and a stream that it opened goes on: 1 to
       * 3,600.
       */
      expires_in_seconds?: number;
    } = {},
    options: Options = {},
  ): Promise<records.IssuedTicket> {
    return this.caller.call<records.IssuedTicket>(
      { method: "POST", path: "/changes/issue_ticket", body: { expires_in_seconds: ["expires_in_seconds", { n: "integer" }] }, takesKey: true, answer: { r: ["IssuedTicket"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Follow what changes: events, corrections, batches, tasks, rule results, reports and footprints, in
   * one order. `GET /changes`
   */
  list(
    asked: {
      /**
       * The `cursor` of a change or of the page before: what comes behind it. Without it the feed
       * begins with the oldest change that is kept; `latest` gives the cursor for what comes from now
       * on.
       */
      after?: string;
      /**
       * Only changes of these kinds, separated by commas: event, correction, batch, async_task,
       * rule_result, report, ledger, footprint.
       */
      kind?: string;
      /** Only changes in this project, by its id prj_… or its number. */
      project_id?: string;
      /** How many changes an answer holds at most, 1 to 1,000; by default 200. */
      page_size?: string;
      /** How many seconds to wait until there is something to answer, 0 to 30; 0 is not at all. */
      wait?: string;
      /**
       * In place of a token, for a stream alone: a ticket of POST /changes/issue_ticket, as
       * `EventSource` of a browser needs it.
       */
      ticket?: string;
    } = {},
    options: Options = {},
  ): Promise<records.ChangePage> {
    return this.caller.call<records.ChangePage>(
      { method: "GET", path: "/changes", query: {"after": "after", "kind": "kind", "project_id": "project_id", "page_size": "page_size", "wait": "wait", "ticket": "ticket"}, answer: { r: ["ChangePage"] } },
      {},
      asked,
      options,
    );
  }
}

/** Operations on data feed uploads. */
export class DataFeedUploadsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Upload a file to a data feed: a task stores each of its rows as an event. `POST
   * /projects/{project_id}/data_feeds/{data_feed_id}/uploads`
   */
  create_upload(
    project_id: string,
    data_feed_id: string,
    asked: {
      /** The number of an upload of the same feed, whose file is taken once more. */
      of_upload: number;
      /** Whether everything is done as in earnest and then undone. */
      dry_run?: boolean;
      /**
       * What becomes of events that differ from their rows, this time only; null as the data feed says.
       */
      on_difference?: "report" | "correct" | null;
      /** Rows that are read in place of those of the file; its other rows are read as they are. */
      rows?: records.CorrectedRow[] | null;
    },
    options: Options = {},
  ): Promise<records.DataFeedUpload> {
    return this.caller.call<records.DataFeedUpload>(
      { method: "POST", path: "/projects/{project_id}/data_feeds/{data_feed_id}/uploads", body: { of_upload: ["of_upload", { n: "integer" }], dry_run: ["dry_run", {  }], on_difference: ["on_difference", {  }], rows: ["rows", { l: { r: ["CorrectedRow"] } }] }, wrapper: "upload", takesKey: true, answer: { r: ["DataFeedUpload"] } },
      { "project_id": project_id, "data_feed_id": data_feed_id },
      asked,
      options,
    );
  }

  /**
   * Download every bad row of an upload as CSV: its number, the column, the value and the reason. `GET
   * /projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}/bad_rows.csv`
   */
  download_bad_rows(
    project_id: string,
    data_feed_id: string,
    upload_id: string,
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}/bad_rows.csv", answer: "string" },
      { "project_id": project_id, "data_feed_id": data_feed_id, "upload_id": upload_id },
      {},
      options,
    );
  }

  /**
   * Read the first bad rows of an upload with their cells, as they stand in the file. `GET
   * /projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}/invalid_rows`
   */
  get_invalid_rows(
    project_id: string,
    data_feed_id: string,
    upload_id: string,
    options: Options = {},
  ): Promise<records.InvalidRows> {
    return this.caller.call<records.InvalidRows>(
      { method: "GET", path: "/projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}/invalid_rows", answer: { r: ["InvalidRows"] } },
      { "project_id": project_id, "data_feed_id": data_feed_id, "upload_id": upload_id },
      {},
      options,
    );
  }

  /**
   * Read one upload: how far it is, and what it came to. `GET
   * /projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}`
   */
  get_upload(
    project_id: string,
    data_feed_id: string,
    upload_id: string,
    options: Options = {},
  ): Promise<records.DataFeedUpload> {
    return this.caller.call<records.DataFeedUpload>(
      { method: "GET", path: "/projects/{project_id}/data_feeds/{data_feed_id}/uploads/{upload_id}", answer: { r: ["DataFeedUpload"] } },
      { "project_id": project_id, "data_feed_id": data_feed_id, "upload_id": upload_id },
      {},
      options,
    );
  }

  /**
   * List the uploads of a data feed, the newest first. `GET
   * /projects/{project_id}/data_feeds/{data_feed_id}/uploads`
   */
  list_uploads(
    project_id: string,
    data_feed_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose file_name is the value given: the name of a file. */
      file_name?: string;
    } = {},
    options: Options = {},
  ): Listing<records.DataFeedUpload> {
    return this.caller.list<records.DataFeedUpload>(
      { method: "GET", path: "/projects/{project_id}/data_feeds/{data_feed_id}/uploads", query: {"page": "page", "page_size": "page_size", "sort": "sort", "file_name": "filter[file_name][eq]"}, answer: { r: ["PageOfDataFeedUpload"] } },
      { "project_id": project_id, "data_feed_id": data_feed_id },
      asked,
      options,
    );
  }
}

/** Operations on data feeds. */
export class DataFeedsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Say how the files of one source are read, once for all of them. `POST
   * /projects/{project_id}/data_feeds`
   */
  create(
    project_id: string,
    asked: {
      /** What people call it, once in its project. */
      name: string;
      /** The friendly id of the event type of all its events. */
      event_type_id: string;
      /** What columns give; one that is not named here gives what its name says. */
      columns?: records.FeedColumn[];
      /** What becomes of columns that are not named here and whose names say nothing. */
      other_columns?: "refuse" | "leave_out";
      /** The zone of times without an offset, such as `Europe/Istanbul`; null refuses such times. */
      time_zone?: string | null;
      /**
       * The form of times that are not in ISO 8601, such as `%d.%m.%Y %H:%M`, or `epoch_seconds`,
       * `epoch_milliseconds`, `epoch_microseconds`, `epoch_nanoseconds`, `excel_serial`,
       * `excel_serial_1904`.
       */
      time_format?: string | null;
      /** Each row is later than the one before it, which tells apart local times that come twice. */
      rows_in_order?: boolean;
      /**
       * Each file begins after what was stored of the files before it, which tells apart such times
       * too.
       */
      files_in_order?: boolean;
      /**
       * How long each event is: `30s`, `15m`, `1h` or `1d`; null makes readings, unless a column gives
       * ends.
       */
      duration?: string | null;
      /** What stands before the decimals of numbers that are texts. */
      decimal_mark?: "." | ",";
      /** What may stand between groups of digits: `.`, `,`, `space`, `'` or `none`. */
      thousands_separator?: "none" | "." | "," | "space" | "'";
      /**
       * What a value such as `<0.05` is: `limit`, `half`, `zero`, or `refuse`; its column then has a
       * `flag`.
       */
      below_limit?: "refuse" | "limit" | "half" | "zero";
      /** What a value such as `>1000` is: `limit` or `refuse`. */
      above_limit?: "refuse" | "limit";
      /** The encoding of CSV files, such as `utf-8` or `windows-1252`. */
      encoding?: string;
      /** The character between the cells of CSV files. */
      delimiter?: string;
      /**
       * The line that names the columns; what stands before it is passed over. 0 looks for it among the
       * first 50 lines: it has every column that `columns` names.
       */
      header_line?: number;
      /** Whether the first line below the header holds the units of the columns. */
      units_line?: boolean;
      /** The sheet of a workbook, or a pattern of several, such as `*`; null is its first one. */
      sheet?: string | null;
      /**
       * The files of a ZIP archive that are read, as a pattern, such as `*.csv`; null is all of them.
       */
      archive_files?: string | null;
      /**
       * Patterns of rows that are no data, such as `Total*`, by the first cell that holds anything.
       */
      skip_rows?: string[];
      /**
       * Of a long file, the column that says what a row is a value of; `columns` then names tags too.
       */
      tag_column?: string | null;
      /** Of a long file, the column of the values. */
      value_column?: string | null;
      /** Texts that say, as an empty cell does, that there is no value. */
      missing?: string[];
      /** What becomes of cells that hold a formula, which is never computed. */
      formulas?: "refuse" | "take_stored";
      /** The locations of every event. */
      location_ids?: string[];
      /** The feedstock of events whose rows name none. */
      feedstock_id?: string | null;
      /** The asset of events whose rows name none. */
      asset_id?: string | null;
      /** What the client references of events are made of: `row`, `time` or `column`. */
      client_reference?: "row" | "time" | "column";
      /**
       * Whether a bad row, or one that differs from its event, refuses the file, or is left out of it.
       */
      bad_rows?: "refuse_file" | "skip";
      /**
       * Whether an event that the project has with other values than its row is told of, or corrected.
       */
      on_difference?: "report" | "correct";
      /**
       * A folder (`/srv/drop/plant`) or a prefix in an object store (`s3://bucket/a`) to take files
       * from.
       */
      watch?: string | null;
    },
    options: Options = {},
  ): Promise<records.DataFeed> {
    return this.caller.call<records.DataFeed>(
      { method: "POST", path: "/projects/{project_id}/data_feeds", body: { name: ["name", {  }], event_type_id: ["event_type_id", {  }], columns: ["columns", { l: { r: ["FeedColumn"] } }], other_columns: ["other_columns", {  }], time_zone: ["time_zone", {  }], time_format: ["time_format", {  }], rows_in_order: ["rows_in_order", {  }], files_in_order: ["files_in_order", {  }], duration: ["duration", {  }], decimal_mark: ["decimal_mark", {  }], thousands_separator: ["thousands_separator", {  }], below_limit: ["below_limit", {  }], above_limit: ["above_limit", {  }], encoding: ["encoding", {  }], delimiter: ["delimiter", {  }], header_line: ["header_line", { n: "integer" }], units_line: ["units_line", {  }], sheet: ["sheet", {  }], archive_files: ["archive_files", {  }], skip_rows: ["skip_rows", {  }], tag_column: ["tag_column", {  }], value_column: ["value_column", {  }], missing: ["missing", {  }], formulas: ["formulas", {  }], location_ids: ["location_ids", {  }], feedstock_id: ["feedstock_id", {  }], asset_id: ["asset_id", {  }], client_reference: ["client_reference", {  }], bad_rows: ["bad_rows", {  }], on_difference: ["on_difference", {  }], watch: ["watch", {  }] }, wrapper: "data_feed", takesKey: true, answer: { r: ["DataFeed"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Remove a data feed to which no file was ever uploaded. `DELETE
   * /projects/{project_id}/data_feeds/{data_feed_id}`
   */
  delete(
    project_id: string,
    data_feed_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/projects/{project_id}/data_feeds/{data_feed_id}", answer: "void" },
      { "project_id": project_id, "data_feed_id": data_feed_id },
      {},
      options,
    );
  }

  /** Read one data feed. `GET /projects/{project_id}/data_feeds/{data_feed_id}` */
  get(
    project_id: string,
    data_feed_id: string,
    options: Options = {},
  ): Promise<records.DataFeed> {
    return this.caller.call<records.DataFeed>(
      { method: "GET", path: "/projects/{project_id}/data_feeds/{data_feed_id}", answer: { r: ["DataFeed"] } },
      { "project_id": project_id, "data_feed_id": data_feed_id },
      {},
      options,
    );
  }

  /** List a project's data feeds. `GET /projects/{project_id}/data_feeds` */
  list(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
    } = {},
    options: Options = {},
  ): Listing<records.DataFeed> {
    return this.caller.list<records.DataFeed>(
      { method: "GET", path: "/projects/{project_id}/data_feeds", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]"}, answer: { r: ["PageOfDataFeed"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Suggest what the columns of a header give to events of a type, and in which units they are. `POST
   * /projects/{project_id}/data_feed_suggestions`
   */
  suggest_columns(
    project_id: string,
    asked: {
      /** The friendly id of the event type: et_ and 24 hexadecimal digits. */
      event_type_id: string;
      /** The names of the columns, as they stand in the first line of a file. */
      header: string[];
    },
    options: Options = {},
  ): Promise<records.SuggestedColumns> {
    return this.caller.call<records.SuggestedColumns>(
      { method: "POST", path: "/projects/{project_id}/data_feed_suggestions", body: { event_type_id: ["event_type_id", {  }], header: ["header", {  }] }, takesKey: true, answer: { r: ["SuggestedColumns"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Change how files are read from now on; what was stored stays as it is. `PATCH
   * /projects/{project_id}/data_feeds/{data_feed_id}`
   */
  update(
    project_id: string,
    data_feed_id: string,
    asked: {
      /** What people call it, once in its project. */
      name?: string;
      /** The friendly id of the event type of all its events. */
      event_type_id?: string;
      /** What columns give; one that is not named here gives what its name says. */
      columns?: records.FeedColumn[];
      /** What becomes of columns that are not named here and whose names say nothing. */
      other_columns?: "refuse" | "leave_out";
      /** The zone of times without an offset, such as `Europe/Istanbul`; null refuses such times. */
      time_zone?: string | null;
      /**
       * The form of times that are not in ISO 8601, such as `%d.%m.%Y %H:%M`, or `epoch_seconds`,
       * `epoch_milliseconds`, `epoch_microseconds`, `epoch_nanoseconds`, `excel_serial`,
       * `excel_serial_1904`.
       */
      time_format?: string | null;
      /** Each row is later than the one before it, which tells apart local times that come twice. */
      rows_in_order?: boolean;
      /**
       * Each file begins after what was stored of the files before it, which tells apart such times
       * too.
       */
      files_in_order?: boolean;
      /**
       * How long each event is: `30s`, `15m`, `1h` or `1d`; null makes readings, unless a column gives
       * ends.
       */
      duration?: string | null;
      /** What stands before the decimals of numbers that are texts. */
      decimal_mark?: "." | ",";
      /** What may stand between groups of digits: `.`, `,`, `space`, `'` or `none`. */
      thousands_separator?: "none" | "." | "," | "space" | "'";
      /**
       * What a value such as `<0.05` is: `limit`, `half`, `zero`, or `refuse`; its column then has a
       * `flag`.
       */
      below_limit?: "refuse" | "limit" | "half" | "zero";
      /** What a value such as `>1000` is: `limit` or `refuse`. */
      above_limit?: "refuse" | "limit";
      /** The encoding of CSV files, such as `utf-8` or `windows-1252`. */
      encoding?: string;
      /** The character between the cells of CSV files. */
      delimiter?: string;
      /**
       * The line that names the columns; what stands before it is passed over. 0 looks for it among the
       * first 50 lines: it has every column that `columns` names.
       */
      header_line?: number;
      /** Whether the first line below the header holds the units of the columns. */
      units_line?: boolean;
      /** The sheet of a workbook, or a pattern of several, such as `*`; null is its first one. */
      sheet?: string | null;
      /**
       * The files of a ZIP archive that are read, as a pattern, such as `*.csv`; null is all of them.
       */
      archive_files?: string | null;
      /**
       * Patterns of rows that are no data, such as `Total*`, by the first cell that holds anything.
       */
      skip_rows?: string[];
      /**
       * Of a long file, the column that says what a row is a value of; `columns` then names tags too.
       */
      tag_column?: string | null;
      /** Of a long file, the column of the values. */
      value_column?: string | null;
      /** Texts that say, as an empty cell does, that there is no value. */
      missing?: string[];
      /** What becomes of cells that hold a formula, which is never computed. */
      formulas?: "refuse" | "take_stored";
      /** The locations of every event. */
      location_ids?: string[];
      /** The feedstock of events whose rows name none. */
      feedstock_id?: string | null;
      /** The asset of events whose rows name none. */
      asset_id?: string | null;
      /** What the client references of events are made of: `row`, `time` or `column`. */
      client_reference?: "row" | "time" | "column";
      /**
       * Whether a bad row, or one that differs from its event, refuses the file, or is left out of it.
       */
      bad_rows?: "refuse_file" | "skip";
      /**
       * Whether an event that the project has with other values than its row is told of, or corrected.
       */
      on_difference?: "report" | "correct";
      /**
       * A folder (`/srv/drop/plant`) or a prefix in an object store (`s3://bucket/a`) to take files
       * from.
       */
      watch?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.DataFeed> {
    return this.caller.call<records.DataFeed>(
      { method: "PATCH", path: "/projects/{project_id}/data_feeds/{data_feed_id}", body: { name: ["name", {  }], event_type_id: ["event_type_id", {  }], columns: ["columns", { l: { r: ["FeedColumn"] } }], other_columns: ["other_columns", {  }], time_zone: ["time_zone", {  }], time_format: ["time_format", {  }], rows_in_order: ["rows_in_order", {  }], files_in_order: ["files_in_order", {  }], duration: ["duration", {  }], decimal_mark: ["decimal_mark", {  }], thousands_separator: ["thousands_separator", {  }], below_limit: ["below_limit", {  }], above_limit: ["above_limit", {  }], encoding: ["encoding", {  }], delimiter: ["delimiter", {  }], header_line: ["header_line", { n: "integer" }], units_line: ["units_line", {  }], sheet: ["sheet", {  }], archive_files: ["archive_files", {  }], skip_rows: ["skip_rows", {  }], tag_column: ["tag_column", {  }], value_column: ["value_column", {  }], missing: ["missing", {  }], formulas: ["formulas", {  }], location_ids: ["location_ids", {  }], feedstock_id: ["feedstock_id", {  }], asset_id: ["asset_id", {  }], client_reference: ["client_reference", {  }], bad_rows: ["bad_rows", {  }], on_difference: ["on_difference", {  }], watch: ["watch", {  }] }, wrapper: "data_feed", takesKey: true, answer: { r: ["DataFeed"] } },
      { "project_id": project_id, "data_feed_id": data_feed_id },
      asked,
      options,
    );
  }
}

/** Operations on data points. */
export class DataPointsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Correct a data point: the new value counts from now on, the captured one stays beside it. `PATCH
   * /projects/{project_id}/data_points/{data_point_id}`
   */
  correct(
    project_id: string,
    data_point_id: string,
    asked: {
      /**
       * The value that is to count: a number in the unit of its type, a text, or true or false, as its
       * type says; left out, it stays.
       */
      value?: Num | string | boolean;
      /**
       * How well the value is known, in place of what its type states; null takes the statement away.
       */
      uncertainty?: records.StatedUncertainty | null;
      /** Why it is corrected, up to 1,000 characters; it stands with the correction. */
      reason?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.DataPoint> {
    return this.caller.call<records.DataPoint>(
      { method: "PATCH", path: "/projects/{project_id}/data_points/{data_point_id}", body: { value: ["value", {  }], uncertainty: ["uncertainty", { r: ["StatedUncertainty"] }], reason: ["reason", {  }] }, wrapper: "data_point", takesKey: true, answer: { r: ["DataPoint"] } },
      { "project_id": project_id, "data_point_id": data_point_id },
      asked,
      options,
    );
  }

  /**
   * Try, and change nothing: Correct a data point: the new value counts from now on, the captured one
   * stays beside it. `PATCH /projects/{project_id}/data_points/{data_point_id}`
   */
  correct_on_trial(
    project_id: string,
    data_point_id: string,
    asked: {
      /**
       * The value that is to count: a number in the unit of its type, a text, or true or false, as its
       * type says; left out, it stays.
       */
      value?: Num | string | boolean;
      /**
       * How well the value is known, in place of what its type states; null takes the statement away.
       */
      uncertainty?: records.StatedUncertainty | null;
      /** Why it is corrected, up to 1,000 characters; it stands with the correction. */
      reason?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.Impact> {
    return this.caller.call<records.Impact>(
      { method: "PATCH", path: "/projects/{project_id}/data_points/{data_point_id}", fixed: {"dry_run": "true"}, body: { value: ["value", {  }], uncertainty: ["uncertainty", { r: ["StatedUncertainty"] }], reason: ["reason", {  }] }, wrapper: "data_point", takesKey: true, answer: { r: ["Impact"] } },
      { "project_id": project_id, "data_point_id": data_point_id },
      asked,
      options,
    );
  }

  /**
   * Correct a data point of an event, as below its project. `PATCH
   * /projects/{project_id}/events/{event_id}/data_points/{data_point_id}`
   */
  correct_of_event(
    project_id: string,
    event_id: string,
    data_point_id: string,
    asked: {
      /**
       * The value that is to count: a number in the unit of its type, a text, or true or false, as its
       * type says; left out, it stays.
       */
      value?: Num | string | boolean;
      /**
       * How well the value is known, in place of what its type states; null takes the statement away.
       */
      uncertainty?: records.StatedUncertainty | null;
      /** Why it is corrected, up to 1,000 characters; it stands with the correction. */
      reason?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.DataPoint> {
    return this.caller.call<records.DataPoint>(
      { method: "PATCH", path: "/projects/{project_id}/events/{event_id}/data_points/{data_point_id}", body: { value: ["value", {  }], uncertainty: ["uncertainty", { r: ["StatedUncertainty"] }], reason: ["reason", {  }] }, wrapper: "data_point", takesKey: true, answer: { r: ["DataPoint"] } },
      { "project_id": project_id, "event_id": event_id, "data_point_id": data_point_id },
      asked,
      options,
    );
  }

  /**
   * Try, and change nothing: Correct a data point of an event, as below its project. `PATCH
   * /projects/{project_id}/events/{event_id}/data_points/{data_point_id}`
   */
  correct_of_event_on_trial(
    project_id: string,
    event_id: string,
    data_point_id: string,
    asked: {
      /**
       * The value that is to count: a number in the unit of its type, a text, or true or false, as its
       * type says; left out, it stays.
       */
      value?: Num | string | boolean;
      /**
       * How well the value is known, in place of what its type states; null takes the statement away.
       */
      uncertainty?: records.StatedUncertainty | null;
      /** Why it is corrected, up to 1,000 characters; it stands with the correction. */
      reason?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.Impact> {
    return this.caller.call<records.Impact>(
      { method: "PATCH", path: "/projects/{project_id}/events/{event_id}/data_points/{data_point_id}", fixed: {"dry_run": "true"}, body: { value: ["value", {  }], uncertainty: ["uncertainty", { r: ["StatedUncertainty"] }], reason: ["reason", {  }] }, wrapper: "data_point", takesKey: true, answer: { r: ["Impact"] } },
      { "project_id": project_id, "event_id": event_id, "data_point_id": data_point_id },
      asked,
      options,
    );
  }

  /**
   * Read one data point: a measured value of an event, or what an output of a model run came to. `GET
   * /projects/{project_id}/data_points/{data_point_id}`
   */
  get(
    project_id: string,
    data_point_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
    } = {},
    options: Options = {},
  ): Promise<records.DataPoint> {
    return this.caller.call<records.DataPoint>(
      { method: "GET", path: "/projects/{project_id}/data_points/{data_point_id}", query: {"as_of": "as_of"}, answer: { r: ["DataPoint"] } },
      { "project_id": project_id, "data_point_id": data_point_id },
      asked,
      options,
    );
  }

  /**
   * Read one data point of an event. `GET
   * /projects/{project_id}/events/{event_id}/data_points/{data_point_id}`
   */
  get_of_event(
    project_id: string,
    event_id: string,
    data_point_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
    } = {},
    options: Options = {},
  ): Promise<records.DataPoint> {
    return this.caller.call<records.DataPoint>(
      { method: "GET", path: "/projects/{project_id}/events/{event_id}/data_points/{data_point_id}", query: {"as_of": "as_of"}, answer: { r: ["DataPoint"] } },
      { "project_id": project_id, "event_id": event_id, "data_point_id": data_point_id },
      asked,
      options,
    );
  }

  /**
   * List the corrections of a data point, those that were reverted included. `GET
   * /projects/{project_id}/data_points/{data_point_id}/corrections`
   */
  list_corrections(
    project_id: string,
    data_point_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose source is the value given: manual, adjustment, substitution. */
      source?: "manual" | "adjustment" | "substitution";
      /** Only records whose state is the value given: in_force, superseded, reverted. */
      state?: "in_force" | "superseded" | "reverted";
    } = {},
    options: Options = {},
  ): Listing<records.Correction> {
    return this.caller.list<records.Correction>(
      { method: "GET", path: "/projects/{project_id}/data_points/{data_point_id}/corrections", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "source": "filter[source][eq]", "state": "filter[state][eq]"}, answer: { r: ["PageOfCorrection"] } },
      { "project_id": project_id, "data_point_id": data_point_id },
      asked,
      options,
    );
  }

  /** List a project's data points, in time order. `GET /projects/{project_id}/data_points` */
  list(
    project_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is start_time, or what the cursor was written for. By created_at, value, or by several, at most
       * 10,000 records are sorted. value needs filter[slug][eq] and filter[start_time][geq] and
       * filter[start_time][leq] or filter[end_time][leq].
       */
      sort?: string | readonly string[];
      /** Only records whose slug is the value given: the slug of a data point type. */
      slug?: string;
      /** Only records whose asset_id is the value given: an id ast_…. */
      asset_id?: string;
      /** Only records whose location_id holds the value given: an id loc_…. */
      location_id?: string;
      /** Only records whose start_time is at or after the value given: a time with an offset or Z. */
      start_time_geq?: string;
      /** Only records whose start_time is at or before the value given: a time with an offset or Z. */
      start_time_leq?: string;
      /** Only records whose end_time is at or after the value given: a time with an offset or Z. */
      end_time_geq?: string;
      /** Only records whose end_time is at or before the value given: a time with an offset or Z. */
      end_time_leq?: string;
      /** Stands for `filter[start_time][geq]`; give one of the two. */
      start_time?: string;
      /** Stands for `filter[end_time][leq]`; give one of the two. */
      end_time?: string;
    } = {},
    options: Options = {},
  ): Listing<records.DataPoint> {
    return this.caller.list<records.DataPoint>(
      { method: "GET", path: "/projects/{project_id}/data_points", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "slug": "filter[slug][eq]", "asset_id": "filter[asset_id][eq]", "location_id": "filter[location_id][eq]", "start_time_geq": "filter[start_time][geq]", "start_time_leq": "filter[start_time][leq]", "end_time_geq": "filter[end_time][geq]", "end_time_leq": "filter[end_time][leq]", "start_time": "start_time", "end_time": "end_time"}, answer: { r: ["PageOfDataPoint"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * List the corrections of an event: those of its data points, and those of its own times and tags. `GET
   * /projects/{project_id}/events/{event_id}/corrections`
   */
  list_event_corrections(
    project_id: string,
    event_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose source is the value given: manual, adjustment, substitution. */
      source?: "manual" | "adjustment" | "substitution";
      /** Only records whose state is the value given: in_force, superseded, reverted. */
      state?: "in_force" | "superseded" | "reverted";
    } = {},
    options: Options = {},
  ): Listing<records.Correction> {
    return this.caller.list<records.Correction>(
      { method: "GET", path: "/projects/{project_id}/events/{event_id}/corrections", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "source": "filter[source][eq]", "state": "filter[state][eq]"}, answer: { r: ["PageOfCorrection"] } },
      { "project_id": project_id, "event_id": event_id },
      asked,
      options,
    );
  }

  /**
   * List an event's data points, in the order of the event type's. `GET
   * /projects/{project_id}/events/{event_id}/data_points`
   */
  list_of_event(
    project_id: string,
    event_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose slug is the value given: the slug of a data point type. */
      slug?: string;
    } = {},
    options: Options = {},
  ): Listing<records.DataPoint> {
    return this.caller.list<records.DataPoint>(
      { method: "GET", path: "/projects/{project_id}/events/{event_id}/data_points", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "slug": "filter[slug][eq]"}, answer: { r: ["PageOfDataPoint"] } },
      { "project_id": project_id, "event_id": event_id },
      asked,
      options,
    );
  }

  /**
   * Restore the captured value and revert every correction of a data point. The body may be left out.
   * `POST /projects/{project_id}/data_points/{data_point_id}/revert`
   */
  revert(
    project_id: string,
    data_point_id: string,
    options: Options = {},
  ): Promise<records.DataPoint> {
    return this.caller.call<records.DataPoint>(
      { method: "POST", path: "/projects/{project_id}/data_points/{data_point_id}/revert", body: {  }, takesKey: true, answer: { r: ["DataPoint"] } },
      { "project_id": project_id, "data_point_id": data_point_id },
      {},
      options,
    );
  }
}

/** Operations on engagements. */
export class EngagementsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Answer a finding, as the operator. `POST
   * /reports/{report_id}/engagements/{engagement_id}/findings/{finding_id}/answer`
   */
  answer_engagement_finding(
    report_id: string,
    engagement_id: string,
    finding_id: string,
    asked: {
      /** What was done or found, in a sentence or more. */
      answer: string;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/engagements/{engagement_id}/findings/{finding_id}/answer", body: { answer: ["answer", {  }] }, takesKey: true, answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id, "finding_id": finding_id },
      asked,
      options,
    );
  }

  /**
   * Conclude an engagement with the signed opinion, by a link that may act as the verifier. `POST
   * /reports/{report_id}/by_link/engagements/{engagement_id}/conclude`
   */
  conclude_by_link(
    report_id: string,
    engagement_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
      /** The statement that the service proposed, unchanged. */
      statement: string;
      /** Its signature by `ssh-keygen -Y sign -n weighbridge-opinion`. */
      signature: string;
      /** The public key of the verifier: `ssh-ed25519 AAAA…`. */
      public_key: string;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/by_link/engagements/{engagement_id}/conclude", query: {"key": "key"}, body: { statement: ["statement", {  }], signature: ["signature", {  }], public_key: ["public_key", {  }] }, answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      asked,
      options,
    );
  }

  /**
   * Conclude an engagement with the signed opinion, which is then part of every bundle of the report.
   * `POST /reports/{report_id}/engagements/{engagement_id}/conclude`
   */
  conclude_with_opinion(
    report_id: string,
    engagement_id: string,
    asked: {
      /** The statement that the service proposed, unchanged. */
      statement: string;
      /** Its signature by `ssh-keygen -Y sign -n weighbridge-opinion`. */
      signature: string;
      /** The public key of the verifier: `ssh-ed25519 AAAA…`. */
      public_key: string;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/engagements/{engagement_id}/conclude", body: { statement: ["statement", {  }], signature: ["signature", {  }], public_key: ["public_key", {  }] }, takesKey: true, answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      asked,
      options,
    );
  }

  /**
   * Begin an engagement of a verifier on a report: scope, criteria, materiality, and what is sampled.
   * `POST /reports/{report_id}/engagements`
   */
  create(
    report_id: string,
    asked: {
      /** Who verifies, such as `Example Verification Ltd, accredited by ISO 14065`. */
      verifier: string;
      /** What is verified, such as `Carbon stored in the first quarter of 2025`. */
      scope: string;
      /** By which rules, such as `ISO 14064-2 and the methodology, version 2.1`. */
      criteria: string;
      /** The strata, 1 to 20, each of another event type. */
      strata: records.SampleStratum[];
      /** The level of assurance. */
      assurance?: "reasonable" | "limited";
      /** The threshold in percent of the total, above 0 to 100; this or an amount is required. */
      materiality_percent?: Decimal | null;
      /** The threshold as an amount above zero, in the unit of the report. */
      materiality_amount?: Decimal | null;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/engagements", body: { verifier: ["verifier", {  }], scope: ["scope", {  }], criteria: ["criteria", {  }], strata: ["strata", { l: { r: ["SampleStratum"] } }], assurance: ["assurance", {  }], materiality_percent: ["materiality_percent", { n: "number" }], materiality_amount: ["materiality_amount", { n: "number" }] }, wrapper: "engagement", takesKey: true, answer: { r: ["Engagement"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Begin an engagement on a report, by a link that may act as the verifier. `POST
   * /reports/{report_id}/by_link/engagements`
   */
  create_engagement_by_link(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
      /** Who verifies, such as `Example Verification Ltd, accredited by ISO 14065`. */
      verifier: string;
      /** What is verified, such as `Carbon stored in the first quarter of 2025`. */
      scope: string;
      /** By which rules, such as `ISO 14064-2 and the methodology, version 2.1`. */
      criteria: string;
      /** The strata, 1 to 20, each of another event type. */
      strata: records.SampleStratum[];
      /** The level of assurance. */
      assurance?: "reasonable" | "limited";
      /** The threshold in percent of the total, above 0 to 100; this or an amount is required. */
      materiality_percent?: Decimal | null;
      /** The threshold as an amount above zero, in the unit of the report. */
      materiality_amount?: Decimal | null;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/by_link/engagements", query: {"key": "key"}, body: { verifier: ["verifier", {  }], scope: ["scope", {  }], criteria: ["criteria", {  }], strata: ["strata", { l: { r: ["SampleStratum"] } }], assurance: ["assurance", {  }], materiality_percent: ["materiality_percent", { n: "number" }], materiality_amount: ["materiality_amount", { n: "number" }] }, wrapper: "engagement", answer: { r: ["Engagement"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Record a finding: an error or an omission with its amount, or a request. `POST
   * /reports/{report_id}/engagements/{engagement_id}/findings`
   */
  create_finding(
    report_id: string,
    engagement_id: string,
    asked: {
      /** An `error`, an `omission`, or a `request`. */
      kind: "error" | "omission" | "request";
      /** What was found, in a sentence or more. */
      text: string;
      /**
       * By how much it would change the total of the report; required, except for a request, which has
       * none.
       */
      amount?: Decimal | null;
      /** The record that it is about, such as `evt_…`. */
      event_id?: string | null;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/engagements/{engagement_id}/findings", body: { kind: ["kind", {  }], text: ["text", {  }], amount: ["amount", { n: "number" }], event_id: ["event_id", {  }] }, wrapper: "finding", takesKey: true, answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      asked,
      options,
    );
  }

  /**
   * Record a finding, by a link that may act as the verifier. `POST
   * /reports/{report_id}/by_link/engagements/{engagement_id}/findings`
   */
  create_finding_by_link(
    report_id: string,
    engagement_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
      /** An `error`, an `omission`, or a `request`. */
      kind: "error" | "omission" | "request";
      /** What was found, in a sentence or more. */
      text: string;
      /**
       * By how much it would change the total of the report; required, except for a request, which has
       * none.
       */
      amount?: Decimal | null;
      /** The record that it is about, such as `evt_…`. */
      event_id?: string | null;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/by_link/engagements/{engagement_id}/findings", query: {"key": "key"}, body: { kind: ["kind", {  }], text: ["text", {  }], amount: ["amount", { n: "number" }], event_id: ["event_id", {  }] }, wrapper: "finding", answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      asked,
      options,
    );
  }

  /**
   * Resolve, reopen or withdraw a finding, as the verifier. `POST
   * /reports/{report_id}/engagements/{engagement_id}/findings/{finding_id}/decide`
   */
  decide_engagement_finding(
    report_id: string,
    engagement_id: string,
    finding_id: string,
    asked: {
      /** What is decided: `resolve`, `reopen` or `withdraw`. */
      decision: "resolve" | "reopen" | "withdraw";
      /** Why, in a sentence that stays with the finding. */
      reason: string;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/engagements/{engagement_id}/findings/{finding_id}/decide", body: { decision: ["decision", {  }], reason: ["reason", {  }] }, takesKey: true, answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id, "finding_id": finding_id },
      asked,
      options,
    );
  }

  /**
   * Resolve, reopen or withdraw a finding, by a link that may act as the verifier. `POST
   * /reports/{report_id}/by_link/engagements/{engagement_id}/findings/{finding_id}/decide`
   */
  decide_finding_by_link(
    report_id: string,
    engagement_id: string,
    finding_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
      /** What is decided: `resolve`, `reopen` or `withdraw`. */
      decision: "resolve" | "reopen" | "withdraw";
      /** Why, in a sentence that stays with the finding. */
      reason: string;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/by_link/engagements/{engagement_id}/findings/{finding_id}/decide", query: {"key": "key"}, body: { decision: ["decision", {  }], reason: ["reason", {  }] }, answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id, "finding_id": finding_id },
      asked,
      options,
    );
  }

  /**
   * Draw the sample, once: the verifier's text completes the seed, which anybody can compute and follow.
   * `POST /reports/{report_id}/engagements/{engagement_id}/sample`
   */
  draw_engagement_sample(
    report_id: string,
    engagement_id: string,
    asked: {
      /** A text of the verifier, in one line, which the operator did not know before. */
      seed_text: string;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/engagements/{engagement_id}/sample", body: { seed_text: ["seed_text", {  }] }, takesKey: true, answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      asked,
      options,
    );
  }

  /**
   * Draw the sample of an engagement, by a link that may act as the verifier. `POST
   * /reports/{report_id}/by_link/engagements/{engagement_id}/sample`
   */
  draw_sample_by_link(
    report_id: string,
    engagement_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
      /** A text of the verifier, in one line, which the operator did not know before. */
      seed_text: string;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/by_link/engagements/{engagement_id}/sample", query: {"key": "key"}, body: { seed_text: ["seed_text", {  }] }, answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      asked,
      options,
    );
  }

  /**
   * Read one engagement, with the effect of its open findings on the total of the report. `GET
   * /reports/{report_id}/engagements/{engagement_id}`
   */
  get(
    report_id: string,
    engagement_id: string,
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "GET", path: "/reports/{report_id}/engagements/{engagement_id}", answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      {},
      options,
    );
  }

  /**
   * Read one engagement by a link to its report. `GET
   * /reports/{report_id}/by_link/engagements/{engagement_id}`
   */
  get_engagement_by_link(
    report_id: string,
    engagement_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "GET", path: "/reports/{report_id}/by_link/engagements/{engagement_id}", query: {"key": "key"}, answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      asked,
      options,
    );
  }

  /**
   * Read the sample: each record with readings, evidence, calibration, author, what it lacks and what
   * changed. `GET /reports/{report_id}/engagements/{engagement_id}/sample`
   */
  get_engagement_sample(
    report_id: string,
    engagement_id: string,
    options: Options = {},
  ): Promise<records.Sample> {
    return this.caller.call<records.Sample>(
      { method: "GET", path: "/reports/{report_id}/engagements/{engagement_id}/sample", answer: { r: ["Sample"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      {},
      options,
    );
  }

  /**
   * Read the sample of an engagement by a link to its report. `GET
   * /reports/{report_id}/by_link/engagements/{engagement_id}/sample`
   */
  get_sample_by_link(
    report_id: string,
    engagement_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
    },
    options: Options = {},
  ): Promise<records.Sample> {
    return this.caller.call<records.Sample>(
      { method: "GET", path: "/reports/{report_id}/by_link/engagements/{engagement_id}/sample", query: {"key": "key"}, answer: { r: ["Sample"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      asked,
      options,
    );
  }

  /**
   * List the engagements of verifiers on a report, with findings and opinions, the oldest first. `GET
   * /reports/{report_id}/engagements`
   */
  list(
    report_id: string,
    options: Options = {},
  ): Promise<records.Engagements> {
    return this.caller.call<records.Engagements>(
      { method: "GET", path: "/reports/{report_id}/engagements", answer: { r: ["Engagements"] } },
      { "report_id": report_id },
      {},
      options,
    );
  }

  /** List the engagements on a report by a link to it. `GET /reports/{report_id}/by_link/engagements` */
  list_engagements_by_link(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
    },
    options: Options = {},
  ): Promise<records.Engagements> {
    return this.caller.call<records.Engagements>(
      { method: "GET", path: "/reports/{report_id}/by_link/engagements", query: {"key": "key"}, answer: { r: ["Engagements"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Propose the statement of an opinion, for the verifier to sign; nothing is stored. `POST
   * /reports/{report_id}/engagements/{engagement_id}/statement`
   */
  propose_opinion(
    report_id: string,
    engagement_id: string,
    asked: {
      /** The kind of opinion: `unmodified`, `modified`, `adverse` or `disclaimer`. */
      conclusion: "unmodified" | "modified" | "adverse" | "disclaimer";
      /** The reasons, in the words of the verifier. */
      reasons: string;
    },
    options: Options = {},
  ): Promise<records.StatementToSign> {
    return this.caller.call<records.StatementToSign>(
      { method: "POST", path: "/reports/{report_id}/engagements/{engagement_id}/statement", body: { conclusion: ["conclusion", {  }], reasons: ["reasons", {  }] }, takesKey: true, answer: { r: ["StatementToSign"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      asked,
      options,
    );
  }

  /**
   * Propose the statement of an opinion, by a link that may act as the verifier; nothing is stored. `POST
   * /reports/{report_id}/by_link/engagements/{engagement_id}/statement`
   */
  propose_opinion_by_link(
    report_id: string,
    engagement_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
      /** The kind of opinion: `unmodified`, `modified`, `adverse` or `disclaimer`. */
      conclusion: "unmodified" | "modified" | "adverse" | "disclaimer";
      /** The reasons, in the words of the verifier. */
      reasons: string;
    },
    options: Options = {},
  ): Promise<records.StatementToSign> {
    return this.caller.call<records.StatementToSign>(
      { method: "POST", path: "/reports/{report_id}/by_link/engagements/{engagement_id}/statement", query: {"key": "key"}, body: { conclusion: ["conclusion", {  }], reasons: ["reasons", {  }] }, answer: { r: ["StatementToSign"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      asked,
      options,
    );
  }

  /**
   * End an engagement without an opinion, by a link that may act as the verifier. `POST
   * /reports/{report_id}/by_link/engagements/{engagement_id}/withdraw`
   */
  withdraw_by_link(
    report_id: string,
    engagement_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
    },
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/by_link/engagements/{engagement_id}/withdraw", query: {"key": "key"}, body: {  }, answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      asked,
      options,
    );
  }

  /**
   * End an engagement without an opinion. `POST
   * /reports/{report_id}/engagements/{engagement_id}/withdraw`
   */
  withdraw_of_open(
    report_id: string,
    engagement_id: string,
    options: Options = {},
  ): Promise<records.Engagement> {
    return this.caller.call<records.Engagement>(
      { method: "POST", path: "/reports/{report_id}/engagements/{engagement_id}/withdraw", body: {  }, takesKey: true, answer: { r: ["Engagement"] } },
      { "report_id": report_id, "engagement_id": engagement_id },
      {},
      options,
    );
  }
}

/** Operations on event types. */
export class EventTypesOperations {
  constructor(private readonly caller: Caller) {}

  /** Create an event type with its data point types. `POST /projects/{project_id}/event_types` */
  create(
    project_id: string,
    asked: {
      /** What people call it, such as `Diesel delivery`. */
      name: string;
      /** The quantities that its events carry, in their order. */
      data_point_types?: records.NewDataPointType[];
      /** The name that events are sent with and models use; made from `name` when left out. */
      slug?: string | null;
      /** What people write about it, up to 10,000 characters; null when there is nothing. */
      description?: string | null;
      /** How many `cadence_unit`s lie between two of its events; null when nothing is expected. */
      cadence_amount?: number | null;
      /** The unit of its cadence; null when nothing is expected. */
      cadence_unit?: "minute" | "hour" | "day" | "week" | "month" | null;
      /**
       * When an event counts as valid for the capture rate, such as `quality = 'good'`; null: when
       * complete.
       */
      valid_when?: string | null;
      /** Whether one event may feed runs of several batches of a model. */
      reusable_in_batches?: boolean;
      /** How many locations an event of the type names at least. */
      expected_locations?: "none" | "one" | "two";
      /** Whether an event of the type is refused without a tracking id. */
      requires_tracking_id?: boolean;
      /**
       * The readings that its events are to be made of; it needs a cadence, whose slots they are made
       * for.
       */
      rolled_up_from?: records.RollUp | null;
    },
    options: Options = {},
  ): Promise<records.EventType> {
    return this.caller.call<records.EventType>(
      { method: "POST", path: "/projects/{project_id}/event_types", body: { name: ["name", {  }], data_point_types: ["data_point_types", { l: { r: ["NewDataPointType"] } }], slug: ["slug", {  }], description: ["description", {  }], cadence_amount: ["cadence_amount", { n: "integer" }], cadence_unit: ["cadence_unit", {  }], valid_when: ["valid_when", {  }], reusable_in_batches: ["reusable_in_batches", {  }], expected_locations: ["expected_locations", {  }], requires_tracking_id: ["requires_tracking_id", {  }], rolled_up_from: ["rolled_up_from", { r: ["RollUp"] }] }, wrapper: "event_type", takesKey: true, answer: { r: ["EventType"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Remove an event type that has no events. `DELETE /projects/{project_id}/event_types/{event_type_id}`
   */
  delete(
    project_id: string,
    event_type_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/projects/{project_id}/event_types/{event_type_id}", answer: "void" },
      { "project_id": project_id, "event_type_id": event_type_id },
      {},
      options,
    );
  }

  /** Read one event type by its friendly id. `GET /projects/{project_id}/event_types/{event_type_id}` */
  get(
    project_id: string,
    event_type_id: string,
    options: Options = {},
  ): Promise<records.EventType> {
    return this.caller.call<records.EventType>(
      { method: "GET", path: "/projects/{project_id}/event_types/{event_type_id}", answer: { r: ["EventType"] } },
      { "project_id": project_id, "event_type_id": event_type_id },
      {},
      options,
    );
  }

  /**
   * List a project's event types; their slugs are what events are posted with. `GET
   * /projects/{project_id}/event_types`
   */
  list(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose slug is the value given: a slug. */
      slug?: string;
    } = {},
    options: Options = {},
  ): Listing<records.EventType> {
    return this.caller.list<records.EventType>(
      { method: "GET", path: "/projects/{project_id}/event_types", query: {"page": "page", "page_size": "page_size", "sort": "sort", "slug": "filter[slug][eq]"}, answer: { r: ["PageOfEventType"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Change an event type; the meaning of the values that events carry is fixed. `PATCH
   * /projects/{project_id}/event_types/{event_type_id}`
   */
  update(
    project_id: string,
    event_type_id: string,
    asked: {
      /** What people call it, such as `Diesel delivery`. */
      name?: string;
      /** What people write about it, up to 10,000 characters; null when there is nothing. */
      description?: string | null;
      /** How many `cadence_unit`s lie between two of its events; null when nothing is expected. */
      cadence_amount?: number | null;
      /** The unit of its cadence; null when nothing is expected. */
      cadence_unit?: "minute" | "hour" | "day" | "week" | "month" | null;
      /**
       * When an event counts as valid for the capture rate, such as `quality = 'good'`; null: when
       * complete.
       */
      valid_when?: string | null;
      /** Whether one event may feed runs of several batches of a model. */
      reusable_in_batches?: boolean;
      /** How many locations an event of the type names at least. */
      expected_locations?: "none" | "one" | "two";
      /** Whether an event of the type is refused without a tracking id. */
      requires_tracking_id?: boolean;
      /** All that the event type is to have, in their order; one that is not among them is removed. */
      data_point_types?: records.DataPointTypeChange[];
      /**
       * The readings that its events are to be made of, in place of what was said before; all are made
       * anew.
       */
      rolled_up_from?: records.RollUp | null;
    } = {},
    options: Options = {},
  ): Promise<records.EventType> {
    return this.caller.call<records.EventType>(
      { method: "PATCH", path: "/projects/{project_id}/event_types/{event_type_id}", body: { name: ["name", {  }], description: ["description", {  }], cadence_amount: ["cadence_amount", { n: "integer" }], cadence_unit: ["cadence_unit", {  }], valid_when: ["valid_when", {  }], reusable_in_batches: ["reusable_in_batches", {  }], expected_locations: ["expected_locations", {  }], requires_tracking_id: ["requires_tracking_id", {  }], data_point_types: ["data_point_types", { l: { r: ["DataPointTypeChange"] } }], rolled_up_from: ["rolled_up_from", { r: ["RollUp"] }] }, wrapper: "event_type", takesKey: true, answer: { r: ["EventType"] } },
      { "project_id": project_id, "event_type_id": event_type_id },
      asked,
      options,
    );
  }
}

/** Operations on events. */
export class EventsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Store one event, or up to 10,000 of which all or none are stored. `POST
   * /projects/{project_id}/events`
   */
  create(
    project_id: string,
    asked: {
      /** The slug of the event type, such as `diesel-delivery`. */
      event_type: string;
      /** When what was measured began. */
      start_time: string;
      /** When it ended; left out for a reading at `start_time`. */
      end_time?: string | null;
      /** The text by which events of one lot are known, such as `LOT-7`; null when it has none. */
      tracking_id?: string | null;
      /** The feedstock that the event is tagged with, such as `fs_…`. */
      feedstock_id?: string | null;
      /** The asset that the event is tagged with, such as `ast_…`; the meter of its values. */
      asset_id?: string | null;
      /** The sender's own name for the event, once in the project; null when it has none. */
      client_reference?: string | null;
      /** What people write about the event, up to 10,000 characters; null when there is nothing. */
      notes?: string | null;
      /**
       * The locations of the event by their ids, up to 10; its first is the meter when it has no asset.
       */
      locations?: records.LocationRef[];
      /** The values that were measured, each of another data point type. */
      data_points?: records.NewDataPoint[];
    },
    options: Options = {},
  ): Promise<records.Event> {
    return this.caller.call<records.Event>(
      { method: "POST", path: "/projects/{project_id}/events", body: { event_type: ["event_type", {  }], start_time: ["start_time", {  }], end_time: ["end_time", {  }], tracking_id: ["tracking_id", {  }], feedstock_id: ["feedstock_id", {  }], asset_id: ["asset_id", {  }], client_reference: ["client_reference", {  }], notes: ["notes", {  }], locations: ["locations", { l: { r: ["LocationRef"] } }], data_points: ["data_points", { l: { r: ["NewDataPoint"] } }] }, wrapper: "event", takesKey: true, answer: { r: ["Event"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /** Read one event. `GET /projects/{project_id}/events/{event_id}` */
  get(
    project_id: string,
    event_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
    } = {},
    options: Options = {},
  ): Promise<records.Event> {
    return this.caller.call<records.Event>(
      { method: "GET", path: "/projects/{project_id}/events/{event_id}", query: {"as_of": "as_of"}, answer: { r: ["Event"] } },
      { "project_id": project_id, "event_id": event_id },
      asked,
      options,
    );
  }

  /** List a project's events with their data points. `GET /projects/{project_id}/events` */
  list(
    project_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is start_time, or what the cursor was written for. By end_time, created_at, status,
       * tracking_id, or by several, at most 10,000 records are sorted. With filter[updated_at], by
       * another than updated_at, as many.
       */
      sort?: string | readonly string[];
      /** Only records whose event_type_id is the value given: an id et_…. */
      event_type_id?: string;
      /** Only records whose nexus_event_type_id is the value given: an event type's number. */
      nexus_event_type_id?: string;
      /** Only records whose slug is the value given: the slug of an event type. */
      slug?: string;
      /** Only records whose location_id holds the value given: an id loc_…. */
      location_id?: string;
      /** Only records whose feedstock_id is the value given: an id fs_…. */
      feedstock_id?: string;
      /** Only records whose asset_id is the value given: an id ast_…. */
      asset_id?: string;
      /** Only records whose tracking_id is the value given: a tracking id. */
      tracking_id?: string;
      /** Only records whose rolled_up_event_id is the value given: an id evt_…. */
      rolled_up_event_id?: string;
      /** Only records whose client_reference is the value given: a client reference. */
      client_reference?: string;
      /** Only records whose start_time is the value given: a time with an offset or Z. */
      start_time?: string;
      /** Only records whose start_time is at or after the value given: a time with an offset or Z. */
      start_time_geq?: string;
      /** Only records whose start_time is at or before the value given: a time with an offset or Z. */
      start_time_leq?: string;
      /** Only records whose end_time is the value given: a time with an offset or Z. */
      end_time?: string;
      /** Only records whose end_time is at or after the value given: a time with an offset or Z. */
      end_time_geq?: string;
      /** Only records whose end_time is at or before the value given: a time with an offset or Z. */
      end_time_leq?: string;
      /** Only records whose updated_at is the value given: a time with an offset or Z. */
      updated_at?: string;
      /** Only records whose updated_at is at or after the value given: a time with an offset or Z. */
      updated_at_geq?: string;
      /** Only records whose updated_at is at or before the value given: a time with an offset or Z. */
      updated_at_leq?: string;
      /** Only records whose status is the value given: complete or incomplete. */
      status?: "complete" | "incomplete";
    } = {},
    options: Options = {},
  ): Listing<records.Event> {
    return this.caller.list<records.Event>(
      { method: "GET", path: "/projects/{project_id}/events", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "event_type_id": "filter[event_type_id][eq]", "nexus_event_type_id": "filter[nexus_event_type_id][eq]", "slug": "filter[slug][eq]", "location_id": "filter[location_id][eq]", "feedstock_id": "filter[feedstock_id][eq]", "asset_id": "filter[asset_id][eq]", "tracking_id": "filter[tracking_id][eq]", "rolled_up_event_id": "filter[rolled_up_event_id][eq]", "client_reference": "filter[client_reference][eq]", "start_time": "filter[start_time][eq]", "start_time_geq": "filter[start_time][geq]", "start_time_leq": "filter[start_time][leq]", "end_time": "filter[end_time][eq]", "end_time_geq": "filter[end_time][geq]", "end_time_leq": "filter[end_time][leq]", "updated_at": "filter[updated_at][eq]", "updated_at_geq": "filter[updated_at][geq]", "updated_at_leq": "filter[updated_at][leq]", "status": "filter[status][eq]"}, answer: { r: ["PageOfEvent"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Complete an event (first values, notes, client reference, locations), or correct what it holds.
   * `PATCH /projects/{project_id}/events/{event_id}`
   */
  update(
    project_id: string,
    event_id: string,
    asked: {
      /** The slug of the event type, which must be the one it has. */
      event_type?: string;
      /** When what was measured began. */
      start_time?: string;
      /** When it ended; the start for a reading. */
      end_time?: string | null;
      /** The text by which events of one lot are known, such as `LOT-7`; null when it has none. */
      tracking_id?: string | null;
      /** The feedstock that the event is tagged with, such as `fs_…`; null takes the tag away. */
      feedstock_id?: string | null;
      /** The asset that the event is tagged with, such as `ast_…`; null takes the tag away. */
      asset_id?: string | null;
      /** The sender's own name for the event, once in the project; null when it has none. */
      client_reference?: string | null;
      /** What people write about the event, up to 10,000 characters; null when there is nothing. */
      notes?: string | null;
      /** The locations by their ids, in place of all that the event has. */
      locations?: records.LocationRef[];
      /** First values, or other values, each of a data point type; the rest stay as they are. */
      data_points?: records.NewDataPoint[];
      /** Why the event is corrected, up to 1,000 characters; it stands with every correction made. */
      reason?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.Event> {
    return this.caller.call<records.Event>(
      { method: "PATCH", path: "/projects/{project_id}/events/{event_id}", body: { event_type: ["event_type", {  }], start_time: ["start_time", {  }], end_time: ["end_time", {  }], tracking_id: ["tracking_id", {  }], feedstock_id: ["feedstock_id", {  }], asset_id: ["asset_id", {  }], client_reference: ["client_reference", {  }], notes: ["notes", {  }], locations: ["locations", { l: { r: ["LocationRef"] } }], data_points: ["data_points", { l: { r: ["NewDataPoint"] } }], reason: ["reason", {  }] }, wrapper: "event", takesKey: true, answer: { r: ["Event"] } },
      { "project_id": project_id, "event_id": event_id },
      asked,
      options,
    );
  }

  /**
   * Try, and change nothing: Complete an event (first values, notes, client reference, locations), or
   * correct what it holds. `PATCH /projects/{project_id}/events/{event_id}`
   */
  update_on_trial(
    project_id: string,
    event_id: string,
    asked: {
      /** The slug of the event type, which must be the one it has. */
      event_type?: string;
      /** When what was measured began. */
      start_time?: string;
      /** When it ended; the start for a reading. */
      end_time?: string | null;
      /** The text by which events of one lot are known, such as `LOT-7`; null when it has none. */
      tracking_id?: string | null;
      /** The feedstock that the event is tagged with, such as `fs_…`; null takes the tag away. */
      feedstock_id?: string | null;
      /** The asset that the event is tagged with, such as `ast_…`; null takes the tag away. */
      asset_id?: string | null;
      /** The sender's own name for the event, once in the project; null when it has none. */
      client_reference?: string | null;
      /** What people write about the event, up to 10,000 characters; null when there is nothing. */
      notes?: string | null;
      /** The locations by their ids, in place of all that the event has. */
      locations?: records.LocationRef[];
      /** First values, or other values, each of a data point type; the rest stay as they are. */
      data_points?: records.NewDataPoint[];
      /** Why the event is corrected, up to 1,000 characters; it stands with every correction made. */
      reason?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.Impact> {
    return this.caller.call<records.Impact>(
      { method: "PATCH", path: "/projects/{project_id}/events/{event_id}", fixed: {"dry_run": "true"}, body: { event_type: ["event_type", {  }], start_time: ["start_time", {  }], end_time: ["end_time", {  }], tracking_id: ["tracking_id", {  }], feedstock_id: ["feedstock_id", {  }], asset_id: ["asset_id", {  }], client_reference: ["client_reference", {  }], notes: ["notes", {  }], locations: ["locations", { l: { r: ["LocationRef"] } }], data_points: ["data_points", { l: { r: ["NewDataPoint"] } }], reason: ["reason", {  }] }, wrapper: "event", takesKey: true, answer: { r: ["Impact"] } },
      { "project_id": project_id, "event_id": event_id },
      asked,
      options,
    );
  }

  /** Void an event that no batch was made of. `DELETE /projects/{project_id}/events/{event_id}` */
  void(
    project_id: string,
    event_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/projects/{project_id}/events/{event_id}", answer: "void" },
      { "project_id": project_id, "event_id": event_id },
      {},
      options,
    );
  }
}

/** Operations on evidence. */
export class EvidenceOperations {
  constructor(private readonly caller: Caller) {}

  /** Attach a file or a link to an event. `POST /events/{event_id}/evidence` */
  create(
    event_id: string,
    asked: {
      /** Where the link leads, beginning with `https://` or `http://`. */
      url: string;
      /** What people call it, such as `Laboratory report`. */
      name: string;
      /** Always `url`; a file comes as `multipart/form-data`. */
      type?: "url";
      /** Another name for `type`, which clients of the public interface send. */
      evidence_type?: "url";
    },
    options: Options = {},
  ): Promise<records.Evidence> {
    return this.caller.call<records.Evidence>(
      { method: "POST", path: "/events/{event_id}/evidence", body: { url: ["url", {  }], name: ["name", {  }], type: ["type", {  }], evidence_type: ["evidence_type", {  }] }, wrapper: "evidence", takesKey: true, answer: { r: ["Evidence"] } },
      { "event_id": event_id },
      asked,
      options,
    );
  }

  /**
   * Download a file of evidence. `GET
   * /projects/{project_id}/events/{event_id}/evidences/{evidence_id}/file`
   */
  download(
    project_id: string,
    event_id: string,
    evidence_id: number,
    options: Options = {},
  ): Promise<Uint8Array> {
    return this.caller.call<Uint8Array>(
      { method: "GET", path: "/projects/{project_id}/events/{event_id}/evidences/{evidence_id}/file", answer: "Uint8Array" },
      { "project_id": project_id, "event_id": event_id, "evidence_id": evidence_id },
      {},
      options,
    );
  }

  /**
   * Read one piece of evidence. `GET /projects/{project_id}/events/{event_id}/evidences/{evidence_id}`
   */
  get(
    project_id: string,
    event_id: string,
    evidence_id: number,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
    } = {},
    options: Options = {},
  ): Promise<records.Evidence> {
    return this.caller.call<records.Evidence>(
      { method: "GET", path: "/projects/{project_id}/events/{event_id}/evidences/{evidence_id}", query: {"as_of": "as_of"}, answer: { r: ["Evidence"] } },
      { "project_id": project_id, "event_id": event_id, "evidence_id": evidence_id },
      asked,
      options,
    );
  }

  /** List the evidence of every event that a batch was made of. `GET /batches/{batch_id}/evidences` */
  list_of_batch(
    batch_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose type is the value given: file or url. */
      type?: "file" | "url";
    } = {},
    options: Options = {},
  ): Listing<records.Evidence> {
    return this.caller.list<records.Evidence>(
      { method: "GET", path: "/batches/{batch_id}/evidences", query: {"page": "page", "page_size": "page_size", "sort": "sort", "type": "filter[type][eq]"}, answer: { r: ["PageOfEvidence"] } },
      { "batch_id": batch_id },
      asked,
      options,
    );
  }

  /** List the evidence of one event. `GET /projects/{project_id}/events/{event_id}/evidences` */
  list_of_event(
    project_id: string,
    event_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose type is the value given: file or url. */
      type?: "file" | "url";
    } = {},
    options: Options = {},
  ): Listing<records.Evidence> {
    return this.caller.list<records.Evidence>(
      { method: "GET", path: "/projects/{project_id}/events/{event_id}/evidences", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "type": "filter[type][eq]"}, answer: { r: ["PageOfEvidence"] } },
      { "project_id": project_id, "event_id": event_id },
      asked,
      options,
    );
  }
}

/** Operations on exports. */
export class ExportsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Download the file of an export by the address that `download_url` says, for 24 hours. `GET
   * /exports/{export_id}/download`
   */
  download(
    export_id: string,
    asked: {
      /** What stands in the `download_url` of the export. */
      key: string;
    },
    options: Options = {},
  ): Promise<Uint8Array> {
    return this.caller.call<Uint8Array>(
      { method: "GET", path: "/exports/{export_id}/download", query: {"key": "key"}, answer: "Uint8Array" },
      { "export_id": export_id },
      asked,
      options,
    );
  }

  /** Download the batches of one ledger as CSV, oldest first. `GET /ledgers/{ledger_id}/batches.csv` */
  download_ledger_batches(
    ledger_id: string,
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/ledgers/{ledger_id}/batches.csv", answer: "string" },
      { "ledger_id": ledger_id },
      {},
      options,
    );
  }

  /**
   * Read one export; poll it until it is completed, which it stays for 24 hours. `GET
   * /exports/{export_id}`
   */
  get(
    export_id: string,
    options: Options = {},
  ): Promise<records.Export> {
    return this.caller.call<records.Export>(
      { method: "GET", path: "/exports/{export_id}", answer: { r: ["Export"] } },
      { "export_id": export_id },
      {},
      options,
    );
  }
}

/** Operations on feature flags. */
export class FeatureFlagsOperations {
  constructor(private readonly caller: Caller) {}

  /** Read every feature flag of the account; false for those that are off. `GET /feature_flags` */
  get(
    options: Options = {},
  ): Promise<records.FeatureFlags> {
    return this.caller.call<records.FeatureFlags>(
      { method: "GET", path: "/feature_flags", answer: { r: ["FeatureFlags"] } },
      {},
      {},
      options,
    );
  }

  /**
   * Switch features of the account on or off; what a feature made stays, and is there again with it.
   * `PATCH /feature_flags`
   */
  update(
    asked: {
      /** Whether the account has data rules with their runs and results. */
      rules_engine?: boolean;
      /** Whether event types of the account may say how often they are measured. */
      data_capture_rate?: boolean;
      /** Whether people may approve what a rule that they wrote, or data that they sent, proposed. */
      approval_of_own?: boolean;
      /**
       * Whether partners' clients may read footprints of the account below `/pact`, and send events
       * there.
       */
      footprint_exchange?: boolean;
    } = {},
    options: Options = {},
  ): Promise<records.FeatureFlags> {
    return this.caller.call<records.FeatureFlags>(
      { method: "PATCH", path: "/feature_flags", body: { rules_engine: ["rules_engine", {  }], data_capture_rate: ["data_capture_rate", {  }], approval_of_own: ["approval_of_own", {  }], footprint_exchange: ["footprint_exchange", {  }] }, wrapper: "feature_flags", takesKey: true, answer: { r: ["FeatureFlags"] } },
      {},
      asked,
      options,
    );
  }
}

/** Operations on feedstocks. */
export class FeedstocksOperations {
  constructor(private readonly caller: Caller) {}

  /** Create a feedstock. `POST /projects/{project_id}/feedstocks` */
  create(
    project_id: string,
    asked: {
      /** What people call it, once in the project, such as `Plant North`. */
      name: string;
      /** What people write about it, up to 10,000 characters; null when there is nothing. */
      description?: string | null;
    },
    options: Options = {},
  ): Promise<records.Feedstock> {
    return this.caller.call<records.Feedstock>(
      { method: "POST", path: "/projects/{project_id}/feedstocks", body: { name: ["name", {  }], description: ["description", {  }] }, wrapper: "feedstock", takesKey: true, answer: { r: ["Feedstock"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Remove a feedstock that no event and no batch names. `DELETE
   * /projects/{project_id}/feedstocks/{feedstock_id}`
   */
  delete(
    project_id: string,
    feedstock_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/projects/{project_id}/feedstocks/{feedstock_id}", answer: "void" },
      { "project_id": project_id, "feedstock_id": feedstock_id },
      {},
      options,
    );
  }

  /** Read one feedstock. `GET /projects/{project_id}/feedstocks/{feedstock_id}` */
  get(
    project_id: string,
    feedstock_id: string,
    options: Options = {},
  ): Promise<records.Feedstock> {
    return this.caller.call<records.Feedstock>(
      { method: "GET", path: "/projects/{project_id}/feedstocks/{feedstock_id}", answer: { r: ["Feedstock"] } },
      { "project_id": project_id, "feedstock_id": feedstock_id },
      {},
      options,
    );
  }

  /** List the feedstocks of all projects of the account. `GET /feedstocks` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      project_id?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Feedstock> {
    return this.caller.list<records.Feedstock>(
      { method: "GET", path: "/feedstocks", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "project_id": "filter[project_id][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]"}, answer: { r: ["PageOfFeedstock"] } },
      {},
      asked,
      options,
    );
  }

  /** List a project's feedstocks. `GET /projects/{project_id}/feedstocks` */
  list_feedstocks_of_project(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      filter_project_id?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Feedstock> {
    return this.caller.list<records.Feedstock>(
      { method: "GET", path: "/projects/{project_id}/feedstocks", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "filter_project_id": "filter[project_id][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]"}, answer: { r: ["PageOfFeedstock"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Change a feedstock; its name is fixed once batches were made of its events. `PATCH
   * /projects/{project_id}/feedstocks/{feedstock_id}`
   */
  update(
    project_id: string,
    feedstock_id: string,
    asked: {
      /** What people call it, once in the project, such as `Plant North`. */
      name?: string;
      /** What people write about it, up to 10,000 characters; null when there is nothing. */
      description?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.Feedstock> {
    return this.caller.call<records.Feedstock>(
      { method: "PATCH", path: "/projects/{project_id}/feedstocks/{feedstock_id}", body: { name: ["name", {  }], description: ["description", {  }] }, wrapper: "feedstock", takesKey: true, answer: { r: ["Feedstock"] } },
      { "project_id": project_id, "feedstock_id": feedstock_id },
      asked,
      options,
    );
  }
}

/** Operations on footprint calls. */
export class FootprintCallsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Read a partner's footprints, ask for some, or tell of ours; a worker does it until it is done. `POST
   * /footprint_calls`
   */
  create(
    asked: {
      /** The number of the partner. */
      partner_id: number;
      /**
       * What is to be done: `read` reads some, `request_created` asks for some, `published` tells of
       * ours.
       */
      kind: "published" | "request_created" | "read";
      /**
       * Of `published` the footprints that it is told of, required; of `read` those that are read,
       * instead of all.
       */
      footprint_ids?: string[];
      /**
       * Of `request_created` what is asked for, required, such as `{"productId":
       * ["urn:gtin:4712345060507"]}`.
       */
      criteria?: Record<string, unknown>;
    },
    options: Options = {},
  ): Promise<records.FootprintCall> {
    return this.caller.call<records.FootprintCall>(
      { method: "POST", path: "/footprint_calls", body: { partner_id: ["partner_id", { n: "integer" }], kind: ["kind", {  }], footprint_ids: ["footprint_ids", {  }], criteria: ["criteria", {  }] }, wrapper: "footprint_call", takesKey: true, answer: { r: ["FootprintCall"] } },
      {},
      asked,
      options,
    );
  }

  /** Read one call: what is sent, and how far it came. `GET /footprint_calls/{footprint_call_id}` */
  get(
    footprint_call_id: string,
    options: Options = {},
  ): Promise<records.FootprintCall> {
    return this.caller.call<records.FootprintCall>(
      { method: "GET", path: "/footprint_calls/{footprint_call_id}", answer: { r: ["FootprintCall"] } },
      { "footprint_call_id": footprint_call_id },
      {},
      options,
    );
  }

  /** List what is sent to partners and read from them, the newest first. `GET /footprint_calls` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose partner_id is the value given: the number of a partner. */
      partner_id?: string;
      /**
       * Only records whose kind is the value given: published, request_created, request_fulfilled,
       * request_rejected, read.
       */
      kind?: "published" | "request_created" | "request_fulfilled" | "request_rejected" | "read";
      /** Only records whose state is the value given: pending, delivered, failed. */
      state?: "pending" | "delivered" | "failed";
    } = {},
    options: Options = {},
  ): Listing<records.FootprintCall> {
    return this.caller.list<records.FootprintCall>(
      { method: "GET", path: "/footprint_calls", query: {"page": "page", "page_size": "page_size", "sort": "sort", "partner_id": "filter[partner_id][eq]", "kind": "filter[kind][eq]", "state": "filter[state][eq]"}, answer: { r: ["PageOfFootprintCall"] } },
      {},
      asked,
      options,
    );
  }
}

/** Operations on footprint clients. */
export class FootprintClientsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Create a client that may read footprints; the answer shows its secret this once. `POST
   * /footprint_clients`
   */
  create(
    asked: {
      /** Whose client it is, in the words of whoever made it. */
      name: string;
      /**
       * The number of the partner whose client it is, who is sent answers to its requests; null for
       * none.
       */
      partner_id?: number | null;
    },
    options: Options = {},
  ): Promise<records.IssuedFootprintClient> {
    return this.caller.call<records.IssuedFootprintClient>(
      { method: "POST", path: "/footprint_clients", body: { name: ["name", {  }], partner_id: ["partner_id", { n: "integer" }] }, wrapper: "footprint_client", takesKey: true, answer: { r: ["IssuedFootprintClient"] } },
      {},
      asked,
      options,
    );
  }

  /** Read one client, without its secret. `GET /footprint_clients/{footprint_client_id}` */
  get(
    footprint_client_id: string,
    options: Options = {},
  ): Promise<records.FootprintClient> {
    return this.caller.call<records.FootprintClient>(
      { method: "GET", path: "/footprint_clients/{footprint_client_id}", answer: { r: ["FootprintClient"] } },
      { "footprint_client_id": footprint_client_id },
      {},
      options,
    );
  }

  /** List the clients that may read footprints, without their secrets. `GET /footprint_clients` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose partner_id is the value given: the number of a partner. */
      partner_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.FootprintClient> {
    return this.caller.list<records.FootprintClient>(
      { method: "GET", path: "/footprint_clients", query: {"page": "page", "page_size": "page_size", "sort": "sort", "partner_id": "filter[partner_id][eq]"}, answer: { r: ["PageOfFootprintClient"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Revoke a client: it and its tokens open nothing any more, and it stays in the list. `DELETE
   * /footprint_clients/{footprint_client_id}`
   */
  revoke(
    footprint_client_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/footprint_clients/{footprint_client_id}", answer: "void" },
      { "footprint_client_id": footprint_client_id },
      {},
      options,
    );
  }

  /**
   * Change the name of a client or whose it is; its id, its secret and its tokens stay as they are.
   * `PATCH /footprint_clients/{footprint_client_id}`
   */
  update(
    footprint_client_id: string,
    asked: {
      /** Whose client it is, in the words of whoever made it. */
      name?: string;
      /**
       * The number of the partner whose client it is, who is sent answers to its requests; null for
       * none.
       */
      partner_id?: number | null;
    } = {},
    options: Options = {},
  ): Promise<records.FootprintClient> {
    return this.caller.call<records.FootprintClient>(
      { method: "PATCH", path: "/footprint_clients/{footprint_client_id}", body: { name: ["name", {  }], partner_id: ["partner_id", { n: "integer" }] }, wrapper: "footprint_client", takesKey: true, answer: { r: ["FootprintClient"] } },
      { "footprint_client_id": footprint_client_id },
      asked,
      options,
    );
  }
}

/** Operations on footprint events. */
export class FootprintEventsOperations {
  constructor(private readonly caller: Caller) {}

  /** Read one event, as it came. `GET /footprint_events/{footprint_event_id}` */
  get(
    footprint_event_id: string,
    options: Options = {},
  ): Promise<records.FootprintEvent> {
    return this.caller.call<records.FootprintEvent>(
      { method: "GET", path: "/footprint_events/{footprint_event_id}", answer: { r: ["FootprintEvent"] } },
      { "footprint_event_id": footprint_event_id },
      {},
      options,
    );
  }

  /** List the events that clients have sent, the newest first. `GET /footprint_events` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose client_id is the value given: the number of a client. */
      client_id?: string;
      /**
       * Only records whose type is the value given: org.wbcsd.pact.ProductFootprint.PublishedEvent.3,
       * org.wbcsd.pact.ProductFootprint.RequestCreatedEvent.3,
       * org.wbcsd.pact.ProductFootprint.RequestFulfilledEvent.3,
       * org.wbcsd.pact.ProductFootprint.RequestRejectedEvent.3.
       */
      type?: "org.wbcsd.pact.ProductFootprint.PublishedEvent.3" | "org.wbcsd.pact.ProductFootprint.RequestCreatedEvent.3" | "org.wbcsd.pact.ProductFootprint.RequestFulfilledEvent.3" | "org.wbcsd.pact.ProductFootprint.RequestRejectedEvent.3";
      /** Only records whose received_at is at or after the value given: a time with an offset or Z. */
      received_at_geq?: string;
      /**
       * Only records whose received_at is at or before the value given: a time with an offset or Z.
       */
      received_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.FootprintEvent> {
    return this.caller.list<records.FootprintEvent>(
      { method: "GET", path: "/footprint_events", query: {"page": "page", "page_size": "page_size", "sort": "sort", "client_id": "filter[client_id][eq]", "type": "filter[type][eq]", "received_at_geq": "filter[received_at][geq]", "received_at_leq": "filter[received_at][leq]"}, answer: { r: ["PageOfFootprintEvent"] } },
      {},
      asked,
      options,
    );
  }
}

/** Operations on footprint partners. */
export class FootprintPartnersOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Create a partner: where its footprints are read and events are sent; its secret is never shown. `POST
   * /footprint_partners`
   */
  create(
    asked: {
      /** What people call the partner; once in the account. */
      name: string;
      /** What stands before `/3/footprints` there, such as `https://partner.example/pact`. */
      address: string;
      /** What the partner calls this service. */
      client_id: string;
      /** The secret that the partner gave this service; it is kept and never shown. */
      client_secret: string;
      /** Where tokens are asked for; left out, the address and `/auth/token`. */
      token_address?: string;
      /** Whether it is told of every new footprint, and of each that is deprecated. */
      is_notified?: boolean;
    },
    options: Options = {},
  ): Promise<records.FootprintPartner> {
    return this.caller.call<records.FootprintPartner>(
      { method: "POST", path: "/footprint_partners", body: { name: ["name", {  }], address: ["address", {  }], client_id: ["client_id", {  }], client_secret: ["client_secret", {  }], token_address: ["token_address", {  }], is_notified: ["is_notified", {  }] }, wrapper: "footprint_partner", takesKey: true, answer: { r: ["FootprintPartner"] } },
      {},
      asked,
      options,
    );
  }

  /** Read one partner, without the secret. `GET /footprint_partners/{footprint_partner_id}` */
  get(
    footprint_partner_id: string,
    options: Options = {},
  ): Promise<records.FootprintPartner> {
    return this.caller.call<records.FootprintPartner>(
      { method: "GET", path: "/footprint_partners/{footprint_partner_id}", answer: { r: ["FootprintPartner"] } },
      { "footprint_partner_id": footprint_partner_id },
      {},
      options,
    );
  }

  /** List the partners with whom footprints are exchanged. `GET /footprint_partners` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
    } = {},
    options: Options = {},
  ): Listing<records.FootprintPartner> {
    return this.caller.list<records.FootprintPartner>(
      { method: "GET", path: "/footprint_partners", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]"}, answer: { r: ["PageOfFootprintPartner"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Change a partner; what waits to be sent goes to the new address. `PATCH
   * /footprint_partners/{footprint_partner_id}`
   */
  update(
    footprint_partner_id: string,
    asked: {
      /** What people call the partner; once in the account. */
      name?: string;
      /** What stands before `/3/footprints` there, such as `https://partner.example/pact`. */
      address?: string;
      /** What the partner calls this service. */
      client_id?: string;
      /** Another secret. Required with another address: the one that is kept is not sent there. */
      client_secret?: string;
      /** Where tokens are asked for. */
      token_address?: string;
      /** Whether it is told of every new footprint, and of each that is deprecated. */
      is_notified?: boolean;
    } = {},
    options: Options = {},
  ): Promise<records.FootprintPartner> {
    return this.caller.call<records.FootprintPartner>(
      { method: "PATCH", path: "/footprint_partners/{footprint_partner_id}", body: { name: ["name", {  }], address: ["address", {  }], client_id: ["client_id", {  }], client_secret: ["client_secret", {  }], token_address: ["token_address", {  }], is_notified: ["is_notified", {  }] }, wrapper: "footprint_partner", takesKey: true, answer: { r: ["FootprintPartner"] } },
      { "footprint_partner_id": footprint_partner_id },
      asked,
      options,
    );
  }
}

/** Operations on footprint products. */
export class FootprintProductsOperations {
  constructor(private readonly caller: Caller) {}

  /** Create a product, of which footprints can be made. `POST /footprint_products` */
  create(
    asked: {
      /** What the company calls the product, such as `Bioethanol 98 %`; once in the account. */
      name: string;
      /** The company whose footprint it is. */
      company_name: string;
      /** What identifies the company, as URNs such as `urn:company:example:plant`. */
      company_ids: string[];
      /** What identifies the product, as URNs such as `urn:gtin:4712345060507`. */
      product_ids: string[];
      /** The unit that the product is declared in, such as `liter`. */
      declared_unit: "liter" | "kilogram" | "cubic meter" | "kilowatt hour" | "megajoule" | "ton kilometer" | "square meter" | "piece" | "hour" | "megabit second";
      /**
       * The mass of the product in kg, without packaging, of a declared unit; zero where that means
       * nothing.
       */
      mass_per_declared_unit: Decimal;
      /**
       * Where the amount of the product comes from: `amount` of the batch or report, or `node:slug`.
       */
      quantity: string;
      /**
       * Where each amount comes from, by the field of `pcf`: `amount`, `node:slug`, either with a minus
       * before it, or a number for each declared unit, such as `{"fossilGhgEmissions":
       * "node:emissions"}`.
       */
      amounts: Record<string, string>;
      /**
       * What else stands in `pcf`, as it stands there: `ipccCharacterizationFactors`,
       * `crossSectoralStandards`, and what the product has besides.
       */
      properties: Record<string, unknown>;
      /** Classes of the product, as URNs such as `urn:pact:productclassification:un-cpc:3413`. */
      product_classifications?: string[];
      /** What the product is: its feedstock, process and packaging. */
      description?: string;
      /** What its footprints say of how they are calculated; null when nothing. */
      comment?: string | null;
      /** How many of these units one footprint is of. */
      declared_amount?: Decimal;
      /**
       * Where its footprints hold: a country (`DE`), a part of one (`DE-BW`) or a region of the United
       * Nations (`Western Europe`); null for everywhere.
       */
      geography?: string | null;
      /** The percentage of emissions that is left out, from 0 to 100. */
      exempted_percent?: Decimal;
      /** Whether `primaryDataShare` is stated, as the measured share of the amount. */
      states_primary_data_share?: boolean;
      /** How many months a footprint is valid from the end of its period, from 1 to 36. */
      valid_months?: number;
    },
    options: Options = {},
  ): Promise<records.FootprintProduct> {
    return this.caller.call<records.FootprintProduct>(
      { method: "POST", path: "/footprint_products", body: { name: ["name", {  }], company_name: ["company_name", {  }], company_ids: ["company_ids", {  }], product_ids: ["product_ids", {  }], declared_unit: ["declared_unit", {  }], mass_per_declared_unit: ["mass_per_declared_unit", { n: "number" }], quantity: ["quantity", {  }], amounts: ["amounts", {  }], properties: ["properties", {  }], product_classifications: ["product_classifications", {  }], description: ["description", {  }], comment: ["comment", {  }], declared_amount: ["declared_amount", { n: "number" }], geography: ["geography", {  }], exempted_percent: ["exempted_percent", { n: "number" }], states_primary_data_share: ["states_primary_data_share", {  }], valid_months: ["valid_months", { n: "integer" }] }, wrapper: "footprint_product", takesKey: true, answer: { r: ["FootprintProduct"] } },
      {},
      asked,
      options,
    );
  }

  /** Read one product. `GET /footprint_products/{footprint_product_id}` */
  get(
    footprint_product_id: string,
    options: Options = {},
  ): Promise<records.FootprintProduct> {
    return this.caller.call<records.FootprintProduct>(
      { method: "GET", path: "/footprint_products/{footprint_product_id}", answer: { r: ["FootprintProduct"] } },
      { "footprint_product_id": footprint_product_id },
      {},
      options,
    );
  }

  /** List the products of which footprints are made. `GET /footprint_products` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
    } = {},
    options: Options = {},
  ): Listing<records.FootprintProduct> {
    return this.caller.list<records.FootprintProduct>(
      { method: "GET", path: "/footprint_products", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]"}, answer: { r: ["PageOfFootprintProduct"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Change a product; footprints that were made of it stay as they are. `PATCH
   * /footprint_products/{footprint_product_id}`
   */
  update(
    footprint_product_id: string,
    asked: {
      /** What the company calls the product, such as `Bioethanol 98 %`; once in the account. */
      name?: string;
      /** The company whose footprint it is. */
      company_name?: string;
      /** What identifies the company, as URNs such as `urn:company:example:plant`. */
      company_ids?: string[];
      /** What identifies the product, as URNs such as `urn:gtin:4712345060507`. */
      product_ids?: string[];
      /** The unit that the product is declared in, such as `liter`. */
      declared_unit?: "liter" | "kilogram" | "cubic meter" | "kilowatt hour" | "megajoule" | "ton kilometer" | "square meter" | "piece" | "hour" | "megabit second";
      /**
       * The mass of the product in kg, without packaging, of a declared unit; zero where that means
       * nothing.
       */
      mass_per_declared_unit?: Decimal;
      /**
       * Where the amount of the product comes from: `amount` of the batch or report, or `node:slug`.
       */
      quantity?: string;
      /**
       * Where each amount comes from, by the field of `pcf`: `amount`, `node:slug`, either with a minus
       * before it, or a number for each declared unit, such as `{"fossilGhgEmissions":
       * "node:emissions"}`.
       */
      amounts?: Record<string, string>;
      /**
       * What else stands in `pcf`, as it stands there: `ipccCharacterizationFactors`,
       * `crossSectoralStandards`, and what the product has besides.
       */
      properties?: Record<string, unknown>;
      /** Classes of the product, as URNs such as `urn:pact:productclassification:un-cpc:3413`. */
      product_classifications?: string[];
      /** What the product is: its feedstock, process and packaging. */
      description?: string;
      /** What its footprints say of how they are calculated; null when nothing. */
      comment?: string | null;
      /** How many of these units one footprint is of. */
      declared_amount?: Decimal;
      /**
       * Where its footprints hold: a country (`DE`), a part of one (`DE-BW`) or a region of the United
       * Nations (`Western Europe`); null for everywhere.
       */
      geography?: string | null;
      /** The percentage of emissions that is left out, from 0 to 100. */
      exempted_percent?: Decimal;
      /** Whether `primaryDataShare` is stated, as the measured share of the amount. */
      states_primary_data_share?: boolean;
      /** How many months a footprint is valid from the end of its period, from 1 to 36. */
      valid_months?: number;
    } = {},
    options: Options = {},
  ): Promise<records.FootprintProduct> {
    return this.caller.call<records.FootprintProduct>(
      { method: "PATCH", path: "/footprint_products/{footprint_product_id}", body: { name: ["name", {  }], company_name: ["company_name", {  }], company_ids: ["company_ids", {  }], product_ids: ["product_ids", {  }], declared_unit: ["declared_unit", {  }], mass_per_declared_unit: ["mass_per_declared_unit", { n: "number" }], quantity: ["quantity", {  }], amounts: ["amounts", {  }], properties: ["properties", {  }], product_classifications: ["product_classifications", {  }], description: ["description", {  }], comment: ["comment", {  }], declared_amount: ["declared_amount", { n: "number" }], geography: ["geography", {  }], exempted_percent: ["exempted_percent", { n: "number" }], states_primary_data_share: ["states_primary_data_share", {  }], valid_months: ["valid_months", { n: "integer" }] }, wrapper: "footprint_product", takesKey: true, answer: { r: ["FootprintProduct"] } },
      { "footprint_product_id": footprint_product_id },
      asked,
      options,
    );
  }
}

/** Operations on footprints. */
export class FootprintsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Check a footprint: parts against totals, dates, units, forms of identifiers; nothing is stored. `POST
   * /footprints/check`
   */
  check_of_sent(
    asked: {
      /** A footprint: the object `ProductFootprint` of PACT. */
      content: Record<string, unknown>;
    },
    options: Options = {},
  ): Promise<records.CheckedFootprint> {
    return this.caller.call<records.CheckedFootprint>(
      { method: "POST", path: "/footprints/check", body: { content: ["content", {  }] }, takesKey: true, answer: { r: ["CheckedFootprint"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Make a footprint of a product from a batch or an accepted report, and tell partners of it. `POST
   * /footprints`
   */
  create(
    asked: {
      /** The number of the product. */
      product_id: number;
      /** The batch that it is made from, such as `bat_…`. */
      batch_id?: string;
      /** The accepted report that it is made from, such as `rpt_…`, instead of `batch_id`. */
      report_id?: string;
      /**
       * The footprints that it takes the place of; left out, those of the same product that were made
       * from this batch, or from a report that this one restates or came of.
       */
      replaces?: string[];
      /** What changed, or how it was calculated, besides what the product says. */
      comment?: string | null;
    },
    options: Options = {},
  ): Promise<records.Footprint> {
    return this.caller.call<records.Footprint>(
      { method: "POST", path: "/footprints", body: { product_id: ["product_id", { n: "integer" }], batch_id: ["batch_id", {  }], report_id: ["report_id", {  }], replaces: ["replaces", {  }], comment: ["comment", {  }] }, wrapper: "footprint", takesKey: true, answer: { r: ["Footprint"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Deprecate a footprint that nothing takes the place of, and tell partners; again, nothing changes.
   * `POST /footprints/{footprint_id}/deprecate`
   */
  deprecate(
    footprint_id: string,
    asked: {
      /** Why it is not to be used any more, in a sentence. */
      reason: string;
    },
    options: Options = {},
  ): Promise<records.Footprint> {
    return this.caller.call<records.Footprint>(
      { method: "POST", path: "/footprints/{footprint_id}/deprecate", body: { reason: ["reason", {  }] }, takesKey: true, answer: { r: ["Footprint"] } },
      { "footprint_id": footprint_id },
      asked,
      options,
    );
  }

  /** Read one footprint. `GET /footprints/{footprint_id}` */
  get(
    footprint_id: string,
    options: Options = {},
  ): Promise<records.Footprint> {
    return this.caller.call<records.Footprint>(
      { method: "GET", path: "/footprints/{footprint_id}", answer: { r: ["Footprint"] } },
      { "footprint_id": footprint_id },
      {},
      options,
    );
  }

  /** List the account's footprints, those that are deprecated included. `GET /footprints` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -created_at, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      project_id?: string;
      /** Only records whose product_id is the value given: the number of a product. */
      product_id?: string;
      /** Only records whose status is the value given: Active, Deprecated. */
      status?: "Active" | "Deprecated";
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Footprint> {
    return this.caller.list<records.Footprint>(
      { method: "GET", path: "/footprints", query: {"page": "page", "page_size": "page_size", "sort": "sort", "project_id": "filter[project_id][eq]", "product_id": "filter[product_id][eq]", "status": "filter[status][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]"}, answer: { r: ["PageOfFootprint"] } },
      {},
      asked,
      options,
    );
  }
}

/** Operations on gaps. */
export class GapsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * List where an event type's meters lack valid values, and what stands before, after and in the gaps.
   * `GET /projects/{project_id}/event_types/{event_type_id}/gaps`
   */
  list(
    project_id: string,
    event_type_id: string,
    asked: {
      /** The moment at which the range begins: slots that begin earlier are not in it. */
      start_time: string;
      /** When it ends, at most 92 days later: slots from then on are not in it. */
      end_time: string;
    },
    options: Options = {},
  ): Promise<records.Gaps> {
    return this.caller.call<records.Gaps>(
      { method: "GET", path: "/projects/{project_id}/event_types/{event_type_id}/gaps", query: {"start_time": "start_time", "end_time": "end_time"}, answer: { r: ["Gaps"] } },
      { "project_id": project_id, "event_type_id": event_type_id },
      asked,
      options,
    );
  }
}

/** Operations on identity providers. */
export class IdentityProvidersOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Create an identity provider: people of its domains sign in there, with the roles of their groups.
   * `POST /identity_providers`
   */
  create(
    asked: {
      /** What people read on the button; once in the account. */
      name: string;
      /**
       * What the provider calls itself, below which its discovery document is, such as
       * `https://id.example`.
       */
      issuer: string;
      /** What the provider calls this service. */
      client_id: string;
      /** The secret that the provider gave this service; it is stored encrypted and never shown. */
      client_secret: string;
      /** The domains of the e-mail addresses of people who may sign in, such as `plant.example`. */
      domains: string[];
      /**
       * The roles of groups. Whoever is in several groups may do what each of them may; whoever is in
       * none of them is refused, and everybody while no group has a role.
       */
      roles: records.GroupRole[];
      /** The claim in which the provider sends the groups of a person. */
      groups_claim?: string;
      /** Whether passwords of the account no longer sign in, but for people who keep theirs. */
      is_required?: boolean;
    },
    options: Options = {},
  ): Promise<records.IdentityProvider> {
    return this.caller.call<records.IdentityProvider>(
      { method: "POST", path: "/identity_providers", body: { name: ["name", {  }], issuer: ["issuer", {  }], client_id: ["client_id", {  }], client_secret: ["client_secret", {  }], domains: ["domains", {  }], roles: ["roles", { l: { r: ["GroupRole"] } }], groups_claim: ["groups_claim", {  }], is_required: ["is_required", {  }] }, wrapper: "identity_provider", takesKey: true, answer: { r: ["IdentityProvider"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Delete an identity provider: sessions that began there end, and its people need a password. `DELETE
   * /identity_providers/{identity_provider_id}`
   */
  delete(
    identity_provider_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/identity_providers/{identity_provider_id}", answer: "void" },
      { "identity_provider_id": identity_provider_id },
      {},
      options,
    );
  }

  /** Read one identity provider, without its secret. `GET /identity_providers/{identity_provider_id}` */
  get(
    identity_provider_id: string,
    options: Options = {},
  ): Promise<records.IdentityProvider> {
    return this.caller.call<records.IdentityProvider>(
      { method: "GET", path: "/identity_providers/{identity_provider_id}", answer: { r: ["IdentityProvider"] } },
      { "identity_provider_id": identity_provider_id },
      {},
      options,
    );
  }

  /** List the identity providers by which people of the account sign in. `GET /identity_providers` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
    } = {},
    options: Options = {},
  ): Listing<records.IdentityProvider> {
    return this.caller.list<records.IdentityProvider>(
      { method: "GET", path: "/identity_providers", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]"}, answer: { r: ["PageOfIdentityProvider"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Change an identity provider; people who are linked have the roles of their groups at once. `PATCH
   * /identity_providers/{identity_provider_id}`
   */
  update(
    identity_provider_id: string,
    asked: {
      /** What people read on the button; once in the account. */
      name?: string;
      /**
       * What the provider calls itself, below which its discovery document is, such as
       * `https://id.example`.
       */
      issuer?: string;
      /** What the provider calls this service. */
      client_id?: string;
      /** Another secret. Required with another issuer: the one that is kept is not sent there. */
      client_secret?: string;
      /** The domains of the e-mail addresses of people who may sign in, such as `plant.example`. */
      domains?: string[];
      /**
       * The roles of groups. Whoever is in several groups may do what each of them may; whoever is in
       * none of them is refused, and everybody while no group has a role.
       */
      roles?: records.GroupRole[];
      /** The claim in which the provider sends the groups of a person. */
      groups_claim?: string;
      /** Whether passwords of the account no longer sign in, but for people who keep theirs. */
      is_required?: boolean;
    } = {},
    options: Options = {},
  ): Promise<records.IdentityProvider> {
    return this.caller.call<records.IdentityProvider>(
      { method: "PATCH", path: "/identity_providers/{identity_provider_id}", body: { name: ["name", {  }], issuer: ["issuer", {  }], client_id: ["client_id", {  }], client_secret: ["client_secret", {  }], domains: ["domains", {  }], roles: ["roles", { l: { r: ["GroupRole"] } }], groups_claim: ["groups_claim", {  }], is_required: ["is_required", {  }] }, wrapper: "identity_provider", takesKey: true, answer: { r: ["IdentityProvider"] } },
      { "identity_provider_id": identity_provider_id },
      asked,
      options,
    );
  }
}

/** Operations on instruments. */
export class InstrumentsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Enter an instrument of a system ledger, which it credits with its amount. `POST
   * /ledgers/{ledger_id}/instruments`
   */
  create(
    ledger_id: string,
    asked: {
      /** The number that its registry gave it, once in the ledger. */
      external_id: string;
      /**
       * What it credits its ledger with, in the ledger's unit; above zero, with no more decimals than
       * the ledger's `scale`.
       */
      amount: Decimal;
      /** What people call it; null when not said. */
      name?: string | null;
      /** Where the energy or fuel was made, such as `US-CA`; null when not said. */
      geography?: string | null;
      /** How the energy behind a renewable energy credit was made; null when not said. */
      generation_tech?: "wind" | "solar" | "other" | null;
      /** The day on which the registry issued it, such as `2025-01-31`; null when not said. */
      issued_on?: string | null;
      /** The day on which it was bought, such as `2025-02-14`; null when not said. */
      purchased_on?: string | null;
      /** The mass of the fuel, in t; null when not said. */
      mass?: Decimal | null;
      /** The emissions of the fuel by its energy, in g{CO2e}/MJ; null when not said. */
      energy_intensity?: Decimal | null;
      /** The lower heating value of the fuel, in MJ/kg; null when not said. */
      lower_heating_value?: Decimal | null;
    },
    options: Options = {},
  ): Promise<records.Instrument> {
    return this.caller.call<records.Instrument>(
      { method: "POST", path: "/ledgers/{ledger_id}/instruments", body: { external_id: ["external_id", {  }], amount: ["amount", { n: "number" }], name: ["name", {  }], geography: ["geography", {  }], generation_tech: ["generation_tech", {  }], issued_on: ["issued_on", {  }], purchased_on: ["purchased_on", {  }], mass: ["mass", { n: "number" }], energy_intensity: ["energy_intensity", { n: "number" }], lower_heating_value: ["lower_heating_value", { n: "number" }] }, wrapper: "instrument", takesKey: true, answer: { r: ["Instrument"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }

  /**
   * List the instruments of a system ledger; other ledgers have none. `GET
   * /ledgers/{ledger_id}/instruments`
   */
  list(
    ledger_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is start_time, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose external_id is the value given: an external id. */
      external_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Instrument> {
    return this.caller.list<records.Instrument>(
      { method: "GET", path: "/ledgers/{ledger_id}/instruments", query: {"page": "page", "page_size": "page_size", "sort": "sort", "external_id": "filter[external_id][eq]"}, answer: { r: ["PageOfInstrument"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }
}

/** Operations on ledgers. */
export class LedgersOperations {
  constructor(private readonly caller: Caller) {}

  /** Create a ledger of the project that the body names. `POST /ledgers` */
  create(
    asked: {
      /**
       * What people call it, once in the project, such as `Wood chips on stock`; models draw from it by
       * that.
       */
      name: string;
      /** Required, unless the kind of a system ledger gives it. */
      unit?: string | null;
      /** The version of the model that credits it, such as `mod_…`; it can be given later, once. */
      model_id?: string | null;
      /** The slug of the output of the model that it keeps; its primary output when left out. */
      output?: string | null;
      /** What its batches are, in the project's own words, such as `feedstock`; null when not said. */
      asset_category?: string | null;
      /**
       * To how many decimals pages round its amounts, at most its scale; six significant digits without
       * it.
       */
      display_places?: number | null;
      /** How many decimals its amounts have. */
      scale?: number;
      /**
       * How it rounds; with `down` no total exceeds what was computed, and draws round up. It never
       * changes.
       */
      rounding?: "half_even" | "down";
      /** Makes a system ledger, which instruments credit instead of a model. */
      system_ledger_type?: "renewable_energy_credits" | "renewable_fuel" | "embodied_emissions" | null;
      /** The project, as `prj_…` or its number. */
      project_id: string | number;
    },
    options: Options = {},
  ): Promise<records.Ledger> {
    return this.caller.call<records.Ledger>(
      { method: "POST", path: "/ledgers", body: { name: ["name", {  }], unit: ["unit", {  }], model_id: ["model_id", {  }], output: ["output", {  }], asset_category: ["asset_category", {  }], display_places: ["display_places", { n: "integer" }], scale: ["scale", { n: "integer" }], rounding: ["rounding", {  }], system_ledger_type: ["system_ledger_type", {  }], project_id: ["project_id", { n: "integer" }] }, wrapper: "ledger", takesKey: true, answer: { r: ["Ledger"] } },
      {},
      asked,
      options,
    );
  }

  /** Create a ledger of the project in the path. `POST /projects/{project_id}/ledgers` */
  create_ledger_of_project(
    project_id: string,
    asked: {
      /**
       * What people call it, once in the project, such as `Wood chips on stock`; models draw from it by
       * that.
       */
      name: string;
      /** Required, unless the kind of a system ledger gives it. */
      unit?: string | null;
      /** The version of the model that credits it, such as `mod_…`; it can be given later, once. */
      model_id?: string | null;
      /** The slug of the output of the model that it keeps; its primary output when left out. */
      output?: string | null;
      /** What its batches are, in the project's own words, such as `feedstock`; null when not said. */
      asset_category?: string | null;
      /**
       * To how many decimals pages round its amounts, at most its scale; six significant digits without
       * it.
       */
      display_places?: number | null;
      /** How many decimals its amounts have. */
      scale?: number;
      /**
       * How it rounds; with `down` no total exceeds what was computed, and draws round up. It never
       * changes.
       */
      rounding?: "half_even" | "down";
      /** Makes a system ledger, which instruments credit instead of a model. */
      system_ledger_type?: "renewable_energy_credits" | "renewable_fuel" | "embodied_emissions" | null;
    },
    options: Options = {},
  ): Promise<records.Ledger> {
    return this.caller.call<records.Ledger>(
      { method: "POST", path: "/projects/{project_id}/ledgers", body: { name: ["name", {  }], unit: ["unit", {  }], model_id: ["model_id", {  }], output: ["output", {  }], asset_category: ["asset_category", {  }], display_places: ["display_places", { n: "integer" }], scale: ["scale", { n: "integer" }], rounding: ["rounding", {  }], system_ledger_type: ["system_ledger_type", {  }] }, wrapper: "ledger", takesKey: true, answer: { r: ["Ledger"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /** Remove a ledger to which nothing was ever posted. `DELETE /ledgers/{ledger_id}` */
  delete(
    ledger_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/ledgers/{ledger_id}", answer: "void" },
      { "ledger_id": ledger_id },
      {},
      options,
    );
  }

  /**
   * Read one ledger, with what it holds and is short of, now or at named times. `GET
   * /ledgers/{ledger_id}`
   */
  get(
    ledger_id: string,
    asked: {
      /**
       * What was produced and drawn up to this moment, which ends the slots and periods that it closes;
       * without it, everything.
       */
      effective_at?: string;
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
    } = {},
    options: Options = {},
  ): Promise<records.Ledger> {
    return this.caller.call<records.Ledger>(
      { method: "GET", path: "/ledgers/{ledger_id}", query: {"effective_at": "effective_at", "as_of": "as_of"}, answer: { r: ["Ledger"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }

  /**
   * List the times in which more was drawn from the ledger than it had produced, by partition and slot.
   * `GET /ledgers/{ledger_id}/deficits`
   */
  list_deficits(
    ledger_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
    } = {},
    options: Options = {},
  ): Promise<records.Deficits> {
    return this.caller.call<records.Deficits>(
      { method: "GET", path: "/ledgers/{ledger_id}/deficits", query: {"as_of": "as_of"}, answer: { r: ["Deficits"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }

  /**
   * List the account's ledgers, with what they hold and are short of, now or at named times. `GET
   * /ledgers`
   */
  list(
    asked: {
      /**
       * What was produced and drawn up to this moment, which ends the slots and periods that it closes;
       * without it, everything.
       */
      effective_at?: string;
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      project_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Ledger> {
    return this.caller.list<records.Ledger>(
      { method: "GET", path: "/ledgers", query: {"effective_at": "effective_at", "as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "project_id": "filter[project_id][eq]"}, answer: { r: ["PageOfLedger"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * List the ledgers of a project, with what they hold and are short of, now or at named times. `GET
   * /projects/{project_id}/ledgers`
   */
  list_of_project(
    project_id: string,
    asked: {
      /**
       * What was produced and drawn up to this moment, which ends the slots and periods that it closes;
       * without it, everything.
       */
      effective_at?: string;
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      filter_project_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Ledger> {
    return this.caller.list<records.Ledger>(
      { method: "GET", path: "/projects/{project_id}/ledgers", query: {"effective_at": "effective_at", "as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "filter_project_id": "filter[project_id][eq]"}, answer: { r: ["PageOfLedger"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /** List the inputs that the ledger's model needs. `GET /ledgers/{ledger_id}/required_inputs` */
  list_required_inputs(
    ledger_id: string,
    options: Options = {},
  ): Promise<records.RequiredInputs> {
    return this.caller.call<records.RequiredInputs>(
      { method: "GET", path: "/ledgers/{ledger_id}/required_inputs", answer: { r: ["RequiredInputs"] } },
      { "ledger_id": ledger_id },
      {},
      options,
    );
  }

  /**
   * Change a ledger's name or asset category, or give it a model while it has none. `PATCH
   * /ledgers/{ledger_id}`
   */
  update(
    ledger_id: string,
    asked: {
      /**
       * What people call it, once in the project, such as `Wood chips on stock`; models draw from it by
       * that.
       */
      name?: string;
      /** What its batches are, in the project's own words, such as `feedstock`; null when not said. */
      asset_category?: string | null;
      /**
       * To how many decimals pages round its amounts, at most its scale; null for six significant
       * digits. All answers of the interface have every digit.
       */
      display_places?: number | null;
      /** The model that it runs, once and for all; only while it has none. */
      model_id?: string;
      /** With a model, the output of it that the ledger keeps; its primary output when left out. */
      output?: string;
    } = {},
    options: Options = {},
  ): Promise<records.Ledger> {
    return this.caller.call<records.Ledger>(
      { method: "PATCH", path: "/ledgers/{ledger_id}", body: { name: ["name", {  }], asset_category: ["asset_category", {  }], display_places: ["display_places", { n: "integer" }], model_id: ["model_id", {  }], output: ["output", {  }] }, wrapper: "ledger", takesKey: true, answer: { r: ["Ledger"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }
}

/** Operations on locations. */
export class LocationsOperations {
  constructor(private readonly caller: Caller) {}

  /** Create a location. `POST /projects/{project_id}/locations` */
  create(
    project_id: string,
    asked: {
      /** What people call it, once in the project, such as `Plant North`. */
      name: string;
      /** The latitude in degrees from -90 to 90, as a number or a text. */
      lat?: Decimal | null;
      /** The longitude in degrees from -180 to 180, as a number or a text. */
      long?: Decimal | null;
      /** Its postal address, which a change replaces as a whole; null when not said. */
      address?: records.Address | null;
      /**
       * From when it is expected to measure, inclusive, as a meter of events without an asset; null
       * says nothing.
       */
      in_service_from?: string | null;
      /** Until when it is expected to measure, exclusive; null says nothing. */
      in_service_until?: string | null;
    },
    options: Options = {},
  ): Promise<records.Location> {
    return this.caller.call<records.Location>(
      { method: "POST", path: "/projects/{project_id}/locations", body: { name: ["name", {  }], lat: ["lat", { n: "number" }], long: ["long", { n: "number" }], address: ["address", { r: ["Address"] }], in_service_from: ["in_service_from", {  }], in_service_until: ["in_service_until", {  }] }, wrapper: "location", takesKey: true, answer: { r: ["Location"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /** Remove a location that no event names. `DELETE /projects/{project_id}/locations/{location_id}` */
  delete(
    project_id: string,
    location_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/projects/{project_id}/locations/{location_id}", answer: "void" },
      { "project_id": project_id, "location_id": location_id },
      {},
      options,
    );
  }

  /** Read one location. `GET /projects/{project_id}/locations/{location_id}` */
  get(
    project_id: string,
    location_id: string,
    options: Options = {},
  ): Promise<records.Location> {
    return this.caller.call<records.Location>(
      { method: "GET", path: "/projects/{project_id}/locations/{location_id}", answer: { r: ["Location"] } },
      { "project_id": project_id, "location_id": location_id },
      {},
      options,
    );
  }

  /** List a project's locations; events name them by id. `GET /projects/{project_id}/locations` */
  list(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      filter_project_id?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Location> {
    return this.caller.list<records.Location>(
      { method: "GET", path: "/projects/{project_id}/locations", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "filter_project_id": "filter[project_id][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]"}, answer: { r: ["PageOfLocation"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /** List the locations of all projects of the account. `GET /locations` */
  list_locations_of_account(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      project_id?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Location> {
    return this.caller.list<records.Location>(
      { method: "GET", path: "/locations", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "project_id": "filter[project_id][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]"}, answer: { r: ["PageOfLocation"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Change a location; its name is fixed once batches were made of its events. `PATCH
   * /projects/{project_id}/locations/{location_id}`
   */
  update(
    project_id: string,
    location_id: string,
    asked: {
      /** What people call it, once in the project, such as `Plant North`. */
      name?: string;
      /** The latitude in degrees from -90 to 90, as a number or a text. */
      lat?: Decimal | null;
      /** The longitude in degrees from -180 to 180, as a number or a text. */
      long?: Decimal | null;
      /** Its postal address, which a change replaces as a whole; null when not said. */
      address?: records.Address | null;
      /**
       * From when it is expected to measure, inclusive, as a meter of events without an asset; null
       * says nothing.
       */
      in_service_from?: string | null;
      /** Until when it is expected to measure, exclusive; null says nothing. */
      in_service_until?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.Location> {
    return this.caller.call<records.Location>(
      { method: "PATCH", path: "/projects/{project_id}/locations/{location_id}", body: { name: ["name", {  }], lat: ["lat", { n: "number" }], long: ["long", { n: "number" }], address: ["address", { r: ["Address"] }], in_service_from: ["in_service_from", {  }], in_service_until: ["in_service_until", {  }] }, wrapper: "location", takesKey: true, answer: { r: ["Location"] } },
      { "project_id": project_id, "location_id": location_id },
      asked,
      options,
    );
  }
}

/** Operations on methodologies. */
export class MethodologiesOperations {
  constructor(private readonly caller: Caller) {}

  /** Create a methodology, once by name and version; it never changes. `POST /methodologies` */
  create(
    asked: {
      /** What the methodology is called, such as `Biochar carbon removal`; once in each version. */
      name: string;
      /** The version as its owner writes it, such as `2.1`. */
      version: string;
      /** The type of the reports that follow it, such as `quarterly`. */
      report_type: string;
      /** The models that implement it, such as `mod_…`. */
      model_ids?: string[];
      /**
       * By an id in `model_ids` the versions of the model that implement it, such as `{"mod_…": [2,
       * 3]}`; any version of a model that is not in it.
       */
      model_versions?: Record<string, number[]>;
      /**
       * What becomes of a report with batches of other versions: `refuse` its submission, or `note`
       * them.
       */
      other_versions?: "refuse" | "note";
      /**
       * The ledgers that its reports take of, each in its role, the first of them in the unit of the
       * reports; empty where a report takes of one.
       */
      ledgers?: records.MethodologyLedger[];
      /** What must hold of a report before it is sent off, beside what must always hold. */
      submission_requirements?: ("no_open_alerts" | "evidence")[];
      /**
       * How much of what a report takes has to be measured, from 0 to 1; null where it asks for none.
       */
      measured_share_min?: Decimal | null;
      /** The registry that its reports go to, unless a submission names another one. */
      registry_id?: number | null;
      /** How its reports are written: `format`, `template` and, if they are checked, `schema`. */
      mapping?: Record<string, unknown> | null;
    },
    options: Options = {},
  ): Promise<records.Methodology> {
    return this.caller.call<records.Methodology>(
      { method: "POST", path: "/methodologies", body: { name: ["name", {  }], version: ["version", {  }], report_type: ["report_type", {  }], model_ids: ["model_ids", {  }], model_versions: ["model_versions", { m: { l: { n: "integer" } } }], other_versions: ["other_versions", {  }], ledgers: ["ledgers", { l: { r: ["MethodologyLedger"] } }], submission_requirements: ["submission_requirements", {  }], measured_share_min: ["measured_share_min", { n: "number" }], registry_id: ["registry_id", { n: "integer" }], mapping: ["mapping", {  }] }, wrapper: "methodology", takesKey: true, answer: { r: ["Methodology"] } },
      {},
      asked,
      options,
    );
  }

  /** Read one methodology. `GET /methodologies/{methodology_id}` */
  get(
    methodology_id: string,
    options: Options = {},
  ): Promise<records.Methodology> {
    return this.caller.call<records.Methodology>(
      { method: "GET", path: "/methodologies/{methodology_id}", answer: { r: ["Methodology"] } },
      { "methodology_id": methodology_id },
      {},
      options,
    );
  }

  /** List the account's methodologies. `GET /methodologies` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Methodology> {
    return this.caller.list<records.Methodology>(
      { method: "GET", path: "/methodologies", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]"}, answer: { r: ["PageOfMethodology"] } },
      {},
      asked,
      options,
    );
  }
}

/** Operations on methodology packages. */
export class MethodologyPackagesOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Take a methodology package into the account: a file, or by name one that ships with the service.
   * `POST /methodology_packages`
   */
  create(
    asked: {
      /** The name of a package that ships with the service, such as `stationary-combustion`. */
      name: string;
    },
    options: Options = {},
  ): Promise<records.MethodologyPackage> {
    return this.caller.call<records.MethodologyPackage>(
      { method: "POST", path: "/methodology_packages", body: { name: ["name", {  }] }, wrapper: "methodology_package", takesKey: true, answer: { r: ["MethodologyPackage"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Remove a methodology package that is installed in no project. `DELETE
   * /methodology_packages/{methodology_package_id}`
   */
  delete(
    methodology_package_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/methodology_packages/{methodology_package_id}", answer: "void" },
      { "methodology_package_id": methodology_package_id },
      {},
      options,
    );
  }

  /**
   * Download the file of a methodology package, the very bytes that were uploaded. `GET
   * /methodology_packages/{methodology_package_id}/content`
   */
  download(
    methodology_package_id: string,
    options: Options = {},
  ): Promise<Uint8Array> {
    return this.caller.call<Uint8Array>(
      { method: "GET", path: "/methodology_packages/{methodology_package_id}/content", answer: "Uint8Array" },
      { "methodology_package_id": methodology_package_id },
      {},
      options,
    );
  }

  /**
   * Read one methodology package with all that it brings: sources, models with their cases, and records.
   * `GET /methodology_packages/{methodology_package_id}`
   */
  get(
    methodology_package_id: string,
    options: Options = {},
  ): Promise<records.MethodologyPackage> {
    return this.caller.call<records.MethodologyPackage>(
      { method: "GET", path: "/methodology_packages/{methodology_package_id}", answer: { r: ["MethodologyPackage"] } },
      { "methodology_package_id": methodology_package_id },
      {},
      options,
    );
  }

  /**
   * List the methodology packages that ship with the service, and whether the account has taken them.
   * `GET /library_packages`
   */
  list_library_packages(
    options: Options = {},
  ): Promise<records.LibraryPackages> {
    return this.caller.call<records.LibraryPackages>(
      { method: "GET", path: "/library_packages", answer: { r: ["LibraryPackages"] } },
      {},
      {},
      options,
    );
  }

  /**
   * List the account's methodology packages, the newest first; what they bring is in each by itself. `GET
   * /methodology_packages`
   */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: the name of a package. */
      name?: string;
      /** Only records whose publisher is the value given: a publisher. */
      publisher?: string;
    } = {},
    options: Options = {},
  ): Listing<records.MethodologyPackage> {
    return this.caller.list<records.MethodologyPackage>(
      { method: "GET", path: "/methodology_packages", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "publisher": "filter[publisher][eq]"}, answer: { r: ["PageOfMethodologyPackage"] } },
      {},
      asked,
      options,
    );
  }
}

/** Operations on model runs. */
export class ModelRunsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Evaluate one version of a model at once over the data points that are named; it credits no ledger.
   * `POST /models/{model_id}/model_runs`
   */
  create(
    model_id: string,
    asked: {
      /** The start of the period that it computes, inclusive. */
      start_time: string;
      /** The end of that period, exclusive. */
      end_time: string;
      /** The friendly ids of the data points to evaluate, up to 10,000, such as `in_…`. */
      data_point_ids: string[];
    },
    options: Options = {},
  ): Promise<records.ModelRun> {
    return this.caller.call<records.ModelRun>(
      { method: "POST", path: "/models/{model_id}/model_runs", body: { start_time: ["start_time", {  }], end_time: ["end_time", {  }], data_point_ids: ["data_point_ids", {  }] }, wrapper: "model_run", takesKey: true, answer: { r: ["ModelRun"] } },
      { "model_id": model_id },
      asked,
      options,
    );
  }

  /**
   * Delete a run that stands alone; 422 with every blocker and its records for one behind a batch.
   * `DELETE /model_runs/{model_run_id}`
   */
  delete(
    model_run_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/model_runs/{model_run_id}", answer: "void" },
      { "model_run_id": model_run_id },
      {},
      options,
    );
  }

  /**
   * Read one run with the value of every node; that behind a batch has the batch's values. `GET
   * /model_runs/{model_run_id}`
   */
  get(
    model_run_id: string,
    options: Options = {},
  ): Promise<records.ModelRun> {
    return this.caller.call<records.ModelRun>(
      { method: "GET", path: "/model_runs/{model_run_id}", answer: { r: ["ModelRun"] } },
      { "model_run_id": model_run_id },
      {},
      options,
    );
  }

  /**
   * List the runs of one version of a model: those that stand alone, and those behind its batches. `GET
   * /models/{model_id}/model_runs`
   */
  list(
    model_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is start_time, or what the cursor was written for. By end_time, state, created_at, updated_at,
       * or by several, at most 10,000 records are sorted.
       */
      sort?: string | readonly string[];
      /** Only records whose start_time is at or after the value given: a time with an offset or Z. */
      start_time_geq?: string;
      /** Only records whose start_time is at or before the value given: a time with an offset or Z. */
      start_time_leq?: string;
      /** Only records whose end_time is at or after the value given: a time with an offset or Z. */
      end_time_geq?: string;
      /** Only records whose end_time is at or before the value given: a time with an offset or Z. */
      end_time_leq?: string;
      /** Only records whose state is the value given: complete or failed or processing. */
      state?: "complete" | "failed" | "processing";
    } = {},
    options: Options = {},
  ): Listing<records.ModelRun> {
    return this.caller.list<records.ModelRun>(
      { method: "GET", path: "/models/{model_id}/model_runs", query: {"page": "page", "page_size": "page_size", "sort": "sort", "start_time_geq": "filter[start_time][geq]", "start_time_leq": "filter[start_time][leq]", "end_time_geq": "filter[end_time][geq]", "end_time_leq": "filter[end_time][leq]", "state": "filter[state][eq]"}, answer: { r: ["PageOfModelRun"] } },
      { "model_id": model_id },
      asked,
      options,
    );
  }
}

/** Operations on models. */
export class ModelsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Make a version the active one, which ledgers run from then on; the body may be left out. `POST
   * /models/{model_id}/activate`
   */
  activate(
    model_id: string,
    options: Options = {},
  ): Promise<records.Model> {
    return this.caller.call<records.Model>(
      { method: "POST", path: "/models/{model_id}/activate", body: {  }, takesKey: true, answer: { r: ["Model"] } },
      { "model_id": model_id },
      {},
      options,
    );
  }

  /**
   * Compare two versions node by node: what was added, removed and changed on the way to the other. `GET
   * /models/{model_id}/difference`
   */
  compare(
    model_id: string,
    asked: {
      /** The id of the version to compare with. */
      to: string;
    },
    options: Options = {},
  ): Promise<records.Difference> {
    return this.caller.call<records.Difference>(
      { method: "GET", path: "/models/{model_id}/difference", query: {"to": "to"}, answer: { r: ["Difference"] } },
      { "model_id": model_id },
      asked,
      options,
    );
  }

  /**
   * Create a model from its YAML document, which is checked whole: units, names, its own cases. `POST
   * /models`
   */
  create(
    asked: {
      /** The document, as text in the model language. */
      yaml: string;
      /**
       * The project that it belongs to, as `prj_…` or its number; left out, all projects may run it.
       */
      project_id?: string | number | null;
    },
    options: Options = {},
  ): Promise<records.Model> {
    return this.caller.call<records.Model>(
      { method: "POST", path: "/models", body: { yaml: ["yaml", {  }], project_id: ["project_id", { n: "integer" }] }, wrapper: "model", takesKey: true, answer: { r: ["Model"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Create the next version of a model, with an id of its own; 409 unless the path names the latest.
   * `POST /models/{model_id}/versions`
   */
  create_model_version(
    model_id: string,
    asked: {
      /** The document, as text in the model language. */
      yaml: string;
      /** What people call the version, up to 255 characters. */
      version_label?: string | null;
      /** What people write about the version, up to 500 characters. */
      description?: string | null;
      /** Whether generations are to run it from now on. */
      activate?: boolean;
    },
    options: Options = {},
  ): Promise<records.Model> {
    return this.caller.call<records.Model>(
      { method: "POST", path: "/models/{model_id}/versions", body: { yaml: ["yaml", {  }], version_label: ["version_label", {  }], description: ["description", {  }], activate: ["activate", {  }] }, takesKey: true, answer: { r: ["Model"] } },
      { "model_id": model_id },
      asked,
      options,
    );
  }

  /**
   * Download the YAML document of a version, character by character as it was saved. `GET
   * /models/{model_id}/document`
   */
  download_model_document(
    model_id: string,
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/models/{model_id}/document", answer: "string" },
      { "model_id": model_id },
      {},
      options,
    );
  }

  /** Read one version of a model. `GET /models/{model_id}` */
  get(
    model_id: string,
    options: Options = {},
  ): Promise<records.Model> {
    return this.caller.call<records.Model>(
      { method: "GET", path: "/models/{model_id}", answer: { r: ["Model"] } },
      { "model_id": model_id },
      {},
      options,
    );
  }

  /**
   * Read what a version takes from outside, what it gives, and an example of a simulation. `GET
   * /models/{model_id}/schema`
   */
  get_model_schema(
    model_id: string,
    options: Options = {},
  ): Promise<records.Schema> {
    return this.caller.call<records.Schema>(
      { method: "GET", path: "/models/{model_id}/schema", answer: { r: ["Schema"] } },
      { "model_id": model_id },
      {},
      options,
    );
  }

  /**
   * List the versions of a model, whichever of them the path names. `GET /models/{model_id}/versions`
   */
  list_model_versions(
    model_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is version, or what the cursor was written for.
       */
      sort?: string | readonly string[];
    } = {},
    options: Options = {},
  ): Listing<records.Model> {
    return this.caller.list<records.Model>(
      { method: "GET", path: "/models/{model_id}/versions", query: {"page": "page", "page_size": "page_size", "sort": "sort"}, answer: { r: ["PageOfModel"] } },
      { "model_id": model_id },
      asked,
      options,
    );
  }

  /** List the account's models, every version of each. `GET /models` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      project_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Model> {
    return this.caller.list<records.Model>(
      { method: "GET", path: "/models", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "project_id": "filter[project_id][eq]"}, answer: { r: ["PageOfModel"] } },
      {},
      asked,
      options,
    );
  }

  /** List the models of a project, every version of each. `GET /projects/{project_id}/models` */
  list_of_project(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      filter_project_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Model> {
    return this.caller.list<records.Model>(
      { method: "GET", path: "/projects/{project_id}/models", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "filter_project_id": "filter[project_id][eq]"}, answer: { r: ["PageOfModel"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Set the label of a version; null or an empty text clears it. `PATCH /models/{model_id}/version_label`
   */
  set_version_label(
    model_id: string,
    asked: {
      /** What people call the version, up to 255 characters; null or an empty text clears it. */
      version_label: string | null;
    },
    options: Options = {},
  ): Promise<records.Model> {
    return this.caller.call<records.Model>(
      { method: "PATCH", path: "/models/{model_id}/version_label", body: { version_label: ["version_label", {  }] }, wrapper: "model", takesKey: true, answer: { r: ["Model"] } },
      { "model_id": model_id },
      asked,
      options,
    );
  }

  /**
   * Compute a version once from the values given; nothing is stored. `POST /models/{model_id}/simulate`
   */
  simulate(
    model_id: string,
    asked: {
      /**
       * Numbers, or lists of numbers, by the slug of the node or of its data point type, in the unit of
       * the node.
       */
      inputs: Record<string, unknown>;
      /** The start of the slot that is computed, inclusive. */
      start_time: string;
      /** The end of the slot that is computed, exclusive. */
      end_time: string;
      /**
       * The values of the partition for formulas that read them, such as `{"feedstock": "Wood chips"}`.
       */
      partition?: Record<string, string>;
      /**
       * How many hours each event lasted, as a list by the slug of the node, for formulas that ask.
       */
      durations?: Record<string, unknown>;
      /**
       * How well the values of a node are known, by its slug, in place of what the document states of
       * them.
       */
      uncertainties?: Record<string, records.StatedUncertainty>;
    },
    options: Options = {},
  ): Promise<records.Simulated> {
    return this.caller.call<records.Simulated>(
      { method: "POST", path: "/models/{model_id}/simulate", body: { inputs: ["inputs", {  }], start_time: ["start_time", {  }], end_time: ["end_time", {  }], partition: ["partition", {  }], durations: ["durations", {  }], uncertainties: ["uncertainties", { m: { r: ["StatedUncertainty"] } }] }, takesKey: true, answer: { r: ["Simulated"] } },
      { "model_id": model_id },
      asked,
      options,
    );
  }

  /**
   * Change the name, order or description of a version; what it computes changes only by a new version.
   * `PATCH /models/{model_id}`
   */
  update(
    model_id: string,
    asked: {
      /** What the document calls the model, or what it was renamed to, such as `Biochar storage`. */
      name?: string;
      /** Where the version stands in a list that is sorted by `order`; the smaller goes first. */
      order?: number;
      /** What people write about the version, up to 500 characters; null when there is nothing. */
      description?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.Model> {
    return this.caller.call<records.Model>(
      { method: "PATCH", path: "/models/{model_id}", body: { name: ["name", {  }], order: ["order", { n: "integer" }], description: ["description", {  }] }, wrapper: "model", takesKey: true, answer: { r: ["Model"] } },
      { "model_id": model_id },
      asked,
      options,
    );
  }

  /**
   * Say everything that is wrong with a document that is to be the next version; nothing is stored. `POST
   * /models/{model_id}/yaml_validate`
   */
  validate_model_yaml(
    model_id: string,
    asked: {
      /** The document, as text in the model language. */
      yaml: string;
    },
    options: Options = {},
  ): Promise<records.Validation> {
    return this.caller.call<records.Validation>(
      { method: "POST", path: "/models/{model_id}/yaml_validate", body: { yaml: ["yaml", {  }] }, takesKey: true, answer: { r: ["Validation"] } },
      { "model_id": model_id },
      asked,
      options,
    );
  }

  /**
   * Say everything that is wrong with a document, with lines and columns; nothing is stored. `POST
   * /models/yaml_validate`
   */
  validate_yaml(
    asked: {
      /** The document, as text in the model language. */
      yaml: string;
      /** The project whose event types and ledgers it may name, as `prj_…` or its number. */
      project_id?: string | number | null;
    },
    options: Options = {},
  ): Promise<records.Validation> {
    return this.caller.call<records.Validation>(
      { method: "POST", path: "/models/yaml_validate", body: { yaml: ["yaml", {  }], project_id: ["project_id", { n: "integer" }] }, takesKey: true, answer: { r: ["Validation"] } },
      {},
      asked,
      options,
    );
  }
}

/** Operations on outages. */
export class OutagesOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Declare an outage of an asset, of a location, of all meters of an event type, or of the project.
   * `POST /projects/{project_id}/outages`
   */
  create(
    project_id: string,
    asked: {
      /** Why nothing was measured, such as `Calibration of the analyser`. */
      reason: string;
      /** From when nothing is expected, inclusive. */
      start_time: string;
      /** Until when nothing is expected, exclusive; null while it lasts. */
      end_time?: string | null;
      /** The friendly id of the asset that was out; null when it names none. */
      asset_id?: string | null;
      /**
       * The friendly id of the location that was out, as a meter of its own; null when it names none.
       */
      location_id?: string | null;
      /**
       * The event type that it is about: alone, all meters of it; null when it is about all event
       * types.
       */
      event_type_id?: string | null;
      /** A link to what proves it, such as a page of the logbook; null without one. */
      evidence_url?: string | null;
    },
    options: Options = {},
  ): Promise<records.Outage> {
    return this.caller.call<records.Outage>(
      { method: "POST", path: "/projects/{project_id}/outages", body: { reason: ["reason", {  }], start_time: ["start_time", {  }], end_time: ["end_time", {  }], asset_id: ["asset_id", {  }], location_id: ["location_id", {  }], event_type_id: ["event_type_id", {  }], evidence_url: ["evidence_url", {  }] }, wrapper: "outage", takesKey: true, answer: { r: ["Outage"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Remove an outage, so that measurements are expected in its time again. `DELETE
   * /projects/{project_id}/outages/{outage_id}`
   */
  delete(
    project_id: string,
    outage_id: number,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/projects/{project_id}/outages/{outage_id}", answer: "void" },
      { "project_id": project_id, "outage_id": outage_id },
      {},
      options,
    );
  }

  /** Read one outage. `GET /projects/{project_id}/outages/{outage_id}` */
  get(
    project_id: string,
    outage_id: number,
    options: Options = {},
  ): Promise<records.Outage> {
    return this.caller.call<records.Outage>(
      { method: "GET", path: "/projects/{project_id}/outages/{outage_id}", answer: { r: ["Outage"] } },
      { "project_id": project_id, "outage_id": outage_id },
      {},
      options,
    );
  }

  /**
   * List a project's outages: when nothing was expected of which meter, and why. `GET
   * /projects/{project_id}/outages`
   */
  list(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose start_time is at or after the value given: a time with an offset or Z. */
      start_time_geq?: string;
      /** Only records whose start_time is at or before the value given: a time with an offset or Z. */
      start_time_leq?: string;
      /** Only records whose end_time is at or after the value given: a time with an offset or Z. */
      end_time_geq?: string;
      /** Only records whose end_time is at or before the value given: a time with an offset or Z. */
      end_time_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Outage> {
    return this.caller.list<records.Outage>(
      { method: "GET", path: "/projects/{project_id}/outages", query: {"page": "page", "page_size": "page_size", "sort": "sort", "start_time_geq": "filter[start_time][geq]", "start_time_leq": "filter[start_time][leq]", "end_time_geq": "filter[end_time][geq]", "end_time_leq": "filter[end_time][leq]"}, answer: { r: ["PageOfOutage"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Change an outage, for example say when it ended; the audit log keeps what it said before. `PATCH
   * /projects/{project_id}/outages/{outage_id}`
   */
  update(
    project_id: string,
    outage_id: number,
    asked: {
      /** Why nothing was measured, such as `Calibration of the analyser`. */
      reason?: string;
      /** From when nothing is expected, inclusive. */
      start_time?: string;
      /** Until when nothing is expected, exclusive; null while it lasts. */
      end_time?: string | null;
      /** The friendly id of the asset that was out; null when it names none. */
      asset_id?: string | null;
      /**
       * The friendly id of the location that was out, as a meter of its own; null when it names none.
       */
      location_id?: string | null;
      /**
       * The event type that it is about: alone, all meters of it; null when it is about all event
       * types.
       */
      event_type_id?: string | null;
      /** A link to what proves it, such as a page of the logbook; null without one. */
      evidence_url?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.Outage> {
    return this.caller.call<records.Outage>(
      { method: "PATCH", path: "/projects/{project_id}/outages/{outage_id}", body: { reason: ["reason", {  }], start_time: ["start_time", {  }], end_time: ["end_time", {  }], asset_id: ["asset_id", {  }], location_id: ["location_id", {  }], event_type_id: ["event_type_id", {  }], evidence_url: ["evidence_url", {  }] }, wrapper: "outage", takesKey: true, answer: { r: ["Outage"] } },
      { "project_id": project_id, "outage_id": outage_id },
      asked,
      options,
    );
  }
}

/** Operations on package installations. */
export class PackageInstallationsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Install a methodology package in a project, with the packages that it needs, all or nothing. `POST
   * /projects/{project_id}/package_installations`
   */
  create(
    project_id: string,
    asked: {
      /** The number of the package, of the account. */
      package_id: number;
      /**
       * Whether records of the same names that differ are left as they are; without it they refuse the
       * installation.
       */
      keep_differing?: boolean;
    },
    options: Options = {},
  ): Promise<records.PackageInstallation> {
    return this.caller.call<records.PackageInstallation>(
      { method: "POST", path: "/projects/{project_id}/package_installations", body: { package_id: ["package_id", { n: "integer" }], keep_differing: ["keep_differing", {  }] }, wrapper: "package_installation", takesKey: true, answer: { r: ["PackageInstallation"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Remove an installation with those of its records that nothing uses; says what stays, and why. `DELETE
   * /package_installations/{package_installation_id}`
   */
  delete(
    package_installation_id: string,
    options: Options = {},
  ): Promise<records.PackageRemoval> {
    return this.caller.call<records.PackageRemoval>(
      { method: "DELETE", path: "/package_installations/{package_installation_id}", answer: { r: ["PackageRemoval"] } },
      { "package_installation_id": package_installation_id },
      {},
      options,
    );
  }

  /**
   * Read one installation: what was taken, and which of its records were changed here since. `GET
   * /package_installations/{package_installation_id}`
   */
  get(
    package_installation_id: string,
    options: Options = {},
  ): Promise<records.PackageInstallation> {
    return this.caller.call<records.PackageInstallation>(
      { method: "GET", path: "/package_installations/{package_installation_id}", answer: { r: ["PackageInstallation"] } },
      { "package_installation_id": package_installation_id },
      {},
      options,
    );
  }

  /**
   * List the packages that are installed in a project; their records are in each by itself. `GET
   * /projects/{project_id}/package_installations`
   */
  list(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: the name of a package. */
      name?: string;
      /**
       * Only records whose record_id holds the value given: the id of a record that came with a
       * package.
       */
      record_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.PackageInstallation> {
    return this.caller.list<records.PackageInstallation>(
      { method: "GET", path: "/projects/{project_id}/package_installations", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "record_id": "filter[record_id][eq]"}, answer: { r: ["PageOfPackageInstallation"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Say what installing a methodology package would come to; nothing is stored. `POST
   * /projects/{project_id}/package_installations/preview`
   */
  preview(
    project_id: string,
    asked: {
      /** The number of the package, of the account. */
      package_id: number;
      /**
       * Whether records of the same names that differ are left as they are; without it they refuse the
       * installation.
       */
      keep_differing?: boolean;
    },
    options: Options = {},
  ): Promise<records.InstallationPreview> {
    return this.caller.call<records.InstallationPreview>(
      { method: "POST", path: "/projects/{project_id}/package_installations/preview", body: { package_id: ["package_id", { n: "integer" }], keep_differing: ["keep_differing", {  }] }, wrapper: "package_installation", takesKey: true, answer: { r: ["InstallationPreview"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Say what an upgrade would come to, record by record and ledger by ledger; nothing is stored. `POST
   * /package_installations/{package_installation_id}/upgrade/preview`
   */
  preview_package_upgrade(
    package_installation_id: string,
    asked: {
      /** The number of a package of the account, of the same name and a higher version. */
      package_id: number;
      /**
       * Whether records that a new part would be called the same as, and that differ, are left as they
       * are.
       */
      keep_differing?: boolean;
    },
    options: Options = {},
  ): Promise<records.UpgradePreview> {
    return this.caller.call<records.UpgradePreview>(
      { method: "POST", path: "/package_installations/{package_installation_id}/upgrade/preview", body: { package_id: ["package_id", { n: "integer" }], keep_differing: ["keep_differing", {  }] }, wrapper: "upgrade", takesKey: true, answer: { r: ["UpgradePreview"] } },
      { "package_installation_id": package_installation_id },
      asked,
      options,
    );
  }

  /**
   * Bring an installation to a higher version of its package, all or nothing. `POST
   * /package_installations/{package_installation_id}/upgrade`
   */
  upgrade(
    package_installation_id: string,
    asked: {
      /** The number of a package of the account, of the same name and a higher version. */
      package_id: number;
      /**
       * Whether records that a new part would be called the same as, and that differ, are left as they
       * are.
       */
      keep_differing?: boolean;
    },
    options: Options = {},
  ): Promise<records.PackageUpgrade> {
    return this.caller.call<records.PackageUpgrade>(
      { method: "POST", path: "/package_installations/{package_installation_id}/upgrade", body: { package_id: ["package_id", { n: "integer" }], keep_differing: ["keep_differing", {  }] }, wrapper: "upgrade", takesKey: true, answer: { r: ["PackageUpgrade"] } },
      { "package_installation_id": package_installation_id },
      asked,
      options,
    );
  }
}

/** Operations on projects. */
export class ProjectsOperations {
  constructor(private readonly caller: Caller) {}

  /** Create a project. `POST /projects` */
  create(
    asked: {
      /** What people call it, such as `Plant North`. */
      name: string;
      /** What people write about it, up to 10,000 characters; null when there is nothing. */
      description?: string | null;
      /** The time zone that slots are cut in, by its IANA name. */
      time_zone?: string;
    },
    options: Options = {},
  ): Promise<records.Project> {
    return this.caller.call<records.Project>(
      { method: "POST", path: "/projects", body: { name: ["name", {  }], description: ["description", {  }], time_zone: ["time_zone", {  }] }, wrapper: "project", takesKey: true, answer: { r: ["Project"] } },
      {},
      asked,
      options,
    );
  }

  /** Read one project. `GET /projects/{project_id}` */
  get(
    project_id: string,
    options: Options = {},
  ): Promise<records.Project> {
    return this.caller.call<records.Project>(
      { method: "GET", path: "/projects/{project_id}", answer: { r: ["Project"] } },
      { "project_id": project_id },
      {},
      options,
    );
  }

  /** List the account's projects. `GET /projects` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
    } = {},
    options: Options = {},
  ): Listing<records.Project> {
    return this.caller.list<records.Project>(
      { method: "GET", path: "/projects", query: {"page": "page", "page_size": "page_size", "sort": "sort"}, answer: { r: ["PageOfProject"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Change a project's name, description, status or, while it has no batches, its time zone. `PATCH
   * /projects/{project_id}`
   */
  update(
    project_id: string,
    asked: {
      /** What people call it, such as `Plant North`. */
      name?: string;
      /** What people write about it, up to 10,000 characters; null when there is nothing. */
      description?: string | null;
      /** The time zone that slots are cut in, by its IANA name. */
      time_zone?: string;
      /** Whether it goes on; `archived` is a label, and keeps nobody from reading or writing. */
      status?: "active" | "archived";
    } = {},
    options: Options = {},
  ): Promise<records.Project> {
    return this.caller.call<records.Project>(
      { method: "PATCH", path: "/projects/{project_id}", body: { name: ["name", {  }], description: ["description", {  }], time_zone: ["time_zone", {  }], status: ["status", {  }] }, wrapper: "project", takesKey: true, answer: { r: ["Project"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }
}

/** Operations on received footprints. */
export class ReceivedFootprintsOperations {
  constructor(private readonly caller: Caller) {}

  /** Read one footprint of others, as it came. `GET /received_footprints/{received_footprint_id}` */
  get(
    received_footprint_id: string,
    options: Options = {},
  ): Promise<records.ReceivedFootprint> {
    return this.caller.call<records.ReceivedFootprint>(
      { method: "GET", path: "/received_footprints/{received_footprint_id}", answer: { r: ["ReceivedFootprint"] } },
      { "received_footprint_id": received_footprint_id },
      {},
      options,
    );
  }

  /**
   * List the footprints of others that were read or received, the newest first. `GET
   * /received_footprints`
   */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose footprint_id is the value given: what its owner calls it. */
      footprint_id?: string;
      /** Only records whose partner_id is the value given: the number of a partner. */
      partner_id?: string;
      /** Only records whose client_id is the value given: the number of a client. */
      client_id?: string;
      /** Only records whose received_at is at or after the value given: a time with an offset or Z. */
      received_at_geq?: string;
      /**
       * Only records whose received_at is at or before the value given: a time with an offset or Z.
       */
      received_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.ReceivedFootprint> {
    return this.caller.list<records.ReceivedFootprint>(
      { method: "GET", path: "/received_footprints", query: {"page": "page", "page_size": "page_size", "sort": "sort", "footprint_id": "filter[footprint_id][eq]", "partner_id": "filter[partner_id][eq]", "client_id": "filter[client_id][eq]", "received_at_geq": "filter[received_at][geq]", "received_at_leq": "filter[received_at][leq]"}, answer: { r: ["PageOfReceivedFootprint"] } },
      {},
      asked,
      options,
    );
  }
}

/** Operations on registries. */
export class RegistriesOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Create a registry: where reports go; what its headers say is kept and never shown. `POST /registries`
   */
  create(
    asked: {
      /** What people call it, such as `Registry of removals`; once in the account. */
      name: string;
      /**
       * How reports get there: `http` posts them, `isometric_certify` makes them records of Isometric
       * Certify, `file` keeps them for people to hand on.
       */
      adapter: "file" | "http" | "isometric_certify";
      /** Where a report is posted; required unless it is `file`. */
      address?: string | null;
      /**
       * Where it is asked for by its key, with `{key}` in it; left out, the address, a slash and the
       * key.
       */
      status_address?: string | null;
      /** Headers that prove who calls, such as `Authorization`; they are kept and never shown. */
      headers?: Record<string, string>;
      /** From 1 to 120. */
      timeout_seconds?: number;
      /** From 1 to 20. */
      tries?: number;
      /** From 1 to 86,400; 300 when left out, null where people write decisions down. */
      poll_seconds?: number | null;
    },
    options: Options = {},
  ): Promise<records.Registry> {
    return this.caller.call<records.Registry>(
      { method: "POST", path: "/registries", body: { name: ["name", {  }], adapter: ["adapter", {  }], address: ["address", {  }], status_address: ["status_address", {  }], headers: ["headers", {  }], timeout_seconds: ["timeout_seconds", { n: "integer" }], tries: ["tries", { n: "integer" }], poll_seconds: ["poll_seconds", { n: "integer" }] }, wrapper: "registry", takesKey: true, answer: { r: ["Registry"] } },
      {},
      asked,
      options,
    );
  }

  /** Read one registry. `GET /registries/{registry_id}` */
  get(
    registry_id: string,
    options: Options = {},
  ): Promise<records.Registry> {
    return this.caller.call<records.Registry>(
      { method: "GET", path: "/registries/{registry_id}", answer: { r: ["Registry"] } },
      { "registry_id": registry_id },
      {},
      options,
    );
  }

  /** List the account's registries. `GET /registries` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Registry> {
    return this.caller.list<records.Registry>(
      { method: "GET", path: "/registries", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]"}, answer: { r: ["PageOfRegistry"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Change a registry; submissions under way go on with what is new. `PATCH /registries/{registry_id}`
   */
  update(
    registry_id: string,
    asked: {
      /** What people call it, such as `Registry of removals`; once in the account. */
      name?: string;
      /**
       * Where a report is posted, such as `https://registry.example/submissions`, or the base of the
       * interface of Isometric Certify; null for `file`.
       */
      address?: string;
      /**
       * Where it is asked for by its key, which stands for `{key}`; null unless the adapter is `http`.
       */
      status_address?: string;
      /**
       * All headers that prove who calls, instead of those that it has. Required with another address
       * where it has any: those that are kept are not sent there.
       */
      headers?: Record<string, string>;
      /** How long one request may take, to the end of its answer. */
      timeout_seconds?: number;
      /** How often a submission is tried before its task fails. */
      tries?: number;
      /** How often it is asked for its decision on a report; null where people write that down. */
      poll_seconds?: number | null;
    } = {},
    options: Options = {},
  ): Promise<records.Registry> {
    return this.caller.call<records.Registry>(
      { method: "PATCH", path: "/registries/{registry_id}", body: { name: ["name", {  }], address: ["address", {  }], status_address: ["status_address", {  }], headers: ["headers", {  }], timeout_seconds: ["timeout_seconds", { n: "integer" }], tries: ["tries", { n: "integer" }], poll_seconds: ["poll_seconds", { n: "integer" }] }, wrapper: "registry", takesKey: true, answer: { r: ["Registry"] } },
      { "registry_id": registry_id },
      asked,
      options,
    );
  }
}

/** Operations on registry mappings. */
export class RegistryMappingsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Map a ledger of a project to a registry with the adapter `isometric_certify`. `POST
   * /projects/{project_id}/registry_mappings`
   */
  create(
    project_id: string,
    asked: {
      /** The number of the registry, one with the adapter `isometric_certify`. */
      registry_id: number;
      /** The ledger whose reports are written by it. */
      ledger_id: string;
      /**
       * The registry's project, removal template and components, with the values of ours that they
       * take.
       */
      contents: Record<string, unknown>;
    },
    options: Options = {},
  ): Promise<records.RegistryMapping> {
    return this.caller.call<records.RegistryMapping>(
      { method: "POST", path: "/projects/{project_id}/registry_mappings", body: { registry_id: ["registry_id", { n: "integer" }], ledger_id: ["ledger_id", {  }], contents: ["contents", {  }] }, wrapper: "registry_mapping", takesKey: true, answer: { r: ["RegistryMapping"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Remove a mapping; reports that were submitted keep the plan that they were sent by. `DELETE
   * /projects/{project_id}/registry_mappings/{registry_mapping_id}`
   */
  delete(
    project_id: string,
    registry_mapping_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/projects/{project_id}/registry_mappings/{registry_mapping_id}", answer: "void" },
      { "project_id": project_id, "registry_mapping_id": registry_mapping_id },
      {},
      options,
    );
  }

  /**
   * Read one mapping to a registry. `GET /projects/{project_id}/registry_mappings/{registry_mapping_id}`
   */
  get(
    project_id: string,
    registry_mapping_id: string,
    options: Options = {},
  ): Promise<records.RegistryMapping> {
    return this.caller.call<records.RegistryMapping>(
      { method: "GET", path: "/projects/{project_id}/registry_mappings/{registry_mapping_id}", answer: { r: ["RegistryMapping"] } },
      { "project_id": project_id, "registry_mapping_id": registry_mapping_id },
      {},
      options,
    );
  }

  /** List a project's mappings to registries. `GET /projects/{project_id}/registry_mappings` */
  list(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
    } = {},
    options: Options = {},
  ): Listing<records.RegistryMapping> {
    return this.caller.list<records.RegistryMapping>(
      { method: "GET", path: "/projects/{project_id}/registry_mappings", query: {"page": "page", "page_size": "page_size", "sort": "sort"}, answer: { r: ["PageOfRegistryMapping"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Change what a mapping says; reports that were submitted keep the plan that they were sent by. `PATCH
   * /projects/{project_id}/registry_mappings/{registry_mapping_id}`
   */
  update(
    project_id: string,
    registry_mapping_id: string,
    asked: {
      /**
       * The registry's project, removal template and components, with the values of ours that they
       * take.
       */
      contents?: Record<string, unknown>;
    } = {},
    options: Options = {},
  ): Promise<records.RegistryMapping> {
    return this.caller.call<records.RegistryMapping>(
      { method: "PATCH", path: "/projects/{project_id}/registry_mappings/{registry_mapping_id}", body: { contents: ["contents", {  }] }, wrapper: "registry_mapping", takesKey: true, answer: { r: ["RegistryMapping"] } },
      { "project_id": project_id, "registry_mapping_id": registry_mapping_id },
      asked,
      options,
    );
  }
}

/** Operations on registry statements. */
export class RegistryStatementsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Read what became of a report at Isometric Certify: its statement, its records there, and findings.
   * `GET /reports/{report_id}/registry_statement`
   */
  get(
    report_id: string,
    options: Options = {},
  ): Promise<records.RegistryStatement> {
    return this.caller.call<records.RegistryStatement>(
      { method: "GET", path: "/reports/{report_id}/registry_statement", answer: { r: ["RegistryStatement"] } },
      { "report_id": report_id },
      {},
      options,
    );
  }

  /**
   * List the calls of Isometric Certify on behalf of a report: what was sent, and what came back. `GET
   * /reports/{report_id}/registry_calls`
   */
  list_registry_calls(
    report_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose method is the value given: a method such as `POST`. */
      method?: string;
    } = {},
    options: Options = {},
  ): Listing<records.RegistryCall> {
    return this.caller.list<records.RegistryCall>(
      { method: "GET", path: "/reports/{report_id}/registry_calls", query: {"page": "page", "page_size": "page_size", "sort": "sort", "method": "filter[method][eq]"}, answer: { r: ["PageOfRegistryCall"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * List what a registry had when it was read last: projects, removal templates, blueprints and places.
   * `GET /registries/{registry_id}/catalogue`
   */
  list_registry_catalogue(
    registry_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is name, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /**
       * Only records whose kind is the value given: project, removal_template, component_blueprint,
       * feedstock_type, storage_location, facility, monitoring_requirement.
       */
      kind?: "project" | "removal_template" | "component_blueprint" | "feedstock_type" | "storage_location" | "facility" | "monitoring_requirement";
      /** Only records whose parent is the value given: the registry's id of a project. */
      parent?: string;
    } = {},
    options: Options = {},
  ): Listing<records.CatalogueRecord> {
    return this.caller.list<records.CatalogueRecord>(
      { method: "GET", path: "/registries/{registry_id}/catalogue", query: {"page": "page", "page_size": "page_size", "sort": "sort", "kind": "filter[kind][eq]", "parent": "filter[parent][eq]"}, answer: { r: ["PageOfCatalogueRecord"] } },
      { "registry_id": registry_id },
      asked,
      options,
    );
  }

  /**
   * Read anew what a registry with the adapter `isometric_certify` has, for mappings to choose from.
   * `POST /registries/{registry_id}/catalogue`
   */
  read_registry_catalogue(
    registry_id: string,
    options: Options = {},
  ): Promise<records.StartedCatalogue> {
    return this.caller.call<records.StartedCatalogue>(
      { method: "POST", path: "/registries/{registry_id}/catalogue", body: {  }, takesKey: true, answer: { r: ["StartedCatalogue"] } },
      { "registry_id": registry_id },
      {},
      options,
    );
  }
}

/** Operations on report links. */
export class ReportLinksOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Make a link that opens a report to whoever has its address, without a token. `POST
   * /reports/{report_id}/links`
   */
  create(
    report_id: string,
    asked: {
      /** Whom or what it is for, such as `Verifier, first review`. */
      name: string;
      /** Whether its holder may act as the verifier. */
      is_of_verifier?: boolean;
      /** How long it opens the report, in seconds: 60 to 31,622,400, which are 366 days. */
      expires_in?: number;
    },
    options: Options = {},
  ): Promise<records.IssuedReportLink> {
    return this.caller.call<records.IssuedReportLink>(
      { method: "POST", path: "/reports/{report_id}/links", body: { name: ["name", {  }], is_of_verifier: ["is_of_verifier", {  }], expires_in: ["expires_in", { n: "integer" }] }, wrapper: "link", takesKey: true, answer: { r: ["IssuedReportLink"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Download the proof bundle of a report by a link to the report, with the `key` of its `url`. `GET
   * /reports/{report_id}/by_link/bundle`
   */
  download_bundle_by_link(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
    },
    options: Options = {},
  ): Promise<Uint8Array> {
    return this.caller.call<Uint8Array>(
      { method: "GET", path: "/reports/{report_id}/by_link/bundle", query: {"key": "key"}, answer: "Uint8Array" },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Download the proof that a head extends one that a verifier kept, by a link to a report. `GET
   * /reports/{report_id}/by_link/audit_log/consistency`
   */
  get_audit_consistency_by_link(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
      /** How many rows the older head has. */
      from_: string;
      /** How many rows the newer head has. */
      to: string;
    },
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/reports/{report_id}/by_link/audit_log/consistency", query: {"key": "key", "from_": "from", "to": "to"}, answer: "string" },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Download the newest head of the audit log behind a report, by a link to the report. `GET
   * /reports/{report_id}/by_link/audit_log/head`
   */
  get_audit_head_by_link(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
    },
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/reports/{report_id}/by_link/audit_log/head", query: {"key": "key"}, answer: "string" },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Read the public key of the audit log behind a report, by a link to the report. `GET
   * /reports/{report_id}/by_link/audit_log/key`
   */
  get_audit_key_by_link(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
    },
    options: Options = {},
  ): Promise<records.AuditKey> {
    return this.caller.call<records.AuditKey>(
      { method: "GET", path: "/reports/{report_id}/by_link/audit_log/key", query: {"key": "key"}, answer: { r: ["AuditKey"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Read the history of the keys of the audit log behind a report, by a link to the report. `GET
   * /reports/{report_id}/by_link/audit_log/keys`
   */
  get_audit_keys_by_link(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
    },
    options: Options = {},
  ): Promise<records.AuditKeys> {
    return this.caller.call<records.AuditKeys>(
      { method: "GET", path: "/reports/{report_id}/by_link/audit_log/keys", query: {"key": "key"}, answer: { r: ["AuditKeys"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Download the proof that a row is under a head of the audit log, by a link to a report. `GET
   * /reports/{report_id}/by_link/audit_log/proof`
   */
  get_audit_proof_by_link(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
      /** The number of the row, from 1. */
      number: string;
      /** How many rows the head has under which the row is proved to be. */
      size: string;
    },
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/reports/{report_id}/by_link/audit_log/proof", query: {"key": "key", "number": "number", "size": "size"}, answer: "string" },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Download the newest head that enough witnesses have cosigned, by a link to a report. `GET
   * /reports/{report_id}/by_link/audit_log/cosigned_head`
   */
  get_cosigned_head_by_link(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
      /** How many witnesses have to have cosigned the head, from 1. */
      cosignatures: string;
    },
    options: Options = {},
  ): Promise<string> {
    return this.caller.call<string>(
      { method: "GET", path: "/reports/{report_id}/by_link/audit_log/cosigned_head", query: {"key": "key", "cosignatures": "cosignatures"}, answer: "string" },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * List the links to all reports of the account, such as those of a user who was shut out. `GET
   * /report_links`
   */
  list_links_of_account(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose status is the value given: open, expired, revoked. */
      status?: "open" | "expired" | "revoked";
      /** Only records whose user_id is the value given: the number of a user. */
      user_id?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
      /** Only records whose expires_at is at or after the value given: a time with an offset or Z. */
      expires_at_geq?: string;
      /** Only records whose expires_at is at or before the value given: a time with an offset or Z. */
      expires_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.ReportLink> {
    return this.caller.list<records.ReportLink>(
      { method: "GET", path: "/report_links", query: {"page": "page", "page_size": "page_size", "sort": "sort", "status": "filter[status][eq]", "user_id": "filter[user_id][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]", "expires_at_geq": "filter[expires_at][geq]", "expires_at_leq": "filter[expires_at][leq]"}, answer: { r: ["PageOfReportLink"] } },
      {},
      asked,
      options,
    );
  }

  /** List the links to a report, those that have ended included. `GET /reports/{report_id}/links` */
  list(
    report_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose status is the value given: open, expired, revoked. */
      status?: "open" | "expired" | "revoked";
      /** Only records whose user_id is the value given: the number of a user. */
      user_id?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
      /** Only records whose expires_at is at or after the value given: a time with an offset or Z. */
      expires_at_geq?: string;
      /** Only records whose expires_at is at or before the value given: a time with an offset or Z. */
      expires_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.ReportLink> {
    return this.caller.list<records.ReportLink>(
      { method: "GET", path: "/reports/{report_id}/links", query: {"page": "page", "page_size": "page_size", "sort": "sort", "status": "filter[status][eq]", "user_id": "filter[user_id][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]", "expires_at_geq": "filter[expires_at][geq]", "expires_at_leq": "filter[expires_at][leq]"}, answer: { r: ["PageOfReportLink"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /** Read a report by a link, by the address that its `url` says. `GET /reports/{report_id}/by_link` */
  open_report(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
    },
    options: Options = {},
  ): Promise<records.Report> {
    return this.caller.call<records.Report>(
      { method: "GET", path: "/reports/{report_id}/by_link", query: {"key": "key"}, answer: { r: ["Report"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Have another user answer for a link, such as when its own was shut out; its address stays. `PATCH
   * /reports/{report_id}/links/{link_id}`
   */
  reassign(
    report_id: string,
    link_id: number,
    asked: {
      /** The address of a user of the account who was not shut out. */
      user_email: string;
    },
    options: Options = {},
  ): Promise<records.ReportLink> {
    return this.caller.call<records.ReportLink>(
      { method: "PATCH", path: "/reports/{report_id}/links/{link_id}", body: { user_email: ["user_email", {  }] }, wrapper: "link", takesKey: true, answer: { r: ["ReportLink"] } },
      { "report_id": report_id, "link_id": link_id },
      asked,
      options,
    );
  }

  /**
   * Revoke a link to a report, at once; one that was revoked already stays as it is. `DELETE
   * /reports/{report_id}/links/{link_id}`
   */
  revoke(
    report_id: string,
    link_id: number,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/reports/{report_id}/links/{link_id}", answer: "void" },
      { "report_id": report_id, "link_id": link_id },
      {},
      options,
    );
  }
}

/** Operations on report previews. */
export class ReportPreviewsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Show what a report would be sent as, with every place at which that fails, and what of it was
   * rounded. `POST /reports/{report_id}/submission/preview`
   */
  preview_report(
    report_id: string,
    asked: {
      /** The mapping that is tried, as a methodology has it. */
      mapping?: Record<string, unknown>;
      /** The number of the methodology whose mapping is tried; without both, of the report's own. */
      methodology_id?: number;
    } = {},
    options: Options = {},
  ): Promise<records.ReportPreview> {
    return this.caller.call<records.ReportPreview>(
      { method: "POST", path: "/reports/{report_id}/submission/preview", body: { mapping: ["mapping", {  }], methodology_id: ["methodology_id", { n: "integer" }] }, takesKey: true, answer: { r: ["ReportPreview"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }
}

/** Operations on report uncertainty. */
export class ReportUncertaintyOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Read which effects can move what a report states by a threshold, alone and together (ISO 14064-3).
   * `GET /reports/{report_id}/materiality`
   */
  get_materiality(
    report_id: string,
    asked: {
      /**
       * By how much the total would have to move: a part of the amount above 0 and at most 1, such as
       * `0.05`, or an amount with its unit, such as `12 t`.
       */
      threshold: string;
    },
    options: Options = {},
  ): Promise<records.ReportMateriality> {
    return this.caller.call<records.ReportMateriality>(
      { method: "GET", path: "/reports/{report_id}/materiality", query: {"threshold": "threshold"}, answer: { r: ["ReportMateriality"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Read which effects can move what a report states by a threshold, by a link to the report. `GET
   * /reports/{report_id}/by_link/materiality`
   */
  get_materiality_by_link(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
      /**
       * By how much the total would have to move: a part of the amount above 0 and at most 1, such as
       * `0.05`, or an amount with its unit, such as `12 t`.
       */
      threshold: string;
    },
    options: Options = {},
  ): Promise<records.ReportMateriality> {
    return this.caller.call<records.ReportMateriality>(
      { method: "GET", path: "/reports/{report_id}/by_link/materiality", query: {"key": "key", "threshold": "threshold"}, answer: { r: ["ReportMateriality"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Read how uncertain what a report states is, with an interval and the budget of what its batches
   * share. `GET /reports/{report_id}/uncertainty`
   */
  get(
    report_id: string,
    options: Options = {},
  ): Promise<records.ReportUncertainty> {
    return this.caller.call<records.ReportUncertainty>(
      { method: "GET", path: "/reports/{report_id}/uncertainty", answer: { r: ["ReportUncertainty"] } },
      { "report_id": report_id },
      {},
      options,
    );
  }

  /**
   * Read how uncertain what a report states is, by a link to the report, with the `key` of its `url`.
   * `GET /reports/{report_id}/by_link/uncertainty`
   */
  get_report_uncertainty_by_link(
    report_id: string,
    asked: {
      /** What stands in the `url` of the link. */
      key: string;
    },
    options: Options = {},
  ): Promise<records.ReportUncertainty> {
    return this.caller.call<records.ReportUncertainty>(
      { method: "GET", path: "/reports/{report_id}/by_link/uncertainty", query: {"key": "key"}, answer: { r: ["ReportUncertainty"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }
}

/** Operations on reports. */
export class ReportsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Write down that the receiver accepted a submitted report, or a part of it; what it accepted is
   * posted. `POST /reports/{report_id}/accept`
   */
  accept(
    report_id: string,
    asked: {
      /**
       * What the receiver says of it, such as `Issued after the audit of May`; needed where it accepts
       * less.
       */
      reason?: string | null;
      /** What the receiver calls it, such as the number of the issuance. */
      reference?: string | null;
      /**
       * How much it accepts, in the ledger's unit, where that is less than the report claims: shared
       * over the batches in proportion to what is claimed of each.
       */
      amount?: Decimal;
      /**
       * How much it accepts of which batches, instead of `amount`; of those that are left out nothing.
       */
      batches?: records.TakenBatch[];
    } = {},
    options: Options = {},
  ): Promise<records.Report> {
    return this.caller.call<records.Report>(
      { method: "POST", path: "/reports/{report_id}/accept", body: { reason: ["reason", {  }], reference: ["reference", {  }], amount: ["amount", { n: "number" }], batches: ["batches", { l: { r: ["TakenBatch"] } }] }, takesKey: true, answer: { r: ["Report"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Create a report of a project as a draft; with `supersedes` it restates another one. `POST /reports`
   */
  create(
    asked: {
      /** What people call the report, such as `First quarter of 2025`. */
      name: string;
      /** What kind of report it is, in the words of its receiver, such as `quarterly`. */
      report_type: string;
      /** The project, as `prj_…` or its number. */
      project_id: string | number;
      /** The number of the methodology that it follows; null when it names none. */
      methodology_id?: number | null;
      /** The ledger of each role, where its methodology has several ledgers. */
      ledgers?: records.NamedReportLedger[];
      /** The batches of which it takes all that remains, up to 10,000, such as `bat_…`. */
      batch_ids?: string[];
      /** The batches from which it takes so much, up to 10,000; instead of `batch_ids`. */
      batches?: records.TakenBatch[];
      /**
       * What the claim owes its receiver, in its ledger's unit, where the truth is below zero; null for
       * nothing. Only a restatement of what was once accepted owes something.
       */
      liability?: Decimal | null;
      /** Why it owes that; null where it owes nothing. */
      liability_reason?: string | null;
      /**
       * The report that it restates, such as `rpt_…`; without batches it begins with those of that one.
       */
      supersedes?: string | null;
    },
    options: Options = {},
  ): Promise<records.Report> {
    return this.caller.call<records.Report>(
      { method: "POST", path: "/reports", body: { name: ["name", {  }], report_type: ["report_type", {  }], project_id: ["project_id", { n: "integer" }], methodology_id: ["methodology_id", { n: "integer" }], ledgers: ["ledgers", { l: { r: ["NamedReportLedger"] } }], batch_ids: ["batch_ids", {  }], batches: ["batches", { l: { r: ["TakenBatch"] } }], liability: ["liability", { n: "number" }], liability_reason: ["liability_reason", {  }], supersedes: ["supersedes", {  }] }, wrapper: "report", takesKey: true, answer: { r: ["Report"] } },
      {},
      asked,
      options,
    );
  }

  /** Remove a report while it is a draft. `DELETE /reports/{report_id}` */
  delete(
    report_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/reports/{report_id}", answer: "void" },
      { "report_id": report_id },
      {},
      options,
    );
  }

  /**
   * Download the proof bundle of a report: a ZIP file that `weighbridge bundle check` checks offline.
   * `GET /reports/{report_id}/bundle`
   */
  download_report_bundle(
    report_id: string,
    options: Options = {},
  ): Promise<Uint8Array> {
    return this.caller.call<Uint8Array>(
      { method: "GET", path: "/reports/{report_id}/bundle", answer: "Uint8Array" },
      { "report_id": report_id },
      {},
      options,
    );
  }

  /**
   * Download the time stamp (RFC 3161) over the proof bundle of a report, where an authority was asked.
   * `GET /reports/{report_id}/bundle/time_stamp`
   */
  download_report_time_stamp(
    report_id: string,
    options: Options = {},
  ): Promise<Uint8Array> {
    return this.caller.call<Uint8Array>(
      { method: "GET", path: "/reports/{report_id}/bundle/time_stamp", answer: "Uint8Array" },
      { "report_id": report_id },
      {},
      options,
    );
  }

  /**
   * Download the file of a report's submission, as it is handed on; of a draft, as it would be. `GET
   * /reports/{report_id}/submission/download`
   */
  download_submission(
    report_id: string,
    options: Options = {},
  ): Promise<Uint8Array> {
    return this.caller.call<Uint8Array>(
      { method: "GET", path: "/reports/{report_id}/submission/download", answer: "Uint8Array" },
      { "report_id": report_id },
      {},
      options,
    );
  }

  /** Read one report, with all that it takes. `GET /reports/{report_id}` */
  get(
    report_id: string,
    options: Options = {},
  ): Promise<records.Report> {
    return this.caller.call<records.Report>(
      { method: "GET", path: "/reports/{report_id}", answer: { r: ["Report"] } },
      { "report_id": report_id },
      {},
      options,
    );
  }

  /**
   * Read what is kept of a report's submission: to whom it goes, under which key, and how far it came.
   * `GET /reports/{report_id}/submission`
   */
  get_submission(
    report_id: string,
    options: Options = {},
  ): Promise<records.StoredSubmission> {
    return this.caller.call<records.StoredSubmission>(
      { method: "GET", path: "/reports/{report_id}/submission", answer: { r: ["StoredSubmission"] } },
      { "report_id": report_id },
      {},
      options,
    );
  }

  /** List the account's reports. `GET /reports` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      project_id?: string;
      /** Only records whose id is the value given: an id rpt_…. */
      id?: string;
      /**
       * Only records whose status is the value given: one of draft, submitting, submitted, complete,
       * rejected, failed, superseded, withdrawn.
       */
      status?: string;
      /** Only records whose report_type is the value given: a report type. */
      report_type?: string;
      /** Only records whose ledger_id is the value given: an id lgr_…. */
      ledger_id?: string;
      /** Only records whose methodology_id is the value given: the number of a methodology. */
      methodology_id?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Report> {
    return this.caller.list<records.Report>(
      { method: "GET", path: "/reports", query: {"page": "page", "page_size": "page_size", "sort": "sort", "project_id": "filter[project_id][eq]", "id": "filter[id][eq]", "status": "filter[status][eq]", "report_type": "filter[report_type][eq]", "ledger_id": "filter[ledger_id][eq]", "methodology_id": "filter[methodology_id][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]"}, answer: { r: ["PageOfReport"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Make the proof bundle of a draft, or of a report that others were merged or split into. `POST
   * /reports/{report_id}/bundle`
   */
  make_report_bundle(
    report_id: string,
    asked: {
      /** Whether evidence is left out, and stands in the bundle by its digests alone. */
      redact?: boolean;
    } = {},
    options: Options = {},
  ): Promise<records.StartedBundle> {
    return this.caller.call<records.StartedBundle>(
      { method: "POST", path: "/reports/{report_id}/bundle", body: { redact: ["redact", {  }] }, takesKey: true, answer: { r: ["StartedBundle"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Merge accepted reports of a ledger into one, which takes their place and holds all that they held.
   * `POST /reports/{report_id}/merge`
   */
  merge(
    report_id: string,
    asked: {
      /** The other accepted reports that become one with it, up to 99, such as `rpt_…`. */
      report_ids: string[];
      /** What people call the one that takes their place. */
      name: string;
      /** Why, in a sentence that stays with all of them. */
      reason: string;
      /** What kind of report it is; left out, the kind of the report in the path. */
      report_type?: string;
      /** What the receiver calls the new report. */
      reference?: string | null;
    },
    options: Options = {},
  ): Promise<records.Report> {
    return this.caller.call<records.Report>(
      { method: "POST", path: "/reports/{report_id}/merge", body: { report_ids: ["report_ids", {  }], name: ["name", {  }], reason: ["reason", {  }], report_type: ["report_type", {  }], reference: ["reference", {  }] }, takesKey: true, answer: { r: ["Report"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Write down that a report was rejected, or was certainly not received; what it holds is given back.
   * `POST /reports/{report_id}/reject`
   */
  reject(
    report_id: string,
    asked: {
      /** Why, in a sentence that stays with the report. */
      reason: string;
      /** What the receiver calls the decision. */
      reference?: string | null;
    },
    options: Options = {},
  ): Promise<records.Report> {
    return this.caller.call<records.Report>(
      { method: "POST", path: "/reports/{report_id}/reject", body: { reason: ["reason", {  }], reference: ["reference", {  }] }, takesKey: true, answer: { r: ["Report"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Split an accepted report into several, which take its place and hold together all that it held. `POST
   * /reports/{report_id}/split`
   */
  split(
    report_id: string,
    asked: {
      /** The reports that take its place, 2 to 100; together they take all that it holds. */
      parts: records.ReportPart[];
      /** Why, in a sentence that stays with all of them. */
      reason: string;
      /** What the receiver calls the split. */
      reference?: string | null;
    },
    options: Options = {},
  ): Promise<records.SplitReports> {
    return this.caller.call<records.SplitReports>(
      { method: "POST", path: "/reports/{report_id}/split", body: { parts: ["parts", { l: { r: ["ReportPart"] } }], reason: ["reason", {  }], reference: ["reference", {  }] }, takesKey: true, answer: { r: ["SplitReports"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Reserve what a report takes and send it off; refused with every requirement that it does not meet.
   * `POST /reports/{report_id}/submit`
   */
  submit(
    report_id: string,
    asked: {
      /** Sent as `file` it is kept for people to fetch, whatever its methodology says. */
      adapter?: "file";
      /** The number of the registry that it goes to, instead of the one that its methodology names. */
      registry_id?: number;
    } = {},
    options: Options = {},
  ): Promise<records.SubmittedReport> {
    return this.caller.call<records.SubmittedReport>(
      { method: "POST", path: "/reports/{report_id}/submit", body: { adapter: ["adapter", {  }], registry_id: ["registry_id", { n: "integer" }] }, takesKey: true, answer: { r: ["SubmittedReport"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /** Change a report while it is a draft. `PATCH /reports/{report_id}` */
  update(
    report_id: string,
    asked: {
      /** What people call the report, such as `First quarter of 2025`. */
      name?: string;
      /** What kind of report it is, in the words of its receiver, such as `quarterly`. */
      report_type?: string;
      /** The number of the methodology that it follows; null when it names none. */
      methodology_id?: number | null;
      /** The ledger of each role, instead of those that it has. */
      ledgers?: records.NamedReportLedger[];
      /** The batches of which it takes all that remains, instead of those that it has. */
      batch_ids?: string[];
      /** The batches from which it takes so much, instead of those that it has. */
      batches?: records.TakenBatch[];
      /**
       * What the claim owes its receiver, in its ledger's unit, where the truth is below zero; null for
       * nothing. Only a restatement of what was once accepted owes something.
       */
      liability?: Decimal | null;
      /** Why it owes that; null where it owes nothing. */
      liability_reason?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.Report> {
    return this.caller.call<records.Report>(
      { method: "PATCH", path: "/reports/{report_id}", body: { name: ["name", {  }], report_type: ["report_type", {  }], methodology_id: ["methodology_id", { n: "integer" }], ledgers: ["ledgers", { l: { r: ["NamedReportLedger"] } }], batch_ids: ["batch_ids", {  }], batches: ["batches", { l: { r: ["TakenBatch"] } }], liability: ["liability", { n: "number" }], liability_reason: ["liability_reason", {  }] }, wrapper: "report", takesKey: true, answer: { r: ["Report"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Take back the claim of a report; what it holds is given back, also what was posted by its acceptance.
   * `POST /reports/{report_id}/withdraw`
   */
  withdraw(
    report_id: string,
    asked: {
      /** Why the claim is taken back, in a sentence that stays with the report. */
      reason: string;
      /** What the receiver calls the withdrawal, such as the number of a cancellation. */
      reference?: string | null;
    },
    options: Options = {},
  ): Promise<records.Report> {
    return this.caller.call<records.Report>(
      { method: "POST", path: "/reports/{report_id}/withdraw", body: { reason: ["reason", {  }], reference: ["reference", {  }] }, takesKey: true, answer: { r: ["Report"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }
}

/** Operations on rule results. */
export class RuleResultsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Approve the correction that a rule result proposes, which is in force from then on. `POST
   * /projects/{project_id}/rule_results/{rule_result_id}/approve`
   */
  approve(
    project_id: string,
    rule_result_id: string,
    asked: {
      /** What there is to say about it, in a sentence; null when there is nothing. */
      comment?: string | null;
    } = {},
    options: Options = {},
  ): Promise<records.DataPointResult> {
    return this.caller.call<records.DataPointResult>(
      { method: "POST", path: "/projects/{project_id}/rule_results/{rule_result_id}/approve", body: { comment: ["comment", {  }] }, takesKey: true, answer: { r: ["DataPointResult"] } },
      { "project_id": project_id, "rule_result_id": rule_result_id },
      asked,
      options,
    );
  }

  /**
   * Approve what many rule results propose at once: all of them, or none. `POST
   * /projects/{project_id}/rule_results/bulk_approve`
   */
  bulk_approve(
    project_id: string,
    asked: {
      /** The rule results to approve, up to 100. */
      result_ids: string[];
      /** What there is to say about all of them, in a sentence; null when there is nothing. */
      comment?: string | null;
    },
    options: Options = {},
  ): Promise<records.DecidedResults> {
    return this.caller.call<records.DecidedResults>(
      { method: "POST", path: "/projects/{project_id}/rule_results/bulk_approve", body: { result_ids: ["result_ids", {  }], comment: ["comment", {  }] }, takesKey: true, answer: { r: ["DecidedResults"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Dismiss many rule results at once, with one reason: all of them, or none. `POST
   * /projects/{project_id}/rule_results/bulk_dismiss`
   */
  bulk_dismiss(
    project_id: string,
    asked: {
      /** The rule results to dismiss, up to 1,000, of either kind. */
      result_ids: string[];
      /** Why all of them are dismissed, in a sentence. */
      reason: string;
    },
    options: Options = {},
  ): Promise<records.Dismissed> {
    return this.caller.call<records.Dismissed>(
      { method: "POST", path: "/projects/{project_id}/rule_results/bulk_dismiss", body: { result_ids: ["result_ids", {  }], reason: ["reason", {  }] }, takesKey: true, answer: { r: ["Dismissed"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Reject what many rule results propose at once, with one reason: all of them, or none. `POST
   * /projects/{project_id}/rule_results/bulk_reject`
   */
  bulk_reject(
    project_id: string,
    asked: {
      /** The rule results to reject, up to 100. */
      result_ids: string[];
      /** Why all of them are rejected, in a sentence. */
      reason: string;
    },
    options: Options = {},
  ): Promise<records.DecidedResults> {
    return this.caller.call<records.DecidedResults>(
      { method: "POST", path: "/projects/{project_id}/rule_results/bulk_reject", body: { result_ids: ["result_ids", {  }], reason: ["reason", {  }] }, takesKey: true, answer: { r: ["DecidedResults"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Dismiss one rule result with a reason; one that is dismissed already stays as it is. `POST
   * /projects/{project_id}/rule_results/{rule_result_id}/dismiss`
   */
  dismiss(
    project_id: string,
    rule_result_id: string,
    asked: {
      /** Why, in a sentence. */
      reason: string;
    },
    options: Options = {},
  ): Promise<records.DataPointResult> {
    return this.caller.call<records.DataPointResult>(
      { method: "POST", path: "/projects/{project_id}/rule_results/{rule_result_id}/dismiss", body: { reason: ["reason", {  }] }, takesKey: true, answer: { r: ["DataPointResult"] } },
      { "project_id": project_id, "rule_result_id": rule_result_id },
      asked,
      options,
    );
  }

  /**
   * Say what approving many rule results together would change; nothing is stored. `POST
   * /projects/{project_id}/rule_results/impact`
   */
  find_impact(
    project_id: string,
    asked: {
      /** The rule results to be approved, up to 100. */
      result_ids: string[];
    },
    options: Options = {},
  ): Promise<records.ImpactOfProposals> {
    return this.caller.call<records.ImpactOfProposals>(
      { method: "POST", path: "/projects/{project_id}/rule_results/impact", body: { result_ids: ["result_ids", {  }] }, takesKey: true, answer: { r: ["ImpactOfProposals"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Say what approving a rule result would change: which batches and ledgers, by how much, which
   * deficits. `GET /projects/{project_id}/rule_results/{rule_result_id}/impact`
   */
  get_impact(
    project_id: string,
    rule_result_id: string,
    options: Options = {},
  ): Promise<records.ImpactOfProposal> {
    return this.caller.call<records.ImpactOfProposal>(
      { method: "GET", path: "/projects/{project_id}/rule_results/{rule_result_id}/impact", answer: { r: ["ImpactOfProposal"] } },
      { "project_id": project_id, "rule_result_id": rule_result_id },
      {},
      options,
    );
  }

  /**
   * Read one rule result: what was found, where it stands, and what it proposes. `GET
   * /projects/{project_id}/rule_results/{rule_result_id}`
   */
  get(
    project_id: string,
    rule_result_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
    } = {},
    options: Options = {},
  ): Promise<records.DataPointResult> {
    return this.caller.call<records.DataPointResult>(
      { method: "GET", path: "/projects/{project_id}/rule_results/{rule_result_id}", query: {"as_of": "as_of"}, answer: { r: ["DataPointResult"] } },
      { "project_id": project_id, "rule_result_id": rule_result_id },
      asked,
      options,
    );
  }

  /**
   * List what the rules of a project found, newest first, in data points and in model runs. `GET
   * /projects/{project_id}/rule_results`
   */
  list_of_project(
    project_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for. By status, or by several, at most 10,000 records
       * are sorted. With filter[evaluated_at], by another than evaluated_at, as many. With
       * filter[created_at], by another than created_at, as many.
       */
      sort?: string | readonly string[];
      /** Only records whose status is the value given: fail, error, dismissed, pass. */
      status?: "fail" | "error" | "dismissed" | "pass";
      /** Only records whose severity is the value given: warn, fail. */
      severity?: "warn" | "fail";
      /**
       * Only records whose approval_state is the value given: pending, approved, rejected, withdrawn,
       * superseded.
       */
      approval_state?: "pending" | "approved" | "rejected" | "withdrawn" | "superseded";
      /** Only records whose rule_version is the value given: a version's number. */
      rule_version?: string;
      /**
       * Only records whose evaluated_at is at or after the value given: a time with an offset or Z.
       */
      evaluated_at_geq?: string;
      /**
       * Only records whose evaluated_at is at or before the value given: a time with an offset or Z.
       */
      evaluated_at_leq?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
      /** Only records whose rule_id is the value given: an id rule_…. */
      rule_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.DataPointResult | records.ModelRunResult> {
    return this.caller.list<records.DataPointResult | records.ModelRunResult>(
      { method: "GET", path: "/projects/{project_id}/rule_results", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "status": "filter[status][eq]", "severity": "filter[severity][eq]", "approval_state": "filter[approval_state][eq]", "rule_version": "filter[rule_version][eq]", "evaluated_at_geq": "filter[evaluated_at][geq]", "evaluated_at_leq": "filter[evaluated_at][leq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]", "rule_id": "filter[rule_id][eq]"}, answer: { r: ["RuleResultPage"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * List what a rule found, newest first, by every version of it. `GET /rules/{rule_id}/rule_results`
   */
  list(
    rule_id: string,
    asked: {
      /**
       * As it was known at a row of the account's audit log: the number of the row, such as `1042`, or
       * a time, such as `2025-03-31T23:59:59Z`, which means the newest row then. The headers `As-Of-
       * Number` and `As-Of-Time` name the row. A cursor keeps it. Not with `response_mode`.
       */
      as_of?: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for. By status, or by several, at most 10,000 records
       * are sorted. With filter[evaluated_at], by another than evaluated_at, as many. With
       * filter[created_at], by another than created_at, as many.
       */
      sort?: string | readonly string[];
      /** Only records whose status is the value given: fail, error, dismissed, pass. */
      status?: "fail" | "error" | "dismissed" | "pass";
      /** Only records whose severity is the value given: warn, fail. */
      severity?: "warn" | "fail";
      /**
       * Only records whose approval_state is the value given: pending, approved, rejected, withdrawn,
       * superseded.
       */
      approval_state?: "pending" | "approved" | "rejected" | "withdrawn" | "superseded";
      /** Only records whose rule_version is the value given: a version's number. */
      rule_version?: string;
      /**
       * Only records whose evaluated_at is at or after the value given: a time with an offset or Z.
       */
      evaluated_at_geq?: string;
      /**
       * Only records whose evaluated_at is at or before the value given: a time with an offset or Z.
       */
      evaluated_at_leq?: string;
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.DataPointResult | records.ModelRunResult> {
    return this.caller.list<records.DataPointResult | records.ModelRunResult>(
      { method: "GET", path: "/rules/{rule_id}/rule_results", query: {"as_of": "as_of", "page": "page", "page_size": "page_size", "sort": "sort", "status": "filter[status][eq]", "severity": "filter[severity][eq]", "approval_state": "filter[approval_state][eq]", "rule_version": "filter[rule_version][eq]", "evaluated_at_geq": "filter[evaluated_at][geq]", "evaluated_at_leq": "filter[evaluated_at][leq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]"}, answer: { r: ["RuleResultPage"] } },
      { "rule_id": rule_id },
      asked,
      options,
    );
  }

  /**
   * Reject the correction that a rule result proposes, with a reason; the value stays as it is. `POST
   * /projects/{project_id}/rule_results/{rule_result_id}/reject`
   */
  reject(
    project_id: string,
    rule_result_id: string,
    asked: {
      /** Why, in a sentence. */
      reason: string;
    },
    options: Options = {},
  ): Promise<records.DataPointResult> {
    return this.caller.call<records.DataPointResult>(
      { method: "POST", path: "/projects/{project_id}/rule_results/{rule_result_id}/reject", body: { reason: ["reason", {  }] }, takesKey: true, answer: { r: ["DataPointResult"] } },
      { "project_id": project_id, "rule_result_id": rule_result_id },
      asked,
      options,
    );
  }
}

/** Operations on rule runs. */
export class RuleRunsOperations {
  constructor(private readonly caller: Caller) {}

  /** Read one rule run: where it stands, and what it came to. `GET /rule_runs/{rule_run_id}` */
  get(
    rule_run_id: string,
    options: Options = {},
  ): Promise<records.RuleRun> {
    return this.caller.call<records.RuleRun>(
      { method: "GET", path: "/rule_runs/{rule_run_id}", answer: { r: ["RuleRun"] } },
      { "rule_run_id": rule_run_id },
      {},
      options,
    );
  }

  /** List the runs of a rule, newest first. `GET /rules/{rule_id}/rule_runs` */
  list(
    rule_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for. By created_at, or by several, at most 10,000
       * records are sorted.
       */
      sort?: string | readonly string[];
      /** Only records whose state is the value given: pending, running, complete, failed, reversed. */
      state?: "pending" | "running" | "complete" | "failed" | "reversed";
      /** Only records whose kind is the value given: automatic, backfill, re_evaluation. */
      kind?: "automatic" | "backfill" | "re_evaluation";
    } = {},
    options: Options = {},
  ): Listing<records.RuleRun> {
    return this.caller.list<records.RuleRun>(
      { method: "GET", path: "/rules/{rule_id}/rule_runs", query: {"page": "page", "page_size": "page_size", "sort": "sort", "state": "filter[state][eq]", "kind": "filter[kind][eq]"}, answer: { r: ["PageOfRuleRun"] } },
      { "rule_id": rule_id },
      asked,
      options,
    );
  }

  /**
   * Remove the corrections that a run wrote; its alerts stay. The body may be left out. `POST
   * /rule_runs/{rule_run_id}/reverse`
   */
  reverse(
    rule_run_id: string,
    options: Options = {},
  ): Promise<records.RuleRun> {
    return this.caller.call<records.RuleRun>(
      { method: "POST", path: "/rule_runs/{rule_run_id}/reverse", body: {  }, takesKey: true, answer: { r: ["RuleRun"] } },
      { "rule_run_id": rule_run_id },
      {},
      options,
    );
  }

  /**
   * Start evaluating a rule again over a period; poll the task, whose `args` have the `rule_run_id`.
   * `POST /rules/{rule_id}/rule_runs`
   */
  start(
    rule_id: string,
    asked: {
      /** The start of the period to evaluate, inclusive. */
      start_time: string;
      /** The end of the period to evaluate, exclusive. */
      end_time: string;
    },
    options: Options = {},
  ): Promise<TaskHandle> {
    return this.caller.start<records.AsyncTask>(
      { method: "POST", path: "/rules/{rule_id}/rule_runs", body: { start_time: ["start_time", {  }], end_time: ["end_time", {  }] }, takesKey: true, answer: { r: ["AsyncTask"] } },
      { "rule_id": rule_id },
      asked,
      options,
    );
  }
}

/** Operations on rules. */
export class RulesOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Create a data rule: where its expression is true, there is an alert. `POST
   * /projects/{project_id}/rules`
   */
  create(
    project_id: string,
    asked: {
      /** What people call it, once in the project, such as `Wet mass above 40 t`. */
      name: string;
      /** What says that something is wrong, in the rule language, such as `{{wet_mass}} > 40`. */
      expression: string;
      /** From when records are evaluated, inclusive. */
      effective_from: string;
      /** Until when records are evaluated, exclusive; left out when the rule goes on. */
      effective_to?: string | null;
      /** What it says to people with each alert; null when it says nothing. */
      message?: string | null;
      /** What it evaluates; it never changes. */
      target?: "data_point" | "model_run";
      /**
       * The slug of the data point that results are about; the first that the expression reads when
       * left out.
       */
      data_point?: string | null;
      /**
       * The event type that it watches, such as `et_…`; left out, it watches every one that has the
       * data.
       */
      event_type_id?: string | null;
      /**
       * The asset whose events it watches, such as `ast_…`; left out, it watches those of every asset.
       */
      asset_id?: string | null;
      /** The model whose runs it watches, such as `mod_…`; required with the target `model_run`. */
      model_id?: string | null;
      /** When it is evaluated: whenever data change, or when asked for. */
      evaluation?: "automatic" | "on_demand";
      /** Which members its aggregates look at, seen from the record; null when it has no window. */
      window?: records.RollingWindow | records.CalendarWindow | null;
      /** Which other records may be members of its window. */
      window_member_scope?: "event" | "location" | "event_type" | "project";
      /**
       * Whether windows, `previous` and `missed_slots` go by the record's own meter or by all of the
       * scope; left out, it is `own`, and `all` with the scope `project` or the target `model_run`.
       */
      window_meters?: "own" | "all" | null;
      /**
       * Whether it only alerts, or corrects too: adjusts values, substitutes them, or imputes those
       * that lack.
       */
      purpose?: "alert" | "adjust" | "substitute" | "impute";
      /**
       * Whether what it finds is an alert, `fail`, or a warning, `warn`; a rule that corrects takes
       * `fail`.
       */
      severity?: "warn" | "fail";
      /** What a value becomes that it finds wrong; null for a rule that alerts. */
      correction?: records.RuleCorrection | records.GapCorrection | null;
      /**
       * What its expressions `lookup`, by name, such as the tare of each lorry; null when it has no
       * tables.
       */
      tables?: Record<string, records.RuleTable> | null;
      /** Which rule goes first where several correct one value: the smallest, from 1 to 1,000. */
      priority?: number;
      /** Whether its corrections wait for someone's approval. */
      requires_approval?: boolean;
    },
    options: Options = {},
  ): Promise<records.SavedRule> {
    return this.caller.call<records.SavedRule>(
      { method: "POST", path: "/projects/{project_id}/rules", body: { name: ["name", {  }], expression: ["expression", {  }], effective_from: ["effective_from", {  }], effective_to: ["effective_to", {  }], message: ["message", {  }], target: ["target", {  }], data_point: ["data_point", {  }], event_type_id: ["event_type_id", {  }], asset_id: ["asset_id", {  }], model_id: ["model_id", {  }], evaluation: ["evaluation", {  }], window: ["window", { r: ["RollingWindow", "CalendarWindow"] }], window_member_scope: ["window_member_scope", {  }], window_meters: ["window_meters", {  }], purpose: ["purpose", {  }], severity: ["severity", {  }], correction: ["correction", { r: ["RuleCorrection", "GapCorrection"] }], tables: ["tables", { m: { r: ["RuleTable"] } }], priority: ["priority", { n: "integer" }], requires_approval: ["requires_approval", {  }] }, wrapper: "rule", takesKey: true, answer: { r: ["SavedRule"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Remove a data rule with its alerts; values that it corrected stay corrected. `DELETE
   * /rules/{rule_id}`
   */
  delete(
    rule_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/rules/{rule_id}", answer: "void" },
      { "rule_id": rule_id },
      {},
      options,
    );
  }

  /** Read one data rule, as its newest version has it. `GET /rules/{rule_id}` */
  get(
    rule_id: string,
    options: Options = {},
  ): Promise<records.Rule> {
    return this.caller.call<records.Rule>(
      { method: "GET", path: "/rules/{rule_id}", answer: { r: ["Rule"] } },
      { "rule_id": rule_id },
      {},
      options,
    );
  }

  /** List the versions of a data rule, newest first. `GET /rules/{rule_id}/versions` */
  list_rule_versions(
    rule_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -version, or what the cursor was written for.
       */
      sort?: string | readonly string[];
    } = {},
    options: Options = {},
  ): Listing<records.RuleVersion> {
    return this.caller.list<records.RuleVersion>(
      { method: "GET", path: "/rules/{rule_id}/versions", query: {"page": "page", "page_size": "page_size", "sort": "sort"}, answer: { r: ["PageOfRuleVersion"] } },
      { "rule_id": rule_id },
      asked,
      options,
    );
  }

  /**
   * List a project's data rules, each as its newest version has it. `GET /projects/{project_id}/rules`
   */
  list(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose name is the value given: a name. */
      name?: string;
      /** Only records whose target is the value given: data_point, model_run. */
      target?: "data_point" | "model_run";
      /** Only records whose evaluation is the value given: automatic, on_demand. */
      evaluation?: "automatic" | "on_demand";
      /** Only records whose purpose is the value given: alert, adjust, substitute, impute. */
      purpose?: "alert" | "adjust" | "substitute" | "impute";
      /** Only records whose severity is the value given: warn, fail. */
      severity?: "warn" | "fail";
      /** Only records whose event_type_id is the value given: an id et_…. */
      event_type_id?: string;
      /** Only records whose asset_id is the value given: an id ast_…. */
      asset_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Rule> {
    return this.caller.list<records.Rule>(
      { method: "GET", path: "/projects/{project_id}/rules", query: {"page": "page", "page_size": "page_size", "sort": "sort", "name": "filter[name][eq]", "target": "filter[target][eq]", "evaluation": "filter[evaluation][eq]", "purpose": "filter[purpose][eq]", "severity": "filter[severity][eq]", "event_type_id": "filter[event_type_id][eq]", "asset_id": "filter[asset_id][eq]"}, answer: { r: ["PageOfRule"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Say what a rule would find and correct in a period, without storing anything. `POST
   * /projects/{project_id}/rules/preview`
   */
  preview(
    project_id: string,
    asked: {
      /** The rule to try, as it would be made. */
      rule: records.NewRule;
      /** The start of the period to try it over, inclusive. */
      start_time: string;
      /** The end of that period, exclusive. */
      end_time: string;
    },
    options: Options = {},
  ): Promise<records.RulePreview> {
    return this.caller.call<records.RulePreview>(
      { method: "POST", path: "/projects/{project_id}/rules/preview", body: { rule: ["rule", { r: ["NewRule"] }], start_time: ["start_time", {  }], end_time: ["end_time", {  }] }, takesKey: true, answer: { r: ["RulePreview"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /**
   * Revert every correction that a rule wrote; its alerts stay. The body may be left out. `POST
   * /rules/{rule_id}/undo_corrections`
   */
  undo_corrections(
    rule_id: string,
    options: Options = {},
  ): Promise<records.UndoneCorrections> {
    return this.caller.call<records.UndoneCorrections>(
      { method: "POST", path: "/rules/{rule_id}/undo_corrections", body: {  }, takesKey: true, answer: { r: ["UndoneCorrections"] } },
      { "rule_id": rule_id },
      {},
      options,
    );
  }

  /**
   * Change a data rule; a change of what decides a result makes another version. `PATCH /rules/{rule_id}`
   */
  update(
    rule_id: string,
    asked: {
      /** What people call it, once in the project, such as `Wet mass above 40 t`. */
      name?: string;
      /** What says that something is wrong, in the rule language, such as `{{wet_mass}} > 40`. */
      expression?: string;
      /** From when records are evaluated, inclusive. */
      effective_from?: string;
      /** Until when records are evaluated, exclusive; null when the rule goes on. */
      effective_to?: string | null;
      /** What it says to people with each alert; null when it says nothing. */
      message?: string | null;
      /**
       * The slug of the data point that results are about; null for the first that the expression
       * reads.
       */
      data_point?: string | null;
      /** The event type that it watches, such as `et_…`; null for every one that has the data. */
      event_type_id?: string | null;
      /** The asset whose events it watches, such as `ast_…`; null for those of every asset. */
      asset_id?: string | null;
      /**
       * The model whose runs it watches, such as `mod_…`; only for a rule whose target is `model_run`.
       */
      model_id?: string | null;
      /** When it is evaluated: whenever data change, or when asked for. */
      evaluation?: "automatic" | "on_demand";
      /** Which members its aggregates look at, seen from the record; null when it has no window. */
      window?: records.RollingWindow | records.CalendarWindow | null;
      /** Which other records may be members of its window. */
      window_member_scope?: "event" | "location" | "event_type" | "project";
      /**
       * Whether only records of the record's own meter may be members, or those of all meters of the
       * scope.
       */
      window_meters?: "own" | "all";
      /**
       * Whether it only alerts, or corrects too: adjusts values, substitutes them, or imputes those
       * that lack.
       */
      purpose?: "alert" | "adjust" | "substitute" | "impute";
      /**
       * Whether what it finds is an alert, `fail`, or a warning, `warn`; a rule that corrects takes
       * `fail`.
       */
      severity?: "warn" | "fail";
      /** What a value becomes that it finds wrong; null for a rule that alerts. */
      correction?: records.RuleCorrection | records.GapCorrection | null;
      /**
       * What its expressions `lookup`, by name, such as the tare of each lorry; null when it has no
       * tables.
       */
      tables?: Record<string, records.RuleTable> | null;
      /** Which rule goes first where several correct one value: the smallest, from 1 to 1,000. */
      priority?: number;
      /** Whether its corrections wait for someone's approval. */
      requires_approval?: boolean;
    } = {},
    options: Options = {},
  ): Promise<records.SavedRule> {
    return this.caller.call<records.SavedRule>(
      { method: "PATCH", path: "/rules/{rule_id}", body: { name: ["name", {  }], expression: ["expression", {  }], effective_from: ["effective_from", {  }], effective_to: ["effective_to", {  }], message: ["message", {  }], data_point: ["data_point", {  }], event_type_id: ["event_type_id", {  }], asset_id: ["asset_id", {  }], model_id: ["model_id", {  }], evaluation: ["evaluation", {  }], window: ["window", { r: ["RollingWindow", "CalendarWindow"] }], window_member_scope: ["window_member_scope", {  }], window_meters: ["window_meters", {  }], purpose: ["purpose", {  }], severity: ["severity", {  }], correction: ["correction", { r: ["RuleCorrection", "GapCorrection"] }], tables: ["tables", { m: { r: ["RuleTable"] } }], priority: ["priority", { n: "integer" }], requires_approval: ["requires_approval", {  }] }, wrapper: "rule", takesKey: true, answer: { r: ["SavedRule"] } },
      { "rule_id": rule_id },
      asked,
      options,
    );
  }
}

/** Operations on saved views. */
export class SavedViewsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Save a view of a list for the caller's own user; a default takes the place of the one before. `POST
   * /saved_views`
   */
  create(
    asked: {
      /** The list of the web app, by the last part of its address. */
      list_name: "events" | "data_points" | "event_types" | "assets" | "locations" | "feedstocks" | "outages" | "static_inputs" | "batches" | "rules" | "reports";
      /** What the user calls the view; no other of the list has this name. */
      name: string;
      /** The query of the list's address, without its question mark; empty for the list as it is. */
      query: string;
      /** Whether the web app shows this view where the address of the list has no query. */
      is_default?: boolean;
    },
    options: Options = {},
  ): Promise<records.SavedView> {
    return this.caller.call<records.SavedView>(
      { method: "POST", path: "/saved_views", body: { list_name: ["list_name", {  }], name: ["name", {  }], query: ["query", {  }], is_default: ["is_default", {  }] }, wrapper: "saved_view", takesKey: true, answer: { r: ["SavedView"] } },
      {},
      asked,
      options,
    );
  }

  /** Delete a saved view of the caller's own user. `DELETE /saved_views/{saved_view_id}` */
  delete(
    saved_view_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/saved_views/{saved_view_id}", answer: "void" },
      { "saved_view_id": saved_view_id },
      {},
      options,
    );
  }

  /** Read one saved view of the caller's own user. `GET /saved_views/{saved_view_id}` */
  get(
    saved_view_id: string,
    options: Options = {},
  ): Promise<records.SavedView> {
    return this.caller.call<records.SavedView>(
      { method: "GET", path: "/saved_views/{saved_view_id}", answer: { r: ["SavedView"] } },
      { "saved_view_id": saved_view_id },
      {},
      options,
    );
  }

  /** List the saved views of the caller's own user. `GET /saved_views` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /**
       * Only records whose list_name is the value given: events, data_points, event_types, assets,
       * locations, feedstocks, outages, static_inputs, batches, rules, reports.
       */
      list_name?: "events" | "data_points" | "event_types" | "assets" | "locations" | "feedstocks" | "outages" | "static_inputs" | "batches" | "rules" | "reports";
    } = {},
    options: Options = {},
  ): Listing<records.SavedView> {
    return this.caller.list<records.SavedView>(
      { method: "GET", path: "/saved_views", query: {"page": "page", "page_size": "page_size", "sort": "sort", "list_name": "filter[list_name][eq]"}, answer: { r: ["PageOfSavedView"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Change the name or the query of a saved view, or whether the web app opens its list with it. `PATCH
   * /saved_views/{saved_view_id}`
   */
  update(
    saved_view_id: string,
    asked: {
      /** What the user calls the view; no other of the list has this name. */
      name?: string;
      /** The query of the list's address, without its question mark. */
      query?: string;
      /** True makes it the default in place of the one before; false leaves the list without one. */
      is_default?: boolean;
    } = {},
    options: Options = {},
  ): Promise<records.SavedView> {
    return this.caller.call<records.SavedView>(
      { method: "PATCH", path: "/saved_views/{saved_view_id}", body: { name: ["name", {  }], query: ["query", {  }], is_default: ["is_default", {  }] }, wrapper: "saved_view", takesKey: true, answer: { r: ["SavedView"] } },
      { "saved_view_id": saved_view_id },
      asked,
      options,
    );
  }
}

/** Operations on statements. */
export class StatementsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Read what each partition of a ledger had, produced and gave in a period. `GET
   * /ledgers/{ledger_id}/statement`
   */
  get(
    ledger_id: string,
    asked: {
      /** The moment at which the period begins: what counts for it is in the period before. */
      start_time: string;
      /** The moment at which it ends: what counts for it is in the period. */
      end_time: string;
      /** By what had been posted at this time; without it, by now. */
      as_of?: string;
    },
    options: Options = {},
  ): Promise<records.Statement> {
    return this.caller.call<records.Statement>(
      { method: "GET", path: "/ledgers/{ledger_id}/statement", query: {"start_time": "start_time", "end_time": "end_time", "as_of": "as_of"}, answer: { r: ["Statement"] } },
      { "ledger_id": ledger_id },
      asked,
      options,
    );
  }
}

/** Operations on static inputs. */
export class StaticInputsOperations {
  constructor(private readonly caller: Caller) {}

  /** Add a value that holds from a moment on. `POST /projects/{project_id}/static_inputs` */
  create(
    project_id: string,
    asked: {
      /** The name that models read it by, such as `grid_factor`. */
      slug: string;
      /** The value, in its `unit`. */
      value: Decimal;
      /** From when it holds, inclusive, until a later one of the same slug and keys. */
      effective_from: string;
      /** The unit of the value, such as `kg{CO2e}/kWh`; null for a plain number. */
      unit?: string | null;
      /**
       * The friendly id of the asset that it holds for; null when it holds for every asset or none.
       */
      asset_id?: string | null;
      /**
       * The friendly id of the feedstock that it holds for; null when it holds for every feedstock.
       */
      feedstock_id?: string | null;
      /** The friendly id of the location that it holds for; null when it holds for every location. */
      location_id?: string | null;
      /** How well the value is known; null when not stated. */
      uncertainty?: records.StatedUncertainty | null;
    },
    options: Options = {},
  ): Promise<records.StaticInput> {
    return this.caller.call<records.StaticInput>(
      { method: "POST", path: "/projects/{project_id}/static_inputs", body: { slug: ["slug", {  }], value: ["value", { n: "number" }], effective_from: ["effective_from", {  }], unit: ["unit", {  }], asset_id: ["asset_id", {  }], feedstock_id: ["feedstock_id", {  }], location_id: ["location_id", {  }], uncertainty: ["uncertainty", { r: ["StatedUncertainty"] }] }, wrapper: "static_input", takesKey: true, answer: { r: ["StaticInput"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }

  /** Read one static input. `GET /projects/{project_id}/static_inputs/{static_input_id}` */
  get(
    project_id: string,
    static_input_id: number,
    options: Options = {},
  ): Promise<records.StaticInput> {
    return this.caller.call<records.StaticInput>(
      { method: "GET", path: "/projects/{project_id}/static_inputs/{static_input_id}", answer: { r: ["StaticInput"] } },
      { "project_id": project_id, "static_input_id": static_input_id },
      {},
      options,
    );
  }

  /**
   * List a project's static inputs, those that newer ones have superseded too. `GET
   * /projects/{project_id}/static_inputs`
   */
  list(
    project_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose slug is the value given: a slug. */
      slug?: string;
      /** Only records whose effective_from is the value given: a time with an offset or Z. */
      effective_from?: string;
      /**
       * Only records whose effective_from is at or after the value given: a time with an offset or Z.
       */
      effective_from_geq?: string;
      /**
       * Only records whose effective_from is at or before the value given: a time with an offset or Z.
       */
      effective_from_leq?: string;
      /** Only records whose asset_id is the value given: an id ast_…. */
      asset_id?: string;
      /** Only records whose feedstock_id is the value given: an id fs_…. */
      feedstock_id?: string;
      /** Only records whose location_id is the value given: an id loc_…. */
      location_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.StaticInput> {
    return this.caller.list<records.StaticInput>(
      { method: "GET", path: "/projects/{project_id}/static_inputs", query: {"page": "page", "page_size": "page_size", "sort": "sort", "slug": "filter[slug][eq]", "effective_from": "filter[effective_from][eq]", "effective_from_geq": "filter[effective_from][geq]", "effective_from_leq": "filter[effective_from][leq]", "asset_id": "filter[asset_id][eq]", "feedstock_id": "filter[feedstock_id][eq]", "location_id": "filter[location_id][eq]"}, answer: { r: ["PageOfStaticInput"] } },
      { "project_id": project_id },
      asked,
      options,
    );
  }
}

/** Operations on substitutions. */
export class SubstitutionsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * List every value that a rule put into a gap of an event type, with tier, code and how it was found.
   * `GET /projects/{project_id}/event_types/{event_type_id}/capture_rate/substitutions`
   */
  list(
    project_id: string,
    event_type_id: string,
    asked: {
      /** The moment at which the range begins: slots that begin earlier are not in it. */
      start_time: string;
      /** When it ends, at most 92 days later: slots from then on are not in it. */
      end_time: string;
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is start_time, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose slug is the value given: the slug of a data point type. */
      slug?: string;
      /** Only records whose value_source is the value given: substituted, imputed. */
      value_source?: "substituted" | "imputed";
      /** Only records whose asset_id is the value given: an id ast_…. */
      asset_id?: string;
      /** Only records whose location_id is the value given: an id loc_…. */
      location_id?: string;
      /** Only records whose rule_id is the value given: an id rule_…. */
      rule_id?: string;
      /** Only records whose tier is the value given: a tier's number. */
      tier?: string;
      /** Only records whose code is the value given: the code of a tier. */
      code?: string;
    },
    options: Options = {},
  ): Listing<records.FilledValue> {
    return this.caller.list<records.FilledValue>(
      { method: "GET", path: "/projects/{project_id}/event_types/{event_type_id}/capture_rate/substitutions", query: {"start_time": "start_time", "end_time": "end_time", "page": "page", "page_size": "page_size", "sort": "sort", "slug": "filter[slug][eq]", "value_source": "filter[value_source][eq]", "asset_id": "filter[asset_id][eq]", "location_id": "filter[location_id][eq]", "rule_id": "filter[rule_id][eq]", "tier": "filter[tier][eq]", "code": "filter[code][eq]"}, answer: { r: ["PageOfFilledValue"] } },
      { "project_id": project_id, "event_type_id": event_type_id },
      asked,
      options,
    );
  }
}

/** Operations on uncertainty runs. */
export class UncertaintyRunsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Read one uncertainty run, with its results once the task is complete. `GET
   * /uncertainty_runs/{uncertainty_run_id}`
   */
  get(
    uncertainty_run_id: string,
    options: Options = {},
  ): Promise<records.UncertaintyRun> {
    return this.caller.call<records.UncertaintyRun>(
      { method: "GET", path: "/uncertainty_runs/{uncertainty_run_id}", answer: { r: ["UncertaintyRun"] } },
      { "uncertainty_run_id": uncertainty_run_id },
      {},
      options,
    );
  }

  /** List the uncertainty runs of a batch, newest first. `GET /batches/{batch_id}/uncertainty_runs` */
  list_of_batch(
    batch_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for. By created_at, or by several, at most 10,000
       * records are sorted.
       */
      sort?: string | readonly string[];
      /** Only records whose state is the value given: pending, running, complete, failed. */
      state?: "pending" | "running" | "complete" | "failed";
    } = {},
    options: Options = {},
  ): Listing<records.UncertaintyRun> {
    return this.caller.list<records.UncertaintyRun>(
      { method: "GET", path: "/batches/{batch_id}/uncertainty_runs", query: {"page": "page", "page_size": "page_size", "sort": "sort", "state": "filter[state][eq]"}, answer: { r: ["PageOfUncertaintyRun"] } },
      { "batch_id": batch_id },
      asked,
      options,
    );
  }

  /** List the uncertainty runs of a report, newest first. `GET /reports/{report_id}/uncertainty_runs` */
  list_of_report(
    report_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for. By created_at, or by several, at most 10,000
       * records are sorted.
       */
      sort?: string | readonly string[];
      /** Only records whose state is the value given: pending, running, complete, failed. */
      state?: "pending" | "running" | "complete" | "failed";
    } = {},
    options: Options = {},
  ): Listing<records.UncertaintyRun> {
    return this.caller.list<records.UncertaintyRun>(
      { method: "GET", path: "/reports/{report_id}/uncertainty_runs", query: {"page": "page", "page_size": "page_size", "sort": "sort", "state": "filter[state][eq]"}, answer: { r: ["PageOfUncertaintyRun"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }

  /**
   * Start Monte Carlo trials of the run of a batch; poll the task in the answer. `POST
   * /batches/{batch_id}/uncertainty_runs`
   */
  start_of_batch(
    batch_id: string,
    asked: {
      /** How many trials to compute, from 100 to 1,000,000. */
      trials?: number;
      /**
       * Which trials to draw, from 0 to 9007199254740991: the same seed has the same trials everywhere.
       */
      seed?: number;
      /**
       * The coverage probability of the intervals, above 0 and below 1; null for that of the model.
       */
      coverage_probability?: Decimal | null;
    } = {},
    options: Options = {},
  ): Promise<records.StartedUncertaintyRun> {
    return this.caller.call<records.StartedUncertaintyRun>(
      { method: "POST", path: "/batches/{batch_id}/uncertainty_runs", body: { trials: ["trials", { n: "integer" }], seed: ["seed", { n: "integer" }], coverage_probability: ["coverage_probability", { n: "number" }] }, wrapper: "uncertainty_run", takesKey: true, answer: { r: ["StartedUncertaintyRun"] } },
      { "batch_id": batch_id },
      asked,
      options,
    );
  }

  /**
   * Start Monte Carlo trials of what a report holds in all; poll the task in the answer. `POST
   * /reports/{report_id}/uncertainty_runs`
   */
  start_of_report(
    report_id: string,
    asked: {
      /** How many trials to compute, from 100 to 1,000,000. */
      trials?: number;
      /**
       * Which trials to draw, from 0 to 9007199254740991: the same seed has the same trials everywhere.
       */
      seed?: number;
      /**
       * The coverage probability of the intervals, above 0 and below 1; null for that of the model.
       */
      coverage_probability?: Decimal | null;
    } = {},
    options: Options = {},
  ): Promise<records.StartedUncertaintyRun> {
    return this.caller.call<records.StartedUncertaintyRun>(
      { method: "POST", path: "/reports/{report_id}/uncertainty_runs", body: { trials: ["trials", { n: "integer" }], seed: ["seed", { n: "integer" }], coverage_probability: ["coverage_probability", { n: "number" }] }, wrapper: "uncertainty_run", takesKey: true, answer: { r: ["StartedUncertaintyRun"] } },
      { "report_id": report_id },
      asked,
      options,
    );
  }
}

/** Operations on uncertainty savings. */
export class UncertaintySavingsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Read how uncertain a batch would be with each effect at zero, and which few effects would halve that.
   * `GET /batches/{batch_id}/uncertainty_savings`
   */
  get(
    batch_id: string,
    options: Options = {},
  ): Promise<records.UncertaintySavings> {
    return this.caller.call<records.UncertaintySavings>(
      { method: "GET", path: "/batches/{batch_id}/uncertainty_savings", answer: { r: ["UncertaintySavings"] } },
      { "batch_id": batch_id },
      {},
      options,
    );
  }
}

/** Operations on version comparisons. */
export class VersionComparisonsOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Say what a version would change over a past period against another, by batch and node. `POST
   * /models/{model_id}/compare`
   */
  compare_over_period(
    model_id: string,
    asked: {
      /** The start of the period, inclusive; slots of which at least half lies in it are compared. */
      start_time: string;
      /** The end of the period, exclusive. */
      end_time: string;
      /** The friendly id of another version of the model; without it, the active one. */
      against?: string | null;
    },
    options: Options = {},
  ): Promise<records.ComparedVersions> {
    return this.caller.call<records.ComparedVersions>(
      { method: "POST", path: "/models/{model_id}/compare", body: { start_time: ["start_time", {  }], end_time: ["end_time", {  }], against: ["against", {  }] }, takesKey: true, answer: { r: ["ComparedVersions"] } },
      { "model_id": model_id },
      asked,
      options,
    );
  }
}

/** Operations on webhooks. */
export class WebhooksOperations {
  constructor(private readonly caller: Caller) {}

  /**
   * Have an address told of what changes from now on; the answer shows the secret this once. `POST
   * /webhooks`
   */
  create(
    asked: {
      /**
       * An address that begins with https://; http:// reaches only networks that the service was told
       * of.
       */
      url: string;
      /** Which changes are told; all that the caller's token may read when left out. */
      change_types?: ("event" | "correction" | "batch" | "async_task" | "rule_result" | "report" | "ledger" | "footprint" | "event.create" | "event.update" | "event.void" | "event.restore" | "correction.create" | "correction.update" | "correction.revert" | "batch.create" | "batch.update" | "batch.delete" | "async_task.create" | "async_task.update" | "async_task.start" | "async_task.complete" | "async_task.fail" | "rule_result.create" | "rule_result.update" | "report.create" | "report.update" | "report.delete" | "ledger.update" | "footprint.create" | "footprint.update")[] | null;
      /** The friendly id of the project whose changes are told; null for the whole account. */
      project_id?: string | null;
      /** What it is for, in the words of whoever made it. */
      description?: string;
      /**
       * Whether changes are sent; while it is not, they wait in the feed, as long as that keeps them.
       */
      is_enabled?: boolean;
    },
    options: Options = {},
  ): Promise<records.IssuedWebhook> {
    return this.caller.call<records.IssuedWebhook>(
      { method: "POST", path: "/webhooks", body: { url: ["url", {  }], change_types: ["change_types", {  }], project_id: ["project_id", {  }], description: ["description", {  }], is_enabled: ["is_enabled", {  }] }, wrapper: "webhook", takesKey: true, answer: { r: ["IssuedWebhook"] } },
      {},
      asked,
      options,
    );
  }

  /** Remove a webhook with the log of its deliveries. `DELETE /webhooks/{webhook_id}` */
  delete(
    webhook_id: string,
    options: Options = {},
  ): Promise<void> {
    return this.caller.call<void>(
      { method: "DELETE", path: "/webhooks/{webhook_id}", answer: "void" },
      { "webhook_id": webhook_id },
      {},
      options,
    );
  }

  /** Read one delivery. `GET /webhooks/{webhook_id}/deliveries/{delivery_id}` */
  get_delivery(
    webhook_id: string,
    delivery_id: string,
    options: Options = {},
  ): Promise<records.WebhookDelivery> {
    return this.caller.call<records.WebhookDelivery>(
      { method: "GET", path: "/webhooks/{webhook_id}/deliveries/{delivery_id}", answer: { r: ["WebhookDelivery"] } },
      { "webhook_id": webhook_id, "delivery_id": delivery_id },
      {},
      options,
    );
  }

  /** Read one webhook. `GET /webhooks/{webhook_id}` */
  get(
    webhook_id: string,
    options: Options = {},
  ): Promise<records.Webhook> {
    return this.caller.call<records.Webhook>(
      { method: "GET", path: "/webhooks/{webhook_id}", answer: { r: ["Webhook"] } },
      { "webhook_id": webhook_id },
      {},
      options,
    );
  }

  /**
   * List what was sent to a webhook and what became of it, the newest first. `GET
   * /webhooks/{webhook_id}/deliveries`
   */
  list_deliveries(
    webhook_id: string,
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is -id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose state is the value given: pending, delivered, failed. */
      state?: "pending" | "delivered" | "failed";
      /** Only records whose created_at is at or after the value given: a time with an offset or Z. */
      created_at_geq?: string;
      /** Only records whose created_at is at or before the value given: a time with an offset or Z. */
      created_at_leq?: string;
    } = {},
    options: Options = {},
  ): Listing<records.WebhookDelivery> {
    return this.caller.list<records.WebhookDelivery>(
      { method: "GET", path: "/webhooks/{webhook_id}/deliveries", query: {"page": "page", "page_size": "page_size", "sort": "sort", "state": "filter[state][eq]", "created_at_geq": "filter[created_at][geq]", "created_at_leq": "filter[created_at][leq]"}, answer: { r: ["PageOfWebhookDelivery"] } },
      { "webhook_id": webhook_id },
      asked,
      options,
    );
  }

  /** List the account's webhooks, without their secrets. `GET /webhooks` */
  list(
    asked: {
      /** Which page of the list, from 1; the first one when left out. Not with `cursor`. */
      page?: number;
      /** How many records a page holds, 20 when left out; more are taken as 200. */
      page_size?: number;
      /**
       * What the list is sorted by: one field, or up to 20 with commas; a minus descends. Left out, it
       * is id, or what the cursor was written for.
       */
      sort?: string | readonly string[];
      /** Only records whose project_id is the value given: an id prj_… or a project's number. */
      project_id?: string;
    } = {},
    options: Options = {},
  ): Listing<records.Webhook> {
    return this.caller.list<records.Webhook>(
      { method: "GET", path: "/webhooks", query: {"page": "page", "page_size": "page_size", "sort": "sort", "project_id": "filter[project_id][eq]"}, answer: { r: ["PageOfWebhook"] } },
      {},
      asked,
      options,
    );
  }

  /**
   * Send a delivery again now, under the same id. `POST
   * /webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver`
   */
  redeliver(
    webhook_id: string,
    delivery_id: string,
    options: Options = {},
  ): Promise<records.WebhookDelivery> {
    return this.caller.call<records.WebhookDelivery>(
      { method: "POST", path: "/webhooks/{webhook_id}/deliveries/{delivery_id}/redeliver", body: {  }, takesKey: true, answer: { r: ["WebhookDelivery"] } },
      { "webhook_id": webhook_id, "delivery_id": delivery_id },
      {},
      options,
    );
  }

  /**
   * Give a webhook a new secret, shown this once; those so far sign beside it until the overlap is over.
   * `POST /webhooks/{webhook_id}/roll_secret`
   */
  roll_secret(
    webhook_id: string,
    asked: {
      /**
       * For how many hours the secrets so far sign beside the new one: 0 to 168; 0 ends them at once.
       */
      overlap_hours?: number;
    } = {},
    options: Options = {},
  ): Promise<records.IssuedWebhook> {
    return this.caller.call<records.IssuedWebhook>(
      { method: "POST", path: "/webhooks/{webhook_id}/roll_secret", body: { overlap_hours: ["overlap_hours", { n: "integer" }] }, takesKey: true, answer: { r: ["IssuedWebhook"] } },
      { "webhook_id": webhook_id },
      asked,
      options,
    );
  }

  /**
   * Have a test delivered, of the type `weighbridge.webhook.test`: one attempt, also while disabled.
   * `POST /webhooks/{webhook_id}/test`
   */
  try_(
    webhook_id: string,
    options: Options = {},
  ): Promise<records.WebhookDelivery> {
    return this.caller.call<records.WebhookDelivery>(
      { method: "POST", path: "/webhooks/{webhook_id}/test", body: {  }, takesKey: true, answer: { r: ["WebhookDelivery"] } },
      { "webhook_id": webhook_id },
      {},
      options,
    );
  }

  /**
   * Change a webhook, disable it, or enable it again: it goes on where it stood in the feed. `PATCH
   * /webhooks/{webhook_id}`
   */
  update(
    webhook_id: string,
    asked: {
      /** Where requests are sent by POST. */
      url?: string;
      /** Which changes are told: `batch` for all of batches, `batch.create` for new ones. */
      change_types?: ("event" | "correction" | "batch" | "async_task" | "rule_result" | "report" | "ledger" | "footprint" | "event.create" | "event.update" | "event.void" | "event.restore" | "correction.create" | "correction.update" | "correction.revert" | "batch.create" | "batch.update" | "batch.delete" | "async_task.create" | "async_task.update" | "async_task.start" | "async_task.complete" | "async_task.fail" | "rule_result.create" | "rule_result.update" | "report.create" | "report.update" | "report.delete" | "ledger.update" | "footprint.create" | "footprint.update")[];
      /** The friendly id of the project whose changes are told; null for the whole account. */
      project_id?: string | null;
      /** What it is for, in the words of whoever made it. */
      description?: string;
      /** A webhook that is enabled again goes on where it stood in the feed. */
      is_enabled?: boolean;
      /**
       * What the receiver checks signatures by from now on, `whsec_` and base64 of 24 to 64 bytes,
       * instead of all secrets so far. Required with a URL on another host.
       */
      secret?: string;
    } = {},
    options: Options = {},
  ): Promise<records.Webhook> {
    return this.caller.call<records.Webhook>(
      { method: "PATCH", path: "/webhooks/{webhook_id}", body: { url: ["url", {  }], change_types: ["change_types", {  }], project_id: ["project_id", {  }], description: ["description", {  }], is_enabled: ["is_enabled", {  }], secret: ["secret", {  }] }, wrapper: "webhook", takesKey: true, answer: { r: ["Webhook"] } },
      { "webhook_id": webhook_id },
      asked,
      options,
    );
  }
}

/** Every kind of record, each as a property of the client. */
export class Groups {
  readonly agent_mappings: AgentMappingsOperations;
  readonly agents: AgentsOperations;
  readonly api_tokens: ApiTokensOperations;
  readonly asset_custom_fields: AssetCustomFieldsOperations;
  readonly assets: AssetsOperations;
  readonly async_tasks: AsyncTasksOperations;
  readonly audit_log: AuditLogOperations;
  readonly balance_steps: BalanceStepsOperations;
  readonly batch_generations: BatchGenerationsOperations;
  readonly batches: BatchesOperations;
  readonly calibrations: CalibrationsOperations;
  readonly capture_rates: CaptureRatesOperations;
  readonly changes: ChangesOperations;
  readonly data_feed_uploads: DataFeedUploadsOperations;
  readonly data_feeds: DataFeedsOperations;
  readonly data_points: DataPointsOperations;
  readonly engagements: EngagementsOperations;
  readonly event_types: EventTypesOperations;
  readonly events: EventsOperations;
  readonly evidence: EvidenceOperations;
  readonly exports: ExportsOperations;
  readonly feature_flags: FeatureFlagsOperations;
  readonly feedstocks: FeedstocksOperations;
  readonly footprint_calls: FootprintCallsOperations;
  readonly footprint_clients: FootprintClientsOperations;
  readonly footprint_events: FootprintEventsOperations;
  readonly footprint_partners: FootprintPartnersOperations;
  readonly footprint_products: FootprintProductsOperations;
  readonly footprints: FootprintsOperations;
  readonly gaps: GapsOperations;
  readonly identity_providers: IdentityProvidersOperations;
  readonly instruments: InstrumentsOperations;
  readonly ledgers: LedgersOperations;
  readonly locations: LocationsOperations;
  readonly methodologies: MethodologiesOperations;
  readonly methodology_packages: MethodologyPackagesOperations;
  readonly model_runs: ModelRunsOperations;
  readonly models: ModelsOperations;
  readonly outages: OutagesOperations;
  readonly package_installations: PackageInstallationsOperations;
  readonly projects: ProjectsOperations;
  readonly received_footprints: ReceivedFootprintsOperations;
  readonly registries: RegistriesOperations;
  readonly registry_mappings: RegistryMappingsOperations;
  readonly registry_statements: RegistryStatementsOperations;
  readonly report_links: ReportLinksOperations;
  readonly report_previews: ReportPreviewsOperations;
  readonly report_uncertainty: ReportUncertaintyOperations;
  readonly reports: ReportsOperations;
  readonly rule_results: RuleResultsOperations;
  readonly rule_runs: RuleRunsOperations;
  readonly rules: RulesOperations;
  readonly saved_views: SavedViewsOperations;
  readonly statements: StatementsOperations;
  readonly static_inputs: StaticInputsOperations;
  readonly substitutions: SubstitutionsOperations;
  readonly uncertainty_runs: UncertaintyRunsOperations;
  readonly uncertainty_savings: UncertaintySavingsOperations;
  readonly version_comparisons: VersionComparisonsOperations;
  readonly webhooks: WebhooksOperations;

  constructor(caller: Caller) {
    this.agent_mappings = new AgentMappingsOperations(caller);
    this.agents = new AgentsOperations(caller);
    this.api_tokens = new ApiTokensOperations(caller);
    this.asset_custom_fields = new AssetCustomFieldsOperations(caller);
    this.assets = new AssetsOperations(caller);
    this.async_tasks = new AsyncTasksOperations(caller);
    this.audit_log = new AuditLogOperations(caller);
    this.balance_steps = new BalanceStepsOperations(caller);
    this.batch_generations = new BatchGenerationsOperations(caller);
    this.batches = new BatchesOperations(caller);
    this.calibrations = new CalibrationsOperations(caller);
    this.capture_rates = new CaptureRatesOperations(caller);
    this.changes = new ChangesOperations(caller);
    this.data_feed_uploads = new DataFeedUploadsOperations(caller);
    this.data_feeds = new DataFeedsOperations(caller);
    this.data_points = new DataPointsOperations(caller);
    this.engagements = new EngagementsOperations(caller);
    this.event_types = new EventTypesOperations(caller);
    this.events = new EventsOperations(caller);
    this.evidence = new EvidenceOperations(caller);
    this.exports = new ExportsOperations(caller);
    this.feature_flags = new FeatureFlagsOperations(caller);
    this.feedstocks = new FeedstocksOperations(caller);
    this.footprint_calls = new FootprintCallsOperations(caller);
    this.footprint_clients = new FootprintClientsOperations(caller);
    this.footprint_events = new FootprintEventsOperations(caller);
    this.footprint_partners = new FootprintPartnersOperations(caller);
    this.footprint_products = new FootprintProductsOperations(caller);
    this.footprints = new FootprintsOperations(caller);
    this.gaps = new GapsOperations(caller);
    this.identity_providers = new IdentityProvidersOperations(caller);
    this.instruments = new InstrumentsOperations(caller);
    this.ledgers = new LedgersOperations(caller);
    this.locations = new LocationsOperations(caller);
    this.methodologies = new MethodologiesOperations(caller);
    this.methodology_packages = new MethodologyPackagesOperations(caller);
    this.model_runs = new ModelRunsOperations(caller);
    this.models = new ModelsOperations(caller);
    this.outages = new OutagesOperations(caller);
    this.package_installations = new PackageInstallationsOperations(caller);
    this.projects = new ProjectsOperations(caller);
    this.received_footprints = new ReceivedFootprintsOperations(caller);
    this.registries = new RegistriesOperations(caller);
    this.registry_mappings = new RegistryMappingsOperations(caller);
    this.registry_statements = new RegistryStatementsOperations(caller);
    this.report_links = new ReportLinksOperations(caller);
    this.report_previews = new ReportPreviewsOperations(caller);
    this.report_uncertainty = new ReportUncertaintyOperations(caller);
    this.reports = new ReportsOperations(caller);
    this.rule_results = new RuleResultsOperations(caller);
    this.rule_runs = new RuleRunsOperations(caller);
    this.rules = new RulesOperations(caller);
    this.saved_views = new SavedViewsOperations(caller);
    this.statements = new StatementsOperations(caller);
    this.static_inputs = new StaticInputsOperations(caller);
    this.substitutions = new SubstitutionsOperations(caller);
    this.uncertainty_runs = new UncertaintyRunsOperations(caller);
    this.uncertainty_savings = new UncertaintySavingsOperations(caller);
    this.version_comparisons = new VersionComparisonsOperations(caller);
    this.webhooks = new WebhooksOperations(caller);
  }
}
