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
import { type Answer, type Customer, openTestHouse, type TestHouse, testPassword } from './house.ts';
import { peerOf } from './peer-of.ts';
import { until } from './until.ts';

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
});

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

/**
 * Everything in spans and logs, once both tell of the requests that are named by their ids or operations: they are
 * written a little after the answer.
 */
async function everythingOf(...requests: readonly string[]): Promise<string> {
  const files = Object.values(test.house.services).map(({ logFile }) => logFile);
  let logs = '';
  await until(
    'telemetry of the requests',
    async () => {
      logs = (await Promise.all(files.map(file => readFile(file, 'utf8')))).join('\n');
      const traced = new Set(spans().map(({ traceId }) => traceId));
      const told = logs.split('\n').filter(line => [...traced].some(traceId => line.includes(traceId)));
      return requests.filter(request => !told.some(line => line.includes(request)));
    },
    missing => missing.length === 0,
  );
  return [...received, logs].join('\n');
}

const idOf = ({ headers }: Answer): string => String(headers.get('x-request-id'));

describe('telemetry', () => {
  it('follows a validation through all three services under one trace', async () => {
    await customer.validate('canary.person@ordinary.example');
    const servicesOfTraces = async () =>
      [...Map.groupBy(spans(), ({ traceId }) => traceId).values()].map(trace =>
        [...new Set(trace.map(({ service }) => service))].sort().join(' '),
      );
    await until('a trace through all three', servicesOfTraces, traces =>
      traces.includes('credit-ledger gateway validation-engine'),
    );
  });

  it('never shows an address of a person or an API key, in spans or in logs', async () => {
    const validated = await customer.validate('canary.person@gateway.example');
    const wrongKey = `${customer.apiKey.slice(0, -1)}#`;
    const refused = await customer.send('/me', { headers: { 'x-api-key': wrongKey } });
    const everything = await everythingOf(idOf(validated), idOf(refused));
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
      const asked = [checkPassword, recordAssistantConnected, getSealedApiKey];
      const everything = await everythingOf(...asked.map(({ id }) => `"${id}"`));
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
