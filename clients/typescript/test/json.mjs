// JSON keeps the digits of numbers, and texts that look like numbers.

import { decimal, Num } from "../dist/index.js";
import { readJson, writeJson } from "../dist/json.js";

const text = '{"amount":1.000000000000000000000000000000001,"id":7,"note":"1.5 \\" 2","rest":[1,-2.50e3,"3"]}';
const read = readJson(text, { m: {} });
console.log(writeJson(read, { m: {} }) === text, read.id instanceof Num, String(read.amount));
console.log(writeJson(decimal("12.50"), { n: "number" }), writeJson("12.50", {}), writeJson(new Num(5)));
