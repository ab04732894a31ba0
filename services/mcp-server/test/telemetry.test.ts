import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { type Collector, startCollector } from './collector.ts';
import { type Customer, openToolHouse, type ToolHouse } from './house.ts';
import { callTool, connect, structuredContent } from './oauth-client.ts';

let collector: Collector;
let house: ToolHouse;
let customer: Customer;

beforeAll(async () => {
  collector = await startCollector();
  const names = ['mcp-server', 'gateway', 'credit-ledger', 'validation-engine'] as const;
  house = await openToolHouse({
    env: Object.fromEntries(names.map(name => [name, collector.settings(name)])),
  });
  customer = await house.customer({ credits: 5 });
});

afterAll(async () => {
  await house?.stop();
  await collector?.close();
});

/** The services that took part in each trace. */
function servicesByTrace(): Set<string>[] {
  return [...Map.groupBy(collector.spans(), ({ traceId }) => traceId).values()].map(
    trace => new Set(trace.map(({ service }) => service)),
  );
}

describe('telemetry of the tools', () => {
  it('follows a call through all services, counts it, and shows no address, token or key', async () => {
    const { accessToken } = await connect(house, customer);
    const validated = await callTool(house.url, accessToken, 'svc_validate_email', {
      email: 'canary.person@ordinary.example',
    });
    expect(structuredContent(validated)).toMatchObject({ ok: true });
    // Refused requests also leave traces, and so do secrets in the wrong place.
    await callTool(house.url, accessToken, 'svc_validate_email', {
      email: ['canary.person@ordinary.example'],
    });
    await callTool(house.url, accessToken, 'canary.person@ordinary.example');
    await callTool(house.url, `${accessToken}x`);
    await callTool(house.url, undefined, undefined, undefined, { 'x-api-key': customer.apiKey });
    await fetch(`${house.resource}?access_token=${accessToken}&api_key=${customer.apiKey}`, {
      method: 'POST',
    });
    await fetch(
      `${house.url}/authorize?client_id=x&state=canary-state&login_hint=canary.person@ordinary.example`,
    );
    await fetch(house.resource, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: '{"email":"canary.person@ordinary.example"',
    });
    await waitFor(
      'One trace spans all four services',
      async () => servicesByTrace().some(all => all.size === 4),
      {
        deadlineMs: 60_000,
      },
    );
    await waitFor(
      'Calls and refusals are counted',
      async () =>
        ['mailproof.tools.calls', 'mailproof.tools.refused_tokens'].every(name =>
          collector.received.some(line => line.includes(name)),
        ),
      { deadlineMs: 60_000 },
    );
    const files = Object.values(house.house.services).map(({ logFile }) => logFile);
    let everything = '';
    await waitFor(
      'What happened is logged',
      async () => {
        const logs = await Promise.all(files.map(file => readFile(file, 'utf8')));
        everything = [...collector.received, ...logs].join('\n');
        return ['svc_validate_email', 'requests refused', '/authorize'].every(text =>
          everything.includes(text),
        );
      },
      { deadlineMs: 60_000 },
    );
    expect(everything).not.toContain('canary-state');
    expect(everything).not.toContain('canary.person');
    expect(everything).not.toContain(customer.apiKey.slice(12, 40));
    for (const part of accessToken.split('.')) {
      // The header of a token is not a secret, but there is no reason to record it.
      expect(everything).not.toContain(part);
    }
  });
});
