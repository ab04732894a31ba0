import { expect } from '@jest/globals';
import type { WebhookReceiver } from '@mailproof/dev-house';
import { createWebhookEndpoint, type EventType, eventDeliveryDetail, newId } from '@mailproof/shared-types';
import type { Answer, Person, TestHouse } from './house.ts';
import { until } from './until.ts';

export const root = '/webhook-endpoints';
export const allTypes = ['export.finished', 'validation_job.finished'];
export const codeOf = ({ status, body }: Answer) => [status, body['code']];

type Send = (person: Person, endpointId: string) => Promise<Answer>;

/** What tests of webhook endpoints do in a house, with a receiver. */
export function endpointsIn(test: TestHouse, receiver: WebhookReceiver) {
  const stranger = () => test.stranger();
  const signedIn = async () => (await test.owner()).signIn();

  /** A new endpoint at a path of the receiver that no other test uses, with its secret. */
  async function endpointOf(owner: Person) {
    const path = `/${newId('request')}`;
    const answer = await owner.post(root, { url: receiver.url + path, event_types: allTypes });
    expect(codeOf(answer)).toEqual([201, undefined]);
    const created = createWebhookEndpoint.success.schema.parse(answer.body);
    return {
      ...created,
      at: `${root}/${created.endpoint_id}`,
      received: () => receiver.requests.filter(request => request.path === path),
    };
  }

  const untilSent = (owner: Person, path: string, isReached: (body: Answer['body']) => boolean) =>
    until('the delivery', async () => (await owner.get(path)).body, isReached);

  return {
    signedIn,
    endpointOf,
    untilSent,

    /** Sends a test event and waits for the first attempt to deliver it. */
    async tested(owner: Person, at: string, type?: EventType) {
      const sent = await owner.post(`${at}/test${type ? `?event_type=${type}` : ''}`, undefined);
      expect(codeOf(sent)).toEqual([202, undefined]);
      const path = `${at}/deliveries/${sent.body['delivery_id']}`;
      return eventDeliveryDetail.parse(await untilSent(owner, path, ({ attempts }) => Number(attempts) > 0));
    },

    /** Checks that operations with an endpoint in their path refuse malformed and unknown ids. */
    async refusesIds(send: Send, code = 'webhook_endpoint_not_found'): Promise<void> {
      const owner = await signedIn();
      expect(codeOf(await send(owner, 'hook_1'))).toEqual([400, 'invalid_request']);
      expect(codeOf(await send(owner, newId('webhookEndpoint')))).toEqual([404, code]);
    },

    async refusesOthers(send: Send, code = 'webhook_endpoint_not_found'): Promise<void> {
      const [owner, other] = [await signedIn(), await signedIn()];
      const endpoint = await endpointOf(owner);
      expect(codeOf(await send(other, endpoint.endpoint_id))).toEqual([404, code]);
      const { signing_secret: _, at: _at, received: _received, ...kept } = endpoint;
      expect((await owner.get(endpoint.at)).body).toEqual(kept);
      expect(endpoint.received()).toEqual([]);
    },

    /** Checks that only owners change something. */
    async needsOwner(send: Send): Promise<void> {
      const owner = await signedIn();
      const { endpoint_id: endpointId } = await endpointOf(owner);
      expect(codeOf(await send(stranger(), endpointId))).toEqual([401, 'not_signed_in']);
      expect(codeOf(await send(await test.member(owner), endpointId))).toEqual([403, 'owner_required']);
    },

    async needsSession(send: Send): Promise<void> {
      expect(codeOf(await send(stranger(), newId('webhookEndpoint')))).toEqual([401, 'not_signed_in']);
    },
  };
}
