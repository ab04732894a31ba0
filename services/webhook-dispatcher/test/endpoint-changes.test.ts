import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger } from '@mailproof/service-kit';
import { createWebhookEndpoint, forwarded, limits, newId } from '@mailproof/shared-types';
import { rotateSecret, secretsOf } from '../src/domain/events/endpoint.ts';
import { createEvents } from '../src/events.ts';
import { webhookEndpointHandlers } from '../src/http/webhook-endpoints.ts';
import { type EventsWorld, openEventsWorld, secret } from './events-world.ts';

let world: EventsWorld;

beforeAll(async () => {
  world = await openEventsWorld();
  world.nowMs = Date.parse('2026-11-27T10:00:00Z');
});

afterAll(() => world?.close());

it('a second rotation drops the secret before the first', async () => {
  let secrets = 0;
  const newSigningSecret = () => `whsec_${++secrets}`;
  const ports = { ...world.openPorts(), newSigningSecret };
  const { accountId, endpointId } = await world.newEndpoint(ports);
  const rotated = async () => {
    const endpoint = await rotateSecret(ports, accountId, endpointId, limits.eventSecretOverlapMs);
    return endpoint && secretsOf(endpoint, world.now());
  };
  expect(await rotated()).toEqual(['whsec_1', secret]);
  expect(await rotated()).toEqual(['whsec_2', 'whsec_1']);
});

it('each act on an endpoint is in the log, with its caller and without the URL', async () => {
  const lines: string[] = [];
  const logger = createLogger({
    service: 'webhook-dispatcher',
    level: 'info',
    destination: { write: line => void lines.push(line) },
  });
  const handlers = webhookEndpointHandlers({ ...world.openPorts(), events: createEvents(logger) });
  const params = { accountId: newId('account'), callerId: newId('apiKey') };
  const url = 'https://receiver.example/canary';
  const created = await handlers.createWebhookEndpoint({
    params: forwarded(createWebhookEndpoint).params.parse(params),
    query: {},
    body: { url, event_types: ['credits.low'], description: 'canary' },
  });
  const request = { params: { ...params, endpoint_id: created.endpoint_id }, query: {}, body: undefined };
  await handlers.changeWebhookEndpoint({ ...request, body: { url: `${url}/2`, enabled: false } });
  await handlers.rotateWebhookSecret(request);
  await handlers.deleteWebhookEndpoint(request);
  await expect(handlers.deleteWebhookEndpoint(request)).rejects.toThrow();
  await expect(handlers.rotateWebhookSecret(request)).rejects.toThrow();

  const { accountId, callerId } = params;
  const facts = { endpointId: created.endpoint_id, accountId, callerId, message: 'webhook endpoint managed' };
  expect(lines.map(line => JSON.parse(line))).toEqual(
    [
      { act: 'created' },
      { act: 'changed', members: ['url', 'enabled'] },
      { act: 'secret_rotated' },
      { act: 'deleted' },
    ].map(act => expect.objectContaining({ ...facts, ...act, level: 'info' })),
  );
  expect(lines.join()).not.toMatch(/canary|receiver|whsec_/);
});
