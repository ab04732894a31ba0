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
import { type Collector, idOf, startCollector } from './house-telemetry.ts';
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
