import { describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { verifyWebhook } from '../src/index.ts';

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`;
const other = `whsec_${Buffer.alloc(32, 2).toString('base64')}`;
const body = '{"email":"ada@ordinary.example"}';

function signed(at = new Date()) {
  return {
    'Webhook-Id': 'msg_1',
    'Webhook-Timestamp': String(Math.floor(at.getTime() / 1_000)),
    'Webhook-Signature': new Webhook(secret).sign('msg_1', at, body),
  };
}

describe('a webhook', () => {
  it('with the right signature is parsed, from Headers and from an object', () => {
    expect(verifyWebhook(body, new Headers(signed()), secret)).toEqual({ email: 'ada@ordinary.example' });
    expect(verifyWebhook(body, { ...signed(), accept: undefined }, other, secret)).toEqual(JSON.parse(body));
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
