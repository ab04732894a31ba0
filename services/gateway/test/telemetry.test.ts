import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  type AccountId,
  checkPassword,
  forAssistant,
  getMe,
  newId,
  recordAssistantConnected,
  type UserId,
} from '@mailproof/shared-types';
import { type Customer, openTestHouse, type TestHouse, testPassword } from './house.ts';
import { type Collector, idOf, type Span, startCollector } from './house-telemetry.ts';
import { peerOf } from './peer-of.ts';
import { until } from './until.ts';

let collector: Collector;
let test: TestHouse;
let customer: Customer;

beforeAll(async () => {
  collector = await startCollector();
  const services = ['gateway', 'credit-ledger', 'validation-engine'] as const;
  test = await openTestHouse({
    env: Object.fromEntries(services.map(name => [name, collector.settings(name)])),
  });
  customer = await test.open({ credits: 5 });
});

afterAll(async () => {
  await test?.stop();
  await collector?.stop();
});

describe('telemetry', () => {
  it('follows a validation through all three services under one trace', async () => {
    await customer.validate('canary.person@ordinary.example');
    const servicesOfTraces = async () =>
      [...Map.groupBy(collector.spans(), ({ traceId }) => traceId).values()].map(trace =>
        [...new Set(trace.map(({ service }) => service))].sort().join(' '),
      );
    await until('a trace through all three', servicesOfTraces, traces =>
      traces.includes('credit-ledger gateway validation-engine'),
    );
  });

  it('shows that a single validation is four statements and ten commands to Redis', async () => {
    // The first validation loads scripts and prepares statements.
    await customer.validate('ada@ordinary.example');
    const validated = await customer.validate('ada@exim.example');
    expect(validated.body).toMatchObject({ result: 'ok' });
    const expected = {
      gateway: ['evalsha', 'look_up_key', 'write_down_charge'],
      'credit-ledger': ['create_holds_v1', 'settle_hold_v1'],
      // The guessing limit and a slot at the host; both verdict caches, the comparison cache, and two checks of who
      // blocks us.
      'validation-engine': [...Array(2).fill('evalsha'), ...Array(5).fill('get'), ...Array(2).fill('set')],
    };
    const askedStores = async () => {
      const spans = collector.spans();
      const own = spans.find(({ attributes }) => attributes['mailproof.request_id'] === idOf(validated));
      const ofTrace = spans.filter(({ traceId }) => traceId === own?.traceId);
      return Object.fromEntries(Object.keys(expected).map(name => [name, storeCallsOf(ofTrace, name)]));
    };
    // Calls after the answer, such as the charge, arrive last.
    const asked = await until('the last of the calls', askedStores, calls =>
      Object.entries(expected).every(([name, { length }]) => (calls[name]?.length ?? 0) >= length),
    );
    expect(asked).toEqual(expected);
  });

  it('never shows an address of a person or an API key, in spans or in logs', async () => {
    const validated = await customer.validate('canary.person@gateway.example');
    const wrongKey = `${customer.apiKey.slice(0, -1)}#`;
    const refused = await customer.send('/me', { headers: { 'x-api-key': wrongKey } });
    const everything = await collector.everythingOf(test.house, idOf(validated), idOf(refused));
    expect(everything).toContain('validate-single-email');
    expect(everything).not.toContain('canary.person');
    expect(everything).not.toContain(customer.apiKey.slice(12, 40));
  });

  it('never shows a password or who signs in at the tool server', async () => {
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
      await toolServer.ask(forAssistant(getMe), { params: ids, body: undefined });
      const asked = [checkPassword, recordAssistantConnected, getMe];
      const everything = await collector.everythingOf(test.house, ...asked.map(({ id }) => `"${id}"`));
      for (const secret of [wrong.password, testPassword, '$argon2', email, 'canary.owner']) {
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

/** The statements and commands that a service sent to its stores in a trace, by name. */
function storeCallsOf(spans: readonly Span[], service: string): string[] {
  return (
    spans
      .filter(span => span.service === service && span.attributes['db.system.name'] !== undefined)
      .map(({ name }) => name.replace(/^pg\.query:(\S+).*$/, '$1'))
      // A pool may have closed an idle connection.
      .filter(name => name !== 'pg-pool.connect' && name !== 'pg.connect')
      .sort()
  );
}
