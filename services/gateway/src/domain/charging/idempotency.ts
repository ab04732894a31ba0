import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { AccountId, RequestId } from '@mailproof/shared-types';

/** The answer to a request with an `Idempotency-Key`, as it is kept. */
export interface KeptAnswer {
  readonly result: unknown;
  /** The operation on whose behalf credits move, and how many; 0 where the answer is free. */
  readonly cause: string;
  readonly amount: number;
}

/** What an `Idempotency-Key` is turned into: nothing of it can be read from what is stored. */
export interface IdempotencySecrets {
  /** Finds the record. */
  readonly lookup: Uint8Array;
  /** Tells whether the request is the same as the first. */
  fingerprint(operationId: string, input: unknown): Uint8Array;
  seal(answer: KeptAnswer): Uint8Array;
  /** @throws when what was sealed was changed, or sealed under another key */
  open(sealed: Uint8Array): KeptAnswer;
}

export type IdempotencyBegin =
  /** Nobody has answered yet; `runId` is that of the first attempt, `leaseId` this one's. */
  | { readonly kind: 'begun'; readonly runId: RequestId }
  | { readonly kind: 'inUse' }
  | { readonly kind: 'reused' }
  | { readonly kind: 'answered'; readonly runId: RequestId; readonly sealedAnswer: Uint8Array };

export interface IdempotencyAttempt {
  readonly accountId: AccountId;
  readonly lookup: Uint8Array;
  readonly fingerprint: Uint8Array;
  /** This request; also the run's id where it is the first. */
  readonly requestId: RequestId;
  /** Another attempt may take over when this one has not ended after so long. */
  readonly leaseMs: number;
  readonly keptMs: number;
}

/** Where records of idempotency keys are kept. Each method is one atomic step. */
export interface IdempotencyStore {
  begin(attempt: IdempotencyAttempt): Promise<IdempotencyBegin>;
  /** Keeps the answer. False, and nothing is kept, for an attempt whose lease was taken over: the other one answers. */
  keep(attempt: IdempotencyAttempt, sealedAnswer: Uint8Array): Promise<boolean>;
  /** Forgets an attempt that failed, so that the next one begins anew. */
  abandon(attempt: IdempotencyAttempt): Promise<void>;
  /** Removes records whose time is over; answers how many. */
  sweep(): Promise<number>;
}

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Derives from a key what is stored under it (HKDF, RFC 5869). Whoever sees the table alone can neither read an answer,
 * which names an address, nor try out addresses against the fingerprint, as long as the key cannot be guessed.
 */
export function secretsOf(accountId: AccountId, key: string): IdempotencySecrets {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', key, accountId, `mailproof idempotency ${purpose}`, 32));
  const answerKey = derive('answer');
  return {
    lookup: derive('lookup'),
    fingerprint: (operationId, input) =>
      createHmac('sha256', derive('fingerprint'))
        // In NFC, as addresses are compared: another spelling of a letter is not another request.
        .update(canonicalJson([operationId, input]).normalize('NFC'))
        .digest(),
    seal(answer) {
      const nonce = randomBytes(nonceBytes);
      const cipher = createCipheriv('aes-256-gcm', answerKey, nonce);
      const text = Buffer.concat([cipher.update(JSON.stringify(answer), 'utf8'), cipher.final()]);
      return Buffer.concat([nonce, cipher.getAuthTag(), text]);
    },
    open(sealed) {
      const decipher = createDecipheriv('aes-256-gcm', answerKey, sealed.subarray(0, nonceBytes));
      decipher.setAuthTag(sealed.subarray(nonceBytes, nonceBytes + tagBytes));
      const text = Buffer.concat([decipher.update(sealed.subarray(nonceBytes + tagBytes)), decipher.final()]);
      return JSON.parse(text.toString('utf8')) as KeptAnswer;
    },
  };
}

/** JSON with members in the order of their names: the same request written otherwise is the same request. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
