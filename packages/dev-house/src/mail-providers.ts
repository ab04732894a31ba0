import { createHmac, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import type { OutcomeProvider } from '@mailproof/shared-types';

/** A request of a mail provider, ready to be posted to the URL of an outcome source. */
export interface ProviderPost {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A simulated mail provider, which signs its requests as the real one does. */
export interface SimulatedProvider {
  /** What the account enters as verification key. */
  readonly key: string;
  /** A request with this body; a text is sent unchanged. */
  post(body: unknown, at?: Date): ProviderPost;
}

type Simulated = Exclude<OutcomeProvider, 'amazon_ses'>;

const json = { 'content-type': 'application/json' } as const;
const textOf = (body: unknown) => (typeof body === 'string' ? body : JSON.stringify(body));
const secondsOf = (at: Date) => String(Math.floor(at.getTime() / 1_000));

/** Every provider but Amazon SES, whose messages need a certificate at a host of Amazon. */
export const simulatedProviders: Readonly<Record<Simulated, () => SimulatedProvider>> = {
  sendgrid() {
    const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    return {
      key: publicKey.export({ format: 'der', type: 'spki' }).toString('base64'),
      post(given, at = new Date()) {
        const body = textOf(given);
        const timestamp = secondsOf(at);
        return {
          headers: {
            ...json,
            'x-twilio-email-event-webhook-timestamp': timestamp,
            'x-twilio-email-event-webhook-signature': sign(
              'sha256',
              Buffer.from(timestamp + body),
              privateKey,
            ).toString('base64'),
          },
          body,
        };
      },
    };
  },
  mailgun() {
    const key = `key-${randomBytes(16).toString('hex')}`;
    return {
      key,
      post(event, at = new Date()) {
        const timestamp = secondsOf(at);
        const token = randomBytes(25).toString('hex');
        const signature = createHmac('sha256', key).update(`${timestamp}${token}`).digest('hex');
        return {
          headers: json,
          body: JSON.stringify({ signature: { timestamp, token, signature }, 'event-data': event }),
        };
      },
    };
  },
  postmark: () => withPassword(json),
  dsn: () => withPassword({ 'content-type': 'message/rfc822' }),
  json() {
    const secret = randomBytes(32);
    return {
      key: `whsec_${secret.toString('base64')}`,
      post(given, at = new Date()) {
        const body = textOf(given);
        const id = `msg_${randomBytes(12).toString('hex')}`;
        const timestamp = secondsOf(at);
        const signature = createHmac('sha256', secret).update(`${id}.${timestamp}.${body}`).digest('base64');
        return {
          headers: {
            ...json,
            'webhook-id': id,
            'webhook-timestamp': timestamp,
            'webhook-signature': `v1,${signature}`,
          },
          body,
        };
      },
    };
  },
};

function withPassword(headers: Readonly<Record<string, string>>): SimulatedProvider {
  const key = `mailproof:${randomBytes(12).toString('hex')}`;
  return {
    key,
    post: body => ({
      headers: { ...headers, authorization: `Basic ${Buffer.from(key).toString('base64')}` },
      body: textOf(body),
    }),
  };
}
