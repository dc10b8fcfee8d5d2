// Everything that would reach out to another host is switched off here; the content security policy of the
// page forbids it as well.
"use strict";

Scalar.createApiReference("#reference", {
  url: "/openapi.json",
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
});
