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

/** Takes away at intervals what is over: tokens, assistants, clients that nobody has connected, keys without a token. */
export function startOauthSweep(sweep: OauthSweep): Recurring {
  return startRecurring({ everyMs, work: () => sweepOauth(sweep), onFailed: sweep.onFailed });
}

/** One round. */
export async function sweepOauth(sweep: Omit<OauthSweep, 'onFailed'>): Promise<void> {
  const now = sweep.now();
  await sweep.refreshTokens.sweep(now);
  await sweep.assistants.sweep(now);
  // After the assistants, which keep their clients.
  await sweep.clients.sweep(now);
  const spent = spentKeys(await sweep.signingKeys.list(), now);
  if (spent.length > 0) {
    await sweep.signingKeys.remove(spent.map(({ kid }) => kid));
  }
}
