import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import { type Outside, OutsideFault } from '@mailproof/service-kit';
import type { Answer } from '../../domain/push/answer.ts';
import type { SentRow } from '../../domain/push/deliver-batch.ts';
import type { Destination } from '../../domain/push/destination.ts';
import type { HostSlots } from '../../domain/push/pace.ts';

export interface SendRowOptions {
  /**
   * The transports for receivers with TLS, and for receivers at allowed private addresses, which may use plain HTTP.
   */
  readonly outside: { readonly https: Outside; readonly http: Outside };
  readonly slots: HostSlots;
  readonly userAgent: string;
  /** The deadline for a receiver's answer, from the DNS lookup to the status, in milliseconds. */
  readonly deadlineMs: number;
  readonly now: () => Date;
}

/** An answer with the beginning of its body. */
export interface SentAnswer {
  readonly answer: Answer;
  readonly body: Uint8Array;
}

/** The destination of a request. While a secret is being replaced, the previous one signs too. */
export type SignedDestination = Destination & { readonly previousSecret?: string | undefined };

/** Sends a row or an event and returns the answer. Never rejects because of a receiver's behavior. */
export type SendRow = (destination: SignedDestination, row: SentRow) => Promise<SentAnswer>;

/** The most octets of an answer's body that are read; if a receiver sends more, its connection is closed. */
const bodyBytesMax = 8_192;

/**
 * The keys that sign for a destination as Standard Webhooks specifies. They are kept as long as the destination is used,
 * because making a key takes five times as long as signing with it.
 */
const signingKeys = new WeakMap<SignedDestination, readonly KeyObject[]>();

function keysOf(destination: SignedDestination): readonly KeyObject[] {
  const { signingSecret, previousSecret } = destination;
  const keys =
    signingKeys.get(destination) ??
    [signingSecret, ...(previousSecret === undefined ? [] : [previousSecret])].map(secret =>
      createSecretKey(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')),
    );
  signingKeys.set(destination, keys);
  return keys;
}

export function createSendRow({ outside, slots, userAgent, deadlineMs, now }: SendRowOptions): SendRow {
  return async (destination, { webhookId, body }) => {
    const url = new URL(destination.url);
    const timestamp = String(Math.floor(now().getTime() / 1_000));
    const headers = {
      accept: '*/*',
      'content-type': 'application/json',
      'user-agent': userAgent,
      'webhook-id': webhookId,
      'webhook-timestamp': timestamp,
      'webhook-signature': keysOf(destination)
        .map(
          key =>
            `v1,${createHmac('sha256', key).update(`${webhookId}.${timestamp}.${body}`).digest('base64')}`,
        )
        .join(' '),
      'idempotency-key': webhookId,
      ...(destination.header && { [destination.header.name.toLowerCase()]: destination.header.value }),
    };
    const way = url.protocol === 'https:' ? outside.https : outside.http;
    try {
      const answer = await slots.take(url.host, () =>
        way.request({
          url,
          method: 'POST',
          headers,
          body,
          deadlineMs,
          bytesMax: bodyBytesMax,
          beginningOnly: true,
        }),
      );
      return {
        answer: {
          kind: 'answer',
          status: answer.status,
          retryAfter: answer.headers['retry-after'],
          location: answer.headers['location'],
        },
        body: answer.body,
      };
    } catch (error) {
      if (error instanceof OutsideFault) {
        return { answer: { kind: 'none', reason: reasonOf(error) }, body: new Uint8Array() };
      }
      throw error;
    }
  };
}

function reasonOf({ kind }: OutsideFault): Extract<Answer, { kind: 'none' }>['reason'] {
  return kind === 'not_allowed' || kind === 'too_late' ? kind : 'unreachable';
}
