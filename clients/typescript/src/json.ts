// JSON without binary floats: numbers come and go with every digit.
//
// A number of a decimal field is a string of the type `Decimal`. Where a field may be a number or a text, such
// as the value of a data point, a number is a `Num`, which no text is taken for. Counts and ids are numbers.

import { SHAPES } from "./made/shapes.js";

declare const digits: unique symbol;

/** A decimal number as a string with every digit, such as "12.50"; `decimal("12.50")` makes one. */
export type Decimal = string & { readonly [digits]: true };

/** What the numbers of a value of JSON are: see `made/shapes.ts`. */
export interface Shape {
  readonly n?: "number" | "integer";
  readonly l?: Shape;
  readonly m?: Shape;
  readonly r?: readonly string[];
}

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * A decimal from its digits, or from a whole number. Throws a TypeError for a binary float, which has no exact
 * digits, and for a text that is no number.
 */
export function decimal(value: string | number | bigint): Decimal {
  const text = String(value);
  if (typeof value === "number" && !Number.isSafeInteger(value)) {
    throw new TypeError(`${text} is a binary float; give decimal("${text}") if that is what was measured.`);
  }
  if (!NUMBER.test(text)) throw new TypeError(`"${text}" is no decimal number, such as "12.50".`);
  return text as Decimal;
}

/** A number where a text might stand as well. */
export class Num {
  readonly digits: Decimal;

  constructor(value: string | number | bigint) {
    this.digits = decimal(value);
  }

  toString(): string {
    return this.digits;
  }

  toJSON(): string {
    return this.digits;
  }
}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;
const MARK = "\u0000";

/** The value that a text of JSON holds. Throws a SyntaxError for what is no JSON. */
export function readJson(text: string, shape: Shape = {}): unknown {
  const marked = text.replace(TOKENS, (token) => (token[0] === '"' ? token : `"\\u0000${token}"`));
  return read(JSON.parse(marked), shape);
}

function read(value: unknown, shape: Shape): unknown {
  if (typeof value === "string") {
    if (!value.startsWith(MARK)) return value;
    const number = value.slice(1);
    if (shape.n === "integer") return Number(number);
    return shape.n === "number" ? decimal(number) : new Num(number);
  }
  if (Array.isArray(value)) return value.map((item: unknown) => read(item, shape.l ?? {}));
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, read(item, shapeOfField(shape, name))]),
  );
}

function shapeOfField(shape: Shape, name: string): Shape {
  for (const record of shape.r ?? []) {
    const found = SHAPES[record]?.[name];
    if (found !== undefined) return found;
  }
  return shape.m ?? {};
}

/** The text of JSON for a value; fields that are undefined are left out. Throws a TypeError for binary floats. */
export function writeJson(value: unknown, shape: Shape = {}): string {
  if (value instanceof Num) return value.digits;
  if (value instanceof Date) return JSON.stringify(value);
  if (typeof value === "string") return shape.n === "number" ? decimal(value) : JSON.stringify(value);
  if (typeof value === "number" || typeof value === "bigint") return decimal(value);
  if (Array.isArray(value)) {
    return `[${value.map((item: unknown) => writeJson(item ?? null, shape.l ?? {})).join(",")}]`;
  }
  if (value === null || typeof value !== "object") return JSON.stringify(value ?? null);
  const fields = Object.entries(value).filter(([, item]) => item !== undefined);
  const told = fields.map(([name, item]) => `${JSON.stringify(name)}:${writeJson(item, shapeOfField(shape, name))}`);
  return `{${told.join(",")}}`;
}
