import escapeHtml from 'escape-html';
import { installLinks } from '../domain/install-links.ts';
import type { Page } from './layout.ts';

/** For a person who opens the tool server's address in a browser. */
export function addressPage({ address, applicationUrl }: { address: string; applicationUrl: string }): Page {
  const links = installLinks(address);
  return {
    title: 'The address for assistants',
    main: `<h1>This address is for your assistant</h1>
<p>Give your AI assistant this address as a connector or MCP server. It then brings you back here to sign in and to say what it may do.</p>
<p><strong>${escapeHtml(address)}</strong></p>
<h2>Add it with one click</h2>
<ul class="links">
${link(links.claude, 'Add to Claude')}
${link(links.cursor, 'Add to Cursor')}
${link(links.vsCode, 'Add to VS Code')}
</ul>
<h2>In Claude Code</h2>
<p><code>${escapeHtml(links.claudeCode)}</code></p>
<p class="soft">Claude on the web works in its vendor’s cloud and reaches public addresses only. No key or token belongs in an assistant’s settings. <a href="${escapeHtml(applicationUrl)}/docs">More in the documentation</a>.</p>`,
  };
}

function link(target: string, text: string): string {
  return `<li><a class="button" href="${escapeHtml(target)}" rel="noreferrer">${text}</a></li>`;
}
