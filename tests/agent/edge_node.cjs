// An edge node by the Sparkplug client of Eclipse Tahu, told by lines on its standard input what it sends.
// Each line is JSON: [method, ...arguments] of the client. Births are sent again when the host asks for them.
const path = require("path");
const foreign = process.argv[2];
const { newClient } = require(path.join(foreign, "node_modules", "sparkplug-client"));

const client = newClient({
  serverUrl: `mqtt://127.0.0.1:${process.argv[3]}`,
  username: "node", password: "node", groupId: "Plant", edgeNode: "Line 1", clientId: "line-1", version: "spBv1.0",
});
let births = [];

function revive(payload) {
  for (const metric of payload.metrics || []) if (metric.isNull) metric.value = null;
  return payload;
}

function bear() {
  for (const [method, ...rest] of births) client[method](...structuredClone(rest).map((one) => one.metrics ? revive(one) : one));
}

client.on("connect", () => console.log("connected"));
client.on("birth", bear);
client.on("ncmd", (payload) => {
  if (payload.metrics.some((metric) => metric.name === "Node Control/Rebirth" && metric.value)) {
    console.log("asked");
    bear();
  }
});

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [method, ...rest] = JSON.parse(line);
  if (method === "births") { births = rest; bear(); }
  else if (method === "skip") client.seq = (client.seq + 1) % 256;
  else client[method](...rest.map((one) => one.metrics ? revive(one) : one));
});
