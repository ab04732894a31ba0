import { createHmac, timingSafeEqual } from 'node:crypto';

const secondsMax = 300;

/** Whether a request is signed with the secret (Standard Webhooks), and not older or newer than five minutes. */
export function isSigned(
  body: Uint8Array,
  headers: Readonly<Record<string, unknown>>,
  secret: string,
  nowMs: number,
): boolean {
  const [id, timestamp, given] = ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map(name =>
    String(headers[name] ?? ''),
  );
  if (Math.abs(nowMs / 1_000 - Number(timestamp || Number.NaN)) <= secondsMax) {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    const expected = createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest();
    return (given ?? '').split(' ').some(each => {
      const signature = Buffer.from(each.replace(/^v1,/, ''), 'base64');
      return (
        each.startsWith('v1,') && signature.length === expected.length && timingSafeEqual(signature, expected)
      );
    });
  }
  return false;
}
