import escapeHtml from 'escape-html';
import type { Page } from './layout.ts';

/** For somebody who opens in a browser what was meant for an assistant. */
export function addressPage({ address, applicationUrl }: { address: string; applicationUrl: string }): Page {
  return {
    title: 'The address for assistants',
    main: `<h1>This address is for your assistant</h1>
<p>Give your AI assistant this address as a connector or MCP server. It then brings you back here to sign in and to say what it may do.</p>
<p><strong>${escapeHtml(address)}</strong></p>
<p class="soft">No key or token belongs in its settings. <a href="${escapeHtml(applicationUrl)}/docs">More in the documentation</a>.</p>`,
  };
}
