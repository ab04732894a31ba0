import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { openWebhookReceiver, type WebhookReceiver } from '@mailproof/dev-house';
import {
  changeWebhookEndpoint,
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  limits,
  listWebhookEndpoints,
  newId,
  rotateWebhookSecret,
  webhookEndpoint,
} from '@mailproof/shared-types';
import pg from 'pg';
import { Webhook } from 'standardwebhooks';
import { allTypes, codeOf, endpointsIn, root } from '../endpoints-in.ts';
import { openSharedHouse, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';

let test: TestHouse;
let receiver: WebhookReceiver;
let house: ReturnType<typeof endpointsIn>;

beforeAll(async () => {
  receiver = await openWebhookReceiver();
  test = await openSharedHouse();
  house = endpointsIn(test, receiver);
}, 120_000);

afterAll(async () => {
  await test?.stop();
  await receiver?.close();
});

beforeEach(() => receiver.react(() => ({ status: 204 })));

describeOperation(createWebhookEndpoint, {
  async success() {
    const owner = await house.signedIn();
    const url = `${receiver.url}/canary-path?token=canary-token`;
    const answer = await owner.post(root, { url, event_types: allTypes, description: ' Production ' });
    expect(answer.status).toBe(201);
    expect(createWebhookEndpoint.success.schema.parse(answer.body)).toMatchObject({
      url,
      description: 'Production',
      event_types: allTypes,
      enabled: true,
      disabled: null,
      failing_since: null,
      previous_secret_valid_until: null,
      created_by: owner.userId,
      signing_secret: expect.stringMatching(/^whsec_[\w+/=]{44}$/),
    });
    const endpoints = Array.from({ length: limits.webhookEndpointsMax }, () =>
      owner.post(root, { url, event_types: allTypes }),
    );
    const codes = (await Promise.all(endpoints)).map(codeOf);
    expect(codes.filter(([status]) => status === 201)).toHaveLength(limits.webhookEndpointsMax - 1);
    expect(codes).toContainEqual([409, 'too_many_webhook_endpoints']);
  },
  async badInput() {
    const owner = await house.signedIn();
    const url = receiver.url;
    for (const body of [
      {},
      { url },
      { url, event_types: [] },
      { url, event_types: ['other'] },
      { url, event_types: ['webhook_endpoint.test'] },
      { url, event_types: ['credits.low', 'credits.low'] },
      { url: 'ftp://receiver.example/', event_types: allTypes },
      { url: `${url}/${'x'.repeat(2_048)}`, event_types: allTypes },
      { url, event_types: allTypes, description: 'two\nlines' },
      { url, event_types: allTypes, header: { name: 'x', value: 'y' } },
    ]) {
      expect(codeOf(await owner.post(root, body))).toEqual([400, 'invalid_request']);
    }
    for (const refused of [
      'http://127.0.0.2/',
      'http://169.254.169.254/latest/meta-data',
      'https://10.0.0.1/',
      'https://[::1]/',
      'http://8.8.8.8/',
      'https://user:password@receiver.example/',
      'https://receiver.example:25/',
    ]) {
      const answer = await owner.post(root, { url: refused, event_types: allTypes });
      expect(codeOf(answer)).toEqual([422, 'destination_not_valid']);
      expect(answer.body['errors']).toEqual([{ pointer: '/url', detail: expect.any(String) }]);
      expect(JSON.stringify(answer.body)).not.toContain(new URL(refused).hostname);
    }
    expect((await owner.get(root)).body).toEqual({ endpoints: [] });
  },
  noCredentials: () =>
    house.needsOwner(person => person.post(root, { url: receiver.url, event_types: allTypes })),
  async anotherTenant() {
    const [owner, other] = [await house.signedIn(), await house.signedIn()];
    await house.endpointOf(owner);
    expect((await other.get(root)).body).toEqual({ endpoints: [] });
  },
});

describeOperation(listWebhookEndpoints, {
  async success() {
    const owner = await house.signedIn();
    const [first, second] = [await house.endpointOf(owner), await house.endpointOf(owner)];
    const { status, body } = await owner.get(root);
    expect(status).toBe(200);
    const listed = listWebhookEndpoints.success.schema.parse(body).endpoints;
    expect(listed.map(each => each.endpoint_id)).toEqual([second.endpoint_id, first.endpoint_id]);
    expect(JSON.stringify(body)).not.toContain('whsec_');
    const member = await test.member(owner);
    expect((await member.get(root)).body).toEqual(body);
  },
  badInput: async () => {
    const owner = await house.signedIn();
    expect(codeOf(await owner.get(`${root}?state=enabled`))).toEqual([400, 'invalid_request']);
  },
  noCredentials: () => house.needsSession(person => person.get(root)),
  async anotherTenant() {
    const [owner, other] = [await house.signedIn(), await house.signedIn()];
    await house.endpointOf(owner);
    expect((await other.get(root)).body).toEqual({ endpoints: [] });
  },
});

describeOperation(getWebhookEndpoint, {
  async success() {
    const owner = await house.signedIn();
    const { at, received: _, signing_secret: _secret, ...created } = await house.endpointOf(owner);
    const answer = await owner.get(at);
    expect([answer.status, webhookEndpoint.strict().parse(answer.body)]).toEqual([200, created]);
  },
  badInput: () => house.refusesIds((person, id) => person.get(`${root}/${id}`)),
  noCredentials: () => house.needsSession((person, id) => person.get(`${root}/${id}`)),
  anotherTenant: () => house.refusesOthers((person, id) => person.get(`${root}/${id}`)),
});

describeOperation(changeWebhookEndpoint, {
  async success() {
    const owner = await house.signedIn();
    const { at, signing_secret: secret, ...endpoint } = await house.endpointOf(owner);
    const path = `/${newId('request')}`;
    const changed = await owner.put(at, {
      url: receiver.url + path,
      description: 'Staging',
      event_types: ['credits.low'],
    });
    expect(changed).toMatchObject({
      status: 200,
      body: { url: receiver.url + path, description: 'Staging', event_types: ['credits.low'], enabled: true },
    });
    // The secret stays the same.
    await house.tested(owner, at);
    const [request] = receiver.requests.filter(each => each.path === path);
    new Webhook(secret).verify(request?.body ?? '', request?.headers as Record<string, string>);
    expect(endpoint.received()).toEqual([]);
    const disabled = await owner.put(at, { enabled: false, description: null });
    expect(disabled.body).toMatchObject({
      description: null,
      event_types: ['credits.low'],
      enabled: false,
      disabled: { reason: 'asked', at: expect.any(String) },
    });
    expect((await owner.put(at, { enabled: false })).body).toEqual(disabled.body);
    expect((await owner.put(at, { enabled: true })).body).toMatchObject({ enabled: true, disabled: null });
  },
  async badInput() {
    await house.refusesIds((person, id) => person.put(`${root}/${id}`, { enabled: true }));
    const owner = await house.signedIn();
    const { at, url } = await house.endpointOf(owner);
    for (const body of [{ event_types: [] }, { enabled: 'yes' }, { secret: 'x' }, { url: 'x' }]) {
      expect(codeOf(await owner.put(at, body))).toEqual([400, 'invalid_request']);
    }
    const refused = await owner.put(at, { url: 'http://127.0.0.2/' });
    expect(codeOf(refused)).toEqual([422, 'destination_not_valid']);
    expect((await owner.get(at)).body['url']).toBe(url);
  },
  noCredentials: () => house.needsOwner((person, id) => person.put(`${root}/${id}`, { enabled: false })),
  anotherTenant: () => house.refusesOthers((person, id) => person.put(`${root}/${id}`, { enabled: false })),
});

describeOperation(deleteWebhookEndpoint, {
  async success() {
    const owner = await house.signedIn();
    const { at } = await house.endpointOf(owner);
    const { delivery_id: deliveryId } = await house.tested(owner, at);
    expect(await owner.delete(at)).toMatchObject({ status: 200, body: { deleted: true } });
    expect(codeOf(await owner.get(at))).toEqual([404, 'webhook_endpoint_not_found']);
    expect(codeOf(await owner.get(`${at}/deliveries/${deliveryId}`))).toEqual([
      404,
      'event_delivery_not_found',
    ]);
  },
  badInput: () => house.refusesIds((person, id) => person.delete(`${root}/${id}`)),
  noCredentials: () => house.needsOwner((person, id) => person.delete(`${root}/${id}`)),
  anotherTenant: () => house.refusesOthers((person, id) => person.delete(`${root}/${id}`)),
});

describeOperation(rotateWebhookSecret, {
  async success() {
    const owner = await house.signedIn();
    const endpoint = await house.endpointOf(owner);
    const rotated = await owner.post(`${endpoint.at}/secret`, undefined);
    expect(rotated.status).toBe(200);
    const { signing_secret: secret, previous_secret_valid_until: until } =
      rotateWebhookSecret.success.schema.parse(rotated.body);
    expect(secret).not.toBe(endpoint.signing_secret);
    expect(Date.parse(until ?? '') - Date.now()).toBeGreaterThan(limits.eventSecretOverlapMs - 60_000);
    await house.tested(owner, endpoint.at);
    const [request] = endpoint.received();
    const verifiedWith = (given: string) =>
      new Webhook(given).verify(request?.body ?? '', request?.headers as Record<string, string>);
    expect(verifiedWith(secret)).toEqual(verifiedWith(endpoint.signing_secret));
    expect(String(request?.headers['webhook-signature']).split(' ')).toHaveLength(2);
    expect(() => verifiedWith(`whsec_${Buffer.alloc(32).toString('base64')}`)).toThrow();
  },
  badInput: () => house.refusesIds((person, id) => person.post(`${root}/${id}/secret`, undefined)),
  noCredentials: () => house.needsOwner((person, id) => person.post(`${root}/${id}/secret`, undefined)),
  anotherTenant: () => house.refusesOthers((person, id) => person.post(`${root}/${id}/secret`, undefined)),
});

describe('the database', () => {
  it('has the URL and the secret of an endpoint only sealed', async () => {
    const owner = await house.signedIn();
    const url = `${receiver.url}/canary-${newId('request')}`;
    const { body } = await owner.post(root, { url, event_types: allTypes });
    const client = new pg.Client({
      connectionString: test.house.databaseUrls['dispatcher']?.migrationDatabaseUrl,
    });
    await client.connect();
    const { rows } = await client.query('SELECT * FROM dispatcher.webhook_endpoint WHERE endpoint_id = $1', [
      body['endpoint_id'],
    ]);
    expect(rows).toHaveLength(1);
    const stored = JSON.stringify(rows);
    expect(stored).not.toContain('canary');
    expect(stored).not.toContain('whsec_');

    // As if the key that sealed it were gone: the endpoint says so, and takes a new URL.
    await client.query(
      "UPDATE dispatcher.webhook_endpoint SET sealed_destination = 'x' WHERE endpoint_id = $1",
      [body['endpoint_id']],
    );
    await client.end();
    const at = `${root}/${body['endpoint_id']}`;
    expect((await owner.get(at)).body).toMatchObject({ url: null, enabled: true });
    const rotated = await owner.post(`${at}/secret`, undefined);
    expect(codeOf(rotated)).toEqual([422, 'destination_not_valid']);
    expect((await house.tested(owner, at)).fault?.reason).toBe('not_readable');
    expect((await owner.put(at, { url })).body['url']).toBe(url);
    expect((await owner.post(`${at}/secret`, undefined)).status).toBe(200);
    expect((await house.tested(owner, at)).state).toBe('delivered');
  });
});
