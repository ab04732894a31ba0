import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { type Customer, openToolHouse, type ToolHouse } from './house.ts';
import { callTool, connect, structuredContent } from './oauth-client.ts';

interface ExportRequest {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly { traceId: string }[] }[];
  }[];
}

let collector: Server;
const received: string[] = [];
let house: ToolHouse;
let customer: Customer;

beforeAll(async () => {
  collector = createServer(async (request, response) => {
    received.push(await text(request));
    response.setHeader('content-type', 'application/json').end('{}');
  });
  await new Promise<void>(resolve => {
    collector.listen(0, '127.0.0.1', resolve);
  });
  const telemetry = (name: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: name,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    OTEL_METRIC_EXPORT_INTERVAL: '500',
    LOG_LEVEL: 'debug',
  });
  const names = ['mcp-server', 'gateway', 'credit-ledger', 'validation-engine'] as const;
  house = await openToolHouse({ env: Object.fromEntries(names.map(name => [name, telemetry(name)])) });
  customer = await house.customer({ credits: 5 });
});

afterAll(async () => {
  await house?.stop();
  collector?.closeAllConnections();
  await new Promise(resolve => collector.close(resolve));
});

/** The services that took part in each trace. */
function servicesByTrace(): Set<string>[] {
  const spans = received.flatMap(line =>
    ((JSON.parse(line) as ExportRequest).resourceSpans ?? []).flatMap(({ resource, scopeSpans }) => {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      return scopeSpans.flatMap(scope => scope.spans.map(({ traceId }) => ({ traceId, service })));
    }),
  );
  return [...Map.groupBy(spans, ({ traceId }) => traceId).values()].map(
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
    // What is refused leaves traces too, and so does what is said in the wrong place.
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
          received.some(line => line.includes(name)),
        ),
      { deadlineMs: 60_000 },
    );
    const files = Object.values(house.house.services).map(({ logFile }) => logFile);
    let everything = '';
    await waitFor(
      'What happened is logged',
      async () => {
        const logs = await Promise.all(files.map(file => readFile(file, 'utf8')));
        everything = [...received, ...logs].join('\n');
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
      // The header of a token is no secret, but nothing has a reason to write it down either.
      expect(everything).not.toContain(part);
    }
  });
});
