import { readFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AccountId,
  checkPassword,
  getSealedApiKey,
  newId,
  recordAssistantConnected,
  type UserId,
} from '@mailproof/shared-types';
import { type Customer, openTestHouse, type TestHouse, testPassword } from './house.ts';
import { peerOf } from './peer-of.ts';
import { until as untilSeen } from './until.ts';

interface Span {
  readonly traceId: string;
  readonly name: string;
  readonly service: string;
}

interface ExportRequest {
  readonly resourceSpans?: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly { traceId: string; name: string }[] }[];
  }[];
}

let collector: Server;
const received: string[] = [];
let test: TestHouse;
let customer: Customer;

beforeAll(async () => {
  collector = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', chunk => chunks.push(chunk));
    request.on('end', () => {
      received.push(Buffer.concat(chunks).toString());
      response.setHeader('content-type', 'application/json').end('{}');
    });
  });
  await new Promise<void>(resolve => {
    collector.listen(0, '127.0.0.1', resolve);
  });
  const telemetry = (name: string) => ({
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_SERVICE_NAME: name,
    OTEL_BSP_SCHEDULE_DELAY: '100',
    LOG_LEVEL: 'debug',
  });
  test = await openTestHouse({
    env: {
      gateway: telemetry('gateway'),
      'credit-ledger': telemetry('credit-ledger'),
      'validation-engine': telemetry('validation-engine'),
    },
  });
  customer = await test.open({ credits: 5 });
}, 90_000);

afterAll(async () => {
  await test.stop();
  collector.closeAllConnections();
  await new Promise(resolve => collector.close(resolve));
});

function spans(): Span[] {
  return received.flatMap(text =>
    ((JSON.parse(text) as ExportRequest).resourceSpans ?? []).flatMap(({ resource, scopeSpans }) => {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      return scopeSpans.flatMap(scope =>
        scope.spans.map(({ traceId, name }) => ({ traceId, name, service })),
      );
    }),
  );
}

async function until(condition: () => boolean): Promise<void> {
  const givesUpAt = Date.now() + 20_000;
  while (!condition() && Date.now() < givesUpAt) {
    await new Promise(resolve => setTimeout(resolve, 50));
  }
}

/** All that was told, as soon as a text is among it: logs are written a little after what they tell of. */
async function everythingWith(text: string): Promise<string> {
  const files = Object.values(test.house.services).map(({ logFile }) => logFile);
  return untilSeen(
    `the telemetry with ${text}`,
    async () => [...received, ...(await Promise.all(files.map(file => readFile(file, 'utf8'))))].join('\n'),
    everything => everything.includes(text),
  );
}

describe('telemetry', () => {
  it('follows a validation through all three services under one trace', async () => {
    await customer.validate('canary.person@ordinary.example');
    const servicesOfOneTrace = () =>
      [...Map.groupBy(spans(), ({ traceId }) => traceId).values()]
        .map(trace => new Set(trace.map(({ service }) => service)))
        .find(names => names.size === 3);
    await until(() => servicesOfOneTrace() !== undefined);
    expect(servicesOfOneTrace()).toEqual(new Set(['gateway', 'credit-ledger', 'validation-engine']));
  });

  it('never shows an address of a person or an API key, in spans or in logs', async () => {
    const before = spans().length;
    await customer.validate('canary.person@gateway.example');
    await customer.send('/me', { headers: { 'x-api-key': `${customer.apiKey.slice(0, -1)}#` } });
    await until(() => spans().length > before);
    const logs = await Promise.all(
      Object.values(test.house.services).map(({ logFile }) => readFile(logFile, 'utf8')),
    );
    const everything = [...received, ...logs].join('\n');
    expect(everything).toContain('validate-single-email');
    expect(everything).not.toContain('canary.person');
    expect(everything).not.toContain(customer.apiKey.slice(12, 40));
  });

  it('never shows a password, a sealed key or who signs in, when the tool server asks', async () => {
    const email = `canary.owner.${newId('user').slice(-8)}@ordinary.example`;
    const owner = await test.owner({ accountId: customer.accountId, email });
    const ids = { accountId: customer.accountId as AccountId, userId: owner.userId as UserId };
    const browser = { clientAddress: '203.0.113.77', userAgent: 'Canary-Browser/1' };
    const toolServer = await peerOf(test.house, 'mcp-server', 'gateway');
    try {
      const wrong = { email, password: 'a canary of a wrong password', ...browser };
      expect((await toolServer.ask(checkPassword, { params: {}, body: wrong })).kind).toBe('refused');
      const right = { ...wrong, password: testPassword };
      const accepted = await toolServer.ask(checkPassword, { params: {}, body: right });
      const signInId = accepted.kind === 'accepted' ? accepted.signInId : '';
      const body = { ...ids, assistantId: newId('assistant'), signInId, ...browser };
      const recorded = await toolServer.ask(recordAssistantConnected, { params: {}, body });
      expect(recorded.kind).toBe('recorded');
      const sealed = await toolServer.ask(getSealedApiKey, { params: ids, body: undefined });
      const [, wrapped = '', , text = ''] = sealed.kind === 'ready' ? sealed.sealedKey.split('.') : [];
      expect(wrapped.length * text.length).toBeGreaterThan(0);
      const before = spans().length;
      await customer.me();
      await until(() => spans().length > before);
      const everything = await everythingWith('record-assistant-connected');
      for (const secret of [wrong.password, testPassword, '$argon2', wrapped, text, email, 'canary.owner']) {
        expect(everything).not.toContain(secret);
      }
      for (const personal of [browser.clientAddress, browser.userAgent]) {
        expect(everything).not.toContain(personal);
      }
    } finally {
      await toolServer.close();
    }
  });
});
