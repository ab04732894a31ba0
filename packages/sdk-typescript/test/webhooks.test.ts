import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../src/index.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const body = '{"email":"ada@ordinary.example"}';

function signed(at = new Date(), sent = body) {
  return {
    'Webhook-Id': 'msg_1',
    'Webhook-Timestamp': String(Math.floor(at.getTime() / 1_000)),
    'Webhook-Signature': new Webhook(secret).sign('msg_1', at, sent),
  };
}

describe('a webhook', () => {
  it('with the right signature is parsed, from Headers and from an object', () => {
    expect(verifyWebhook(body, new Headers(signed()), secret)).toEqual({ email: 'ada@ordinary.example' });
    expect(verifyWebhook(body, { ...signed(), accept: undefined }, other, secret)).toEqual(JSON.parse(body));
  });

  it('that is an event has the fields of its type', () => {
    const data = { account_id: 'acct_1', available: 3, held: 1, threshold: 5 };
    const sent = JSON.stringify({ type: 'credits.low', timestamp: '2026-11-27T10:00:00.000Z', data });
    const event = verifyWebhook(sent, signed(new Date(), sent), secret);
    if (event.type !== 'credits.low') throw new Error('It is another event.');
    const { available, threshold } = event.data;
    expect(available satisfies number).toBeLessThan(threshold);
    // @ts-expect-error: a field of another event.
    expect(event.data.job_id).toBeUndefined();
  });

  it('of a type that this version does not know is returned as it is', () => {
    const sent = '{"type":"job.dreamt","data":{"job_id":"vjob_1"}}';
    const event = verifyWebhook(sent, signed(new Date(), sent), secret);
    expect(event).toEqual(JSON.parse(sent));
    if (event.type === undefined) event['data'] satisfies unknown;
  });

  it.each([
    ['another secret', () => verifyWebhook(body, signed(), other)],
    ['another body', () => verifyWebhook(`${body} `, signed(), secret)],
    ['an old time', () => verifyWebhook(body, signed(new Date(Date.now() - 600_000)), secret)],
    ['no signature', () => verifyWebhook(body, {}, secret)],
  ])('is refused with %s', (_reason, verify) => {
    expect(verify).toThrow();
  });
});
