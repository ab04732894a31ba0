import escapeHtml from 'escape-html';
import type { Page } from './layout.ts';

/** The page for a person who opens the tool server's address in a browser. */
export function addressPage({ address, applicationUrl }: { address: string; applicationUrl: string }): Page {
  const links = installLinks(address);
  return {
    title: 'MCP URL',
    main: `<h1>Connect your assistant</h1>
<p>Add this URL to your AI assistant as a connector or MCP server. It then opens this site, where you sign in and authorize it.</p>
<p><strong>${escapeHtml(address)}</strong></p>
<h2>Add it with one click</h2>
<ul class="links">
${link(links.claude, 'Add to Claude')}
${link(links.cursor, 'Add to Cursor')}
${link(links.vsCode, 'Add to VS Code')}
</ul>
<h2>In Claude Code</h2>
<p><code>${escapeHtml(links.claudeCode)}</code></p>
<p class="soft">Claude on the web runs in its vendor’s cloud and reaches public URLs only. Do not enter a key or token in an assistant’s settings. <a href="${escapeHtml(applicationUrl)}/docs">More in the documentation</a>.</p>`,
  };
}

function link(target: string, text: string): string {
  return `<li><a class="button" href="${escapeHtml(target)}" rel="noreferrer">${text}</a></li>`;
}

/** Links and a command that add the tool server to an assistant. */
interface InstallLinks {
  /** Opens the dialog for a custom connector with name and address filled in. */
  readonly claude: string;
  readonly cursor: string;
  readonly vsCode: string;
  /** A shell command. */
  readonly claudeCode: string;
}

/** The name under which an assistant stores the server. */
const name = 'mailproof';

/**
 * Creates the links for one address of the tools, in the formats of Claude, Cursor ("MCP Install Links") and VS Code
 * ("MCP developer guide"). Each contains only the address, because there is no key to pass.
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
