import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { waitFor } from '@mailproof/dev-house';
import { type Collector, type Span, startCollector } from './collector.ts';
import { openToolHouse, type ToolHouse } from './house.ts';
import { callTool, connect, structuredContent } from './oauth-client.ts';

const services = ['mcp-server', 'gateway', 'credit-ledger'] as const;
const calls = 20;

let collector: Collector;
let house: ToolHouse;

beforeAll(async () => {
  collector = await startCollector();
  house = await openToolHouse({
    lab: false,
    only: services,
    env: Object.fromEntries(services.map(name => [name, collector.settings(name)])),
  });
});

afterAll(async () => {
  await house?.stop();
  await collector?.close();
});

/** Returns the work of a service in a trace: received requests, Postgres statements, and round trips to Redis. */
function workOf(spans: readonly Span[], service: (typeof services)[number]) {
  const own = spans.filter(span => span.service === service);
  return {
    requests: own.filter(({ isServed }) => isServed).length,
    statements: own
      .filter(({ library, name }) => library === 'pg' && name.startsWith('pg.query:'))
      .map(({ name }) => name.replace(/^pg\.query:(\S+).*$/, '$1')),
    roundTrips: own.filter(({ library }) => library === 'ioredis').length,
  };
}

/** Waits until this many calls have a complete trace, not counting the known traces. */
function wholeTraces(known: ReadonlySet<string>, count: number): Promise<readonly Span[][]> {
  return waitFor(
    'Every call has left its trace',
    async () => {
      const groups = [...Map.groupBy(collector.spans(), ({ traceId }) => traceId)];
      // A service sends a span when it ends, so the span of the received request comes last.
      const whole = groups.filter(
        ([traceId, spans]) =>
          !known.has(traceId) && services.every(service => workOf(spans, service).requests > 0),
      );
      return whole.length >= count ? whole.map(([, spans]) => spans) : undefined;
    },
    { deadlineMs: 60_000 },
  );
}

it('a call is one request to the gateway and one to the ledger, with one statement each, and one round trip to Redis', async () => {
  const customer = await house.customer();
  const { accessToken } = await connect(house, customer);
  // The first call loads scripts and prepares statements.
  expect(structuredContent(await callTool(house.url, accessToken))).toMatchObject({ ok: true });
  const [first] = await wholeTraces(new Set(), 1);
  const before = new Set(first?.map(({ traceId }) => traceId));
  const answers = await Promise.all(Array.from({ length: calls }, () => callTool(house.url, accessToken)));
  for (const answer of answers) expect(structuredContent(answer)).toMatchObject({ ok: true });
  const traces = await wholeTraces(before, calls);
  expect(traces).toHaveLength(calls);
  for (const spans of traces) {
    expect(workOf(spans, 'gateway')).toEqual({
      requests: 1,
      statements: ['find_assistant_grounds'],
      roundTrips: 1,
    });
    expect(workOf(spans, 'credit-ledger')).toMatchObject({ requests: 1, statements: [expect.any(String)] });
    const { requests, statements, roundTrips } = workOf(spans, 'mcp-server');
    expect({ requests, roundTrips }).toEqual({ requests: 1, roundTrips: 0 });
    expect(statements.filter(name => name === 'find_assistant')).toHaveLength(1);
  }
  // An assistant's use is recorded once a minute, and every few seconds a call reads the signing keys.
  const others = traces.filter(spans =>
    workOf(spans, 'mcp-server').statements.some(
      name => name !== 'find_assistant' && name !== 'note_assistant_use',
    ),
  );
  expect(others.length).toBeLessThan(calls / 2);
});
