/** Links and a command that add the tool server to an assistant. */
export interface InstallLinks {
  /** Opens the dialog for a custom connector with name and address filled in. */
  readonly claude: string;
  readonly cursor: string;
  readonly vsCode: string;
  /** A command for a shell. */
  readonly claudeCode: string;
}

/** The name under which an assistant keeps the server. */
const name = 'mailproof';

/**
 * Makes the links for one address of the tools, in the forms that Claude, Cursor ("MCP Install Links") and VS Code
 * ("MCP developer guide") take. Each has only the address, because there is no key to hand over.
 */
export function installLinks(address: string): InstallLinks {
  const connector = new URLSearchParams({
    modal: 'add-custom-connector',
    connectorName: 'Mailproof',
    connectorUrl: address,
  });
  const cursor = encodeURIComponent(btoa(JSON.stringify({ url: address })));
  const vsCode = encodeURIComponent(JSON.stringify({ name, type: 'http', url: address }));
  return {
    claude: `https://claude.ai/customize/connectors?${connector}`,
    cursor: `cursor://anysphere.cursor-deeplink/mcp/install?name=${name}&config=${cursor}`,
    vsCode: `vscode:mcp/install?${vsCode}`,
    claudeCode: `claude mcp add --transport http ${name} ${address}`,
  };
}
