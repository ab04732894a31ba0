import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { addressPage, installLinks } from './address-page.ts';

const address = 'https://mcp.example.com:8443/mcp';
const links = installLinks(address);

describe('an install link', () => {
  it('opens Claude’s dialog with name and address', () => {
    const { origin, pathname, searchParams } = new URL(links.claude);
    expect([origin, pathname]).toEqual(['https://claude.ai', '/customize/connectors']);
    expect(Object.fromEntries(searchParams)).toEqual({
      modal: 'add-custom-connector',
      connectorName: 'Mailproof',
      connectorUrl: address,
    });
  });

  it('gives Cursor a configuration in base64', () => {
    const { protocol, host, pathname, searchParams } = new URL(links.cursor);
    expect([protocol, host, pathname]).toEqual(['cursor:', 'anysphere.cursor-deeplink', '/mcp/install']);
    expect(searchParams.get('name')).toBe('mailproof');
    expect(JSON.parse(atob(searchParams.get('config') ?? ''))).toEqual({ url: address });
  });

  it('gives VS Code a configuration as its query', () => {
    const { protocol, pathname, search } = new URL(links.vsCode);
    expect([protocol, pathname]).toEqual(['vscode:', 'mcp/install']);
    expect(JSON.parse(decodeURIComponent(search.slice(1)))).toEqual({
      name: 'mailproof',
      type: 'http',
      url: address,
    });
  });

  it('is on the page of the address, with the command for Claude Code', () => {
    const { main } = addressPage({ address, applicationUrl: 'https://mailproof.example' });
    for (const link of [links.claude, links.cursor, links.vsCode]) {
      expect(main).toContain(`href="${link.replaceAll('&', '&amp;')}"`);
    }
    expect(main).toContain(`<code>claude mcp add --transport http mailproof ${address}</code>`);
  });
});

describe('the page on connecting an assistant', () => {
  it('shows the links of its example address', () => {
    const page = readFileSync(new URL('../../../../docs/connect-an-assistant.md', import.meta.url), 'utf8');
    for (const link of Object.values(installLinks('https://mcp.example.com/mcp'))) {
      expect(page).toContain(link);
    }
  });
});
