import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { openWebhookReceiver, type WebhookReceiver } from '@mailproof/dev-house';
import {
  buildRestDocument,
  type EventType,
  eventSchema,
  getEventDelivery,
  limits,
  listEventDeliveries,
  newId,
  resendEventDelivery,
  testWebhookEndpoint,
} from '@mailproof/shared-types';
import { Webhook } from 'standardwebhooks';
import { codeOf, endpointsIn, root } from '../endpoints-in.ts';
import { type Answer, openSharedHouse, type Person, type TestHouse } from '../house.ts';
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

describeOperation(testWebhookEndpoint, {
  async success() {
    const owner = await house.signedIn();
    const endpoint = await house.endpointOf(owner);
    const delivery = await house.tested(owner, endpoint.at);
    expect(delivery).toMatchObject({
      type: 'webhook_endpoint.test',
      test: true,
      state: 'delivered',
      attempts: 1,
      status_code: 204,
      fault: null,
      next_attempt_at: null,
      attempt_log: [{ attempt: 1, status_code: 204, fault: null }],
    });
    const [request] = endpoint.received();
    expect(endpoint.received()).toHaveLength(1);
    expect(request?.body).toBe(delivery.payload);
    expect(request?.headers['webhook-id']).toBe(delivery.event_id);
    const event = new Webhook(endpoint.signing_secret).verify(
      request?.body ?? '',
      request?.headers as Record<string, string>,
    );
    expect(event).toEqual({
      type: 'webhook_endpoint.test',
      timestamp: expect.any(String),
      test: true,
      data: { account_id: owner.accountId, endpoint_id: endpoint.endpoint_id },
    });
    // Each type, as the document describes it, also if the endpoint does not subscribe to it.
    const { webhooks = {} } = buildRestDocument() as {
      webhooks?: Record<string, { post: { requestBody: { content: Record<string, { example: object }> } } }>;
    };
    expect(Object.keys(webhooks).length).toBeGreaterThan(endpoint.event_types.length);
    for (const [type, { post }] of Object.entries(webhooks)) {
      if (type === 'webhook_endpoint.test') continue;
      const sent = await house.tested(owner, endpoint.at, type as EventType);
      expect(sent).toMatchObject({ type, test: true, state: 'delivered' });
      const received = eventSchema(type as EventType)
        .strict()
        .parse(JSON.parse(endpoint.received().at(-1)?.body ?? ''));
      const example = post.requestBody.content['application/json']?.example as typeof received;
      expect(received).toEqual({
        ...example,
        timestamp: received.timestamp,
        test: true,
        data: { ...example.data, account_id: owner.accountId },
      });
      expect(Math.abs(Date.parse(received.timestamp) - Date.now())).toBeLessThan(60_000);
    }
    for (let sent = Object.keys(webhooks).length; sent < limits.eventTestsPerHourMax; sent += 1) {
      expect((await owner.post(`${endpoint.at}/test`, undefined)).status).toBe(202);
    }
    const tooMany = await owner.post(`${endpoint.at}/test`, undefined);
    expect(codeOf(tooMany)).toEqual([429, 'too_many_deliveries']);
    expect(tooMany.headers.get('retry-after')).toBe('60');
    // No user is told what has not happened.
    expect((await owner.get('/notices')).body['notices']).toEqual([]);
    await owner.put(endpoint.at, { enabled: false });
    expect(codeOf(await owner.post(`${endpoint.at}/test`, undefined))).toEqual([
      409,
      'webhook_endpoint_disabled',
    ]);
  },
  async badInput() {
    await house.refusesIds((person, id) => person.post(`${root}/${id}/test`, undefined));
    const owner = await house.signedIn();
    const { at } = await house.endpointOf(owner);
    expect(codeOf(await owner.post(`${at}/test?event_type=invented`, undefined))).toEqual([
      400,
      'invalid_request',
    ]);
  },
  noCredentials: () => house.needsOwner((person, id) => person.post(`${root}/${id}/test`, undefined)),
  anotherTenant: () => house.refusesOthers((person, id) => person.post(`${root}/${id}/test`, undefined)),
});

describeOperation(listEventDeliveries, {
  async success() {
    const owner = await house.signedIn();
    const { at } = await house.endpointOf(owner);
    const ids = [];
    for (let sent = 0; sent < 3; sent += 1) {
      ids.unshift((await house.tested(owner, at)).delivery_id);
    }
    const first = await owner.get(`${at}/deliveries?limit=2`);
    const page = listEventDeliveries.success.schema.parse(first.body);
    expect(page.deliveries.map(each => each.delivery_id)).toEqual(ids.slice(0, 2));
    const rest = await owner.get(`${at}/deliveries?cursor=${page.next_cursor}`);
    expect(listEventDeliveries.success.schema.parse(rest.body)).toMatchObject({
      deliveries: [{ delivery_id: ids[2], state: 'delivered' }],
    });
    expect(rest.body['next_cursor']).toBeUndefined();
    expect((await owner.get(`${at}/deliveries?state=failed`)).body).toEqual({ deliveries: [] });
  },
  async badInput() {
    await house.refusesIds((person, id) => person.get(`${root}/${id}/deliveries`));
    const owner = await house.signedIn();
    const { at } = await house.endpointOf(owner);
    expect(codeOf(await owner.get(`${at}/deliveries?state=new`))).toEqual([400, 'invalid_request']);
    expect(codeOf(await owner.get(`${at}/deliveries?cursor=x`))).toEqual([400, 'invalid_cursor']);
  },
  noCredentials: () => house.needsSession((person, id) => person.get(`${root}/${id}/deliveries`)),
  anotherTenant: () => house.refusesOthers((person, id) => person.get(`${root}/${id}/deliveries`)),
});

const ofDelivery = (id: string) => `${root}/${id}/deliveries/${newId('eventDelivery')}`;

/** A delivery is found only in its own account and under its own endpoint. */
async function hidesDelivery(send: (person: Person, path: string) => Promise<Answer>): Promise<void> {
  const [owner, other] = [await house.signedIn(), await house.signedIn()];
  const [{ at }, { at: elsewhere }] = [await house.endpointOf(owner), await house.endpointOf(owner)];
  const theirs = await house.endpointOf(other);
  const { delivery_id: deliveryId } = await house.tested(owner, at);
  for (const [person, path] of [
    [other, at],
    [other, theirs.at],
    [owner, elsewhere],
  ] as const) {
    expect(codeOf(await send(person, `${path}/deliveries/${deliveryId}`))).toEqual([
      404,
      'event_delivery_not_found',
    ]);
  }
  expect((await owner.get(`${at}/deliveries/${deliveryId}`)).body['attempts']).toBe(1);
}

describeOperation(getEventDelivery, {
  async success() {
    const owner = await house.signedIn();
    const { at } = await house.endpointOf(owner);
    receiver.react(() => ({ status: 302, headers: { location: 'http://127.0.0.2/' } }));
    const { delivery_id: deliveryId } = await house.tested(owner, at);
    const answer = await owner.get(`${at}/deliveries/${deliveryId}`);
    expect(getEventDelivery.success.schema.parse(answer.body)).toMatchObject({
      state: 'pending',
      attempts: 1,
      status_code: 302,
      fault: { reason: 'redirected' },
      next_attempt_at: expect.any(String),
      attempt_log: [{ attempt: 1, status_code: 302, fault: { reason: 'redirected' } }],
    });
    expect((await owner.get(at)).body['failing_since']).not.toBeNull();
  },
  badInput: () => house.refusesIds((person, id) => person.get(ofDelivery(id)), 'event_delivery_not_found'),
  noCredentials: () => house.needsSession((person, id) => person.get(ofDelivery(id))),
  anotherTenant: () => hidesDelivery((person, path) => person.get(path)),
});

describeOperation(resendEventDelivery, {
  async success() {
    const owner = await house.signedIn();
    const endpoint = await house.endpointOf(owner);
    const { delivery_id: deliveryId, event_id: eventId } = await house.tested(owner, endpoint.at);
    const path = `${endpoint.at}/deliveries/${deliveryId}`;
    const resent = await owner.post(`${path}/resend`, undefined);
    expect(resent).toMatchObject({ status: 202, body: { delivery_id: deliveryId, event_id: eventId } });
    const again = await house.untilSent(owner, path, ({ attempts }) => attempts === 2);
    expect(again).toMatchObject({ state: 'delivered', attempt_log: [{ attempt: 1 }, { attempt: 2 }] });
    const sent = endpoint.received();
    expect(sent.map(({ headers }) => headers['webhook-id'])).toEqual([eventId, eventId]);
    expect(sent[1]?.body).toBe(sent[0]?.body);
    await owner.put(endpoint.at, { enabled: false });
    expect(codeOf(await owner.post(`${path}/resend`, undefined))).toEqual([409, 'webhook_endpoint_disabled']);
  },
  badInput: () =>
    house.refusesIds(
      (person, id) => person.post(`${ofDelivery(id)}/resend`, undefined),
      'event_delivery_not_found',
    ),
  noCredentials: () => house.needsOwner((person, id) => person.post(`${ofDelivery(id)}/resend`, undefined)),
  anotherTenant: () => hidesDelivery((person, path) => person.post(`${path}/resend`, undefined)),
});
