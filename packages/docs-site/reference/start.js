const { document: url, renderer } = document.getElementById('reference').dataset;
const { createApiReference } = await import(renderer);

createApiReference('#reference', {
  url,
  theme: 'none',
  // Otherwise the renderer shows the page in light colors first.
  darkMode: matchMedia('(prefers-color-scheme: dark)').matches,
  // Everything stays in this installation: no fonts, proxy, telemetry or services of the renderer's makers.
  withDefaultFonts: false,
  proxyUrl: '',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  externalUrls: { dashboardUrl: '', registryUrl: '', proxyUrl: '', apiBaseUrl: '' },
  hideClientButton: true,
  showDeveloperTools: 'never',
  // Our examples, which use the SDKs, in place of those for any HTTP client.
  hiddenClients: true,
  // A key in a page is read by every script of it; examples are copied into a terminal.
  hideTestRequestButton: true,
  persistAuth: false,
  documentDownloadType: 'json',
});
