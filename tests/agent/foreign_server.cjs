// An OPC UA server by node-opcua with one historized variable, told by lines on its standard input what it measures.
// Each line is JSON: the value, the source time, and the number of its status code. Each is answered when it is there.
const path = require("path");
const [, , modules, port] = process.argv;
const part = (name) => require(path.join(modules, "node_modules", name));
const { OPCUAServer } = part("node-opcua-server");
const { DataType, Variant } = part("node-opcua-variant");
const { coerceStatusCode } = part("node-opcua-status-code");
const { OPCUACertificateManager } = part("node-opcua-certificate-manager");

async function main() {
  const folder = process.argv[4];
  const serverCertificateManager = new OPCUACertificateManager({ rootFolder: folder, automaticallyAcceptUnknownCertificate: true });
  const server = new OPCUAServer({
    port: Number(port), hostname: "127.0.0.1", resourcePath: "/plant", serverCertificateManager,
    userCertificateManager: serverCertificateManager,
  });
  await server.initialize();
  const addressSpace = server.engine.addressSpace;
  // A namespace before ours: the number of ours is none that a file could know.
  addressSpace.registerNamespace("urn:another");
  const namespace = addressSpace.registerNamespace("urn:foreign-plant");
  const kiln = namespace.addObject({ organizedBy: addressSpace.rootFolder.objects, browseName: "House" });
  const temperature = namespace.addVariable({
    componentOf: kiln, browseName: "Temperature", nodeId: "s=House.Temperature", dataType: "Float",
  });
  addressSpace.installHistoricalDataNode(temperature, { maxOnlineValues: 100000 });
  await server.start();
  console.log("ready");
  require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
    const [value, time, status] = JSON.parse(line);
    temperature.setValueFromSource(
      new Variant({ dataType: DataType.Float, value }), coerceStatusCode(status), new Date(time),
    );
    console.log("stored");
  });
}

main().catch((error) => { console.error(error); process.exit(1); });
