// The TypeScript client: every operation of the interface as a method, decimals as strings.

export { Client, type Following, type NamedFile, type Settings } from "./client.js";
export {
  Listing,
  Refused,
  TaskFailed,
  TaskHandle,
  TaskTimeout,
  Unreachable,
  UnreadableAnswer,
  type Options,
  type Page,
  type Problem,
  type RefusalKind,
  type Waiting,
  type WeighbridgeError,
} from "./calls.js";
export { decimal, Num, type Decimal } from "./json.js";
export type { ErrorCode } from "./made/rules.js";
export type * as records from "./made/records.js";
