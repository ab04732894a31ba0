import { readFileSync } from 'node:fs';
import { stripTypeScriptTypes } from 'node:module';
import { join } from 'node:path';
import { expect, it } from '@jest/globals';
import { projectRoot } from '@mailproof/dev-house';
import * as sdk from '@modelcontextprotocol/client';
import { openSharedToolHouse } from './house.ts';
import { connectClient } from './messages.ts';
import { connect } from './oauth-client.ts';
import { PagesProvider } from './pages-provider.ts';

/** The block of a guide that begins with these words. */
function block(begin: string, page = 'connect-an-assistant.md'): string {
  const guide = readFileSync(join(projectRoot, `docs/${page}`), 'utf8');
  const found = [...guide.matchAll(/```ts\n([\s\S]*?)```/g)].find(([, code = '']) => code.startsWith(begin));
  return found?.[1] ?? '';
}

it('the program of the guide signs its user in, and calls a tool', async () => {
  const house = await openSharedToolHouse();
  const customer = await house.customer({ credits: 2 });
  const authProvider = new PagesProvider<
    sdk.OAuthClientInformationMixed,
    sdk.OAuthTokens,
    sdk.OAuthDiscoveryState
  >(house, customer);
  const code = stripTypeScriptTypes(block('import { Client'))
    .replace(/^import .*$/m, '')
    .replace('https://mcp.example.com/mcp', house.resource)
    .replace('ada@example.com', 'ada@ordinary.example')
    .replace('callbackParameters', 'authProvider.returned')
    .replace('await connected.callTool', 'const answer = await connected.callTool');
  const { Client, StreamableHTTPClientTransport, UnauthorizedError } = sdk;
  const given = { Client, StreamableHTTPClientTransport, UnauthorizedError, authProvider };
  const program = new Function(
    ...Object.keys(given),
    `return (async () => { ${code}\nreturn { connected, answer }; })()`,
  );
  const { connected, answer } = await program(...Object.values(given));
  try {
    expect(answer).toMatchObject({ structuredContent: { ok: true, data: { result: 'ok' } } });
  } finally {
    await connected.close();
    await house.stop();
  }
});

it('the program of the guide validates a list within the price that it was told', async () => {
  const house = await openSharedToolHouse();
  const customer = await house.customer({ credits: 2 });
  const { accessToken } = await connect(house, customer, { scope: 'lists.run' });
  const connected = await connectClient(house.url, 'auto', { authorization: `Bearer ${accessToken}` });
  try {
    const code = stripTypeScriptTypes(block('const call = async'));
    const program = new Function(
      'connected',
      `return (async () => { ${code}\nreturn { list, progress, results }; })()`,
    );
    expect(await program(connected)).toMatchObject({
      list: { state: 'ready', cost_max: 2 },
      progress: { state: 'succeeded', spent: 2 },
      results: { rows: [{ row: 2, email: 'ghost@ordinary.example', result: 'invalid' }] },
    });
  } finally {
    await connected.close();
    await house.stop();
  }
});

it('the program of the page about the sandbox gets its people and a refusal, free of charge', async () => {
  const house = await openSharedToolHouse();
  const customer = await house.customer({ credits: 0 });
  const { accessToken } = await connect(house, customer, { scope: 'profiles.enrich leads.search' });
  const connected = await connectClient(house.url, 'auto', { authorization: `Bearer ${accessToken}` });
  try {
    const [helper = ''] = block('const call = async').split('\n\n');
    const code = stripTypeScriptTypes(helper + block('const people =', 'sandbox.md'));
    const program = new Function(
      'connected',
      `return (async () => { ${code}\nreturn { profile, refusal, pages: [search.people.length, rest.people.length] }; })()`,
    );
    expect(await program(connected)).toMatchObject({
      profile: { found: true, profile: { full_name: 'Ada Birch' } },
      refusal: expect.stringContaining('Not enough credits'),
      pages: [10, 10],
    });
  } finally {
    await connected.close();
    await house.stop();
  }
});
