import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { AccountId, RequestId } from '@mailproof/shared-types';

/** The stored answer to a request with an `Idempotency-Key`. */
export interface KeptAnswer {
  readonly result: unknown;
  /** The operation that credits move for, and their number; 0 if the answer is free. */
  readonly cause: string;
  readonly amount: number;
}

/** Secrets derived from an `Idempotency-Key`: the stored data reveals nothing of the key. */
export interface IdempotencySecrets {
  /** Finds the record. */
  readonly lookup: Uint8Array;
  /** Identifies the request, to compare it with the first one. */
  fingerprint(operationId: string, input: unknown): Uint8Array;
  seal(answer: KeptAnswer): Uint8Array;
  /** @throws if the sealed answer was changed, or sealed with another key */
  open(sealed: Uint8Array): KeptAnswer;
}

export type IdempotencyBegin =
  /** Not answered yet; `runId` is that of the first attempt. */
  | { readonly kind: 'started'; readonly runId: RequestId }
  | { readonly kind: 'inUse' }
  | { readonly kind: 'reused' }
  | { readonly kind: 'answered'; readonly runId: RequestId; readonly sealedAnswer: Uint8Array };

export interface IdempotencyAttempt {
  readonly accountId: AccountId;
  readonly lookup: Uint8Array;
  readonly fingerprint: Uint8Array;
  /** The id of this request; also the run's id if this is the first attempt. */
  readonly requestId: RequestId;
  /** Another attempt may take over if this one has not ended within this time. */
  readonly leaseMs: number;
  readonly keptMs: number;
}

/** Stores records of idempotency keys. Each method is one atomic step. */
export interface IdempotencyStore {
  begin(attempt: IdempotencyAttempt): Promise<IdempotencyBegin>;
  /** Stores the answer. Stores nothing and returns false if another attempt took over the lease: that one answers. */
  keep(attempt: IdempotencyAttempt, sealedAnswer: Uint8Array): Promise<boolean>;
  /** Deletes the record of a failed attempt, so that the next one starts over. */
  abandon(attempt: IdempotencyAttempt): Promise<void>;
  /** Removes expired records and returns their number. */
  sweep(): Promise<number>;
}

const nonceBytes = 12;
const tagBytes = 16;

/**
 * Derives the secrets of a key (HKDF, RFC 5869). As long as the key cannot be guessed, no one can use the table alone
 * to read an answer, which names an address, or to try addresses against the fingerprint.
 */
export function secretsOf(accountId: AccountId, key: string): IdempotencySecrets {
  const derive = (purpose: string) =>
    new Uint8Array(hkdfSync('sha256', key, accountId, `mailproof idempotency ${purpose}`, 32));
  const answerKey = derive('answer');
  return {
    lookup: derive('lookup'),
    fingerprint: (operationId, input) =>
      createHmac('sha256', derive('fingerprint'))
        // In NFC, as addresses are compared: a different encoding of a letter is not a different request.
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

/** JSON with members sorted by name: the same request in another order is the same request. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_name, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([one], [other]) => (one < other ? -1 : 1)))
      : member,
  );
}
