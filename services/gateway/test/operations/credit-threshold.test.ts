import { afterAll, beforeAll, beforeEach, expect } from '@jest/globals';
import { openWebhookReceiver, type WebhookReceiver } from '@mailproof/dev-house';
import { getCreditThreshold, limits, putCreditThreshold } from '@mailproof/shared-types';
import { codeOf, endpointsIn } from '../endpoints-in.ts';
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

describeOperation(getCreditThreshold, {
  async success() {
    const owner = await house.signedIn();
    expect((await owner.get('/credit-threshold')).body).toEqual({ threshold: null });
    await owner.put('/credit-threshold', { threshold: 7 });
    const member = await test.member(owner);
    expect((await member.get('/credit-threshold')).body).toEqual({ threshold: 7 });
  },
  badInput: async () => {
    const owner = await house.signedIn();
    expect(codeOf(await owner.get('/credit-threshold?of=me'))).toEqual([400, 'invalid_request']);
  },
  noCredentials: () => house.needsSession(person => person.get('/credit-threshold')),
  async anotherTenant() {
    const [owner, other] = [await house.signedIn(), await house.signedIn()];
    await owner.put('/credit-threshold', { threshold: 7 });
    expect((await other.get('/credit-threshold')).body).toEqual({ threshold: null });
  },
});

describeOperation(putCreditThreshold, {
  async success() {
    const owner = await house.signedIn();
    expect(await owner.put('/credit-threshold', { threshold: 1_000 })).toMatchObject({
      status: 200,
      body: { threshold: 1_000 },
    });
    expect((await owner.put('/credit-threshold', { threshold: null })).body).toEqual({ threshold: null });
  },
  async badInput() {
    const owner = await house.signedIn();
    for (const threshold of [0, -1, 1.5, '5', limits.creditThresholdMax + 1, undefined]) {
      expect(codeOf(await owner.put('/credit-threshold', { threshold }))).toEqual([400, 'invalid_request']);
    }
  },
  noCredentials: () => house.needsOwner(person => person.put('/credit-threshold', { threshold: 5 })),
  async anotherTenant() {
    const [owner, other] = [await house.signedIn(), await house.signedIn()];
    await other.put('/credit-threshold', { threshold: 5 });
    expect((await owner.get('/credit-threshold')).body).toEqual({ threshold: null });
  },
});
