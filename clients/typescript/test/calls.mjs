// What is sent again and what never is, told without a service or time.

import { build, carry } from "../dist/calls.js";

const busy = () => new Response("{}", { status: 503, headers: { "Retry-After": "7" } });
const done = () => new Response("{}", { status: 201 });
const taken = '{"errors":[{"message":"No.","code":"taken"}],"request_id":"r"}';
const refused = () => new Response(taken, { status: 409 });
const lost = () => {
  throw new TypeError("fetch failed");
};
const write = {
  method: "POST",
  path: "/projects",
  body: { name: ["name", {}] },
  wrapper: "project",
  takesKey: true,
  answer: {},
};
const erase = { method: "DELETE", path: "/ledgers/{id}", answer: "void" };

/** What came of it, how often it was sent, by how many keys, and whether the service's pause was kept. */
async function attempt(operation, ...answers) {
  const sent = [];
  const pauses = [];
  const send = async (one) => {
    sent.push(one);
    return answers[sent.length - 1]();
  };
  const pause = async (seconds) => void pauses.push(seconds);
  let outcome;
  try {
    outcome = (await carry(send, pause, build(operation, { id: "a/b" }, { name: "x" }, {}))).status;
  } catch (error) {
    outcome = error.kind ?? String(error);
  }
  const keys = new Set(sent.map((one) => one.headers["Idempotency-Key"]));
  return [outcome, sent.length, keys.size, pauses.every((seconds) => seconds >= 7 && seconds <= 7 * 1.25)];
}

const told = [
  await attempt(write, busy, busy, done),
  await attempt(erase, lost, done),
  await attempt(erase, busy, done),
  await attempt(write, refused, done),
];
console.log(JSON.stringify([told, build(erase, { id: "a/b" }, {}, {}).path]));
