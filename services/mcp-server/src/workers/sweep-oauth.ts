import { type Recurring, startRecurring } from '@mailproof/service-kit';
import { type SigningKeyStore, spentKeys } from '../domain/oauth/signing-key.ts';

interface Swept {
  sweep(now: Date): Promise<unknown>;
}

export interface OauthSweep {
  readonly assistants: Swept;
  readonly refreshTokens: Swept;
  readonly clients: Swept;
  readonly signingKeys: Pick<SigningKeyStore, 'list' | 'remove'>;
  readonly now: () => Date;
  readonly onFailed: (error: unknown) => void;
}

const everyMs = 60_000;

/**
 * Periodically deletes expired data: tokens, assistants, clients that were never connected, and keys without valid
 * tokens.
 */
export function startOauthSweep(sweep: OauthSweep): Recurring {
  return startRecurring({ everyMs, work: () => sweepOauth(sweep), onFailed: sweep.onFailed });
}

/** Runs one sweep. */
export async function sweepOauth(sweep: Omit<OauthSweep, 'onFailed'>): Promise<void> {
  const now = sweep.now();
  await sweep.refreshTokens.sweep(now);
  await sweep.assistants.sweep(now);
  // Runs after the assistants are swept, because an assistant keeps its client.
  await sweep.clients.sweep(now);
  const spent = spentKeys(await sweep.signingKeys.list(), now);
  if (spent.length > 0) {
    await sweep.signingKeys.remove(spent.map(({ kid }) => kid));
  }
}
