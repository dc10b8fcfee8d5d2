// Everything that would reach out to another host is switched off here; the content security policy of the
// page forbids it as well.
"use strict";

const settings = {
  agent: { disabled: true },
  mcp: { disabled: true },
  telemetry: false,
  withDefaultFonts: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  persistAuth: false,
  hideModels: true,
  documentDownloadType: "json",
  orderSchemaPropertiesBy: "preserve",
  defaultHttpClient: { targetKey: "shell", clientKey: "curl" },
  authentication: { preferredSecurityScheme: "bearer" },
};

// A guide is shown as the description of a document without operations.
async function guide(path) {
  const answer = await fetch(path, { headers: { Accept: "text/markdown" } });
  const [heading, ...lines] = (await answer.text()).replace(/^<!--.*?-->\s*/s, "").split("\n");
  const title = heading.replace(/^#\s*/, "");
  document.title = `Weighbridge: ${title}`;
  const back = "[All guides](/docs/guides/README.md) · [The interface](/docs)";
  return { openapi: "3.1.0", info: { title, version: "", description: `${back}\n${lines.join("\n")}` }, paths: {} };
}

async function show() {
  const isGuide = location.pathname.startsWith("/docs/guides/");
  document.documentElement.classList.toggle("guide", isGuide);
  const shown = isGuide
    ? { content: await guide(location.pathname), documentDownloadType: "none" }
    : { url: "/openapi.json" };
  Scalar.createApiReference("#reference", { ...settings, ...shown });
}

show();
