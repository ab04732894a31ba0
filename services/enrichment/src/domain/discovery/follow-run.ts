import type { AccountId, DiscoveryRunId } from '@mailproof/shared-types';
import { hasEnded, type Run } from './run.ts';

export type RunNews =
  | { readonly kind: 'changed'; readonly run: Run }
  /** Nothing has changed for some time; sent so that nobody in between takes the connection for dead. */
  | { readonly kind: 'silence' };

export interface FollowPorts {
  readonly find: (accountId: AccountId, runId: DiscoveryRunId) => Promise<Run | undefined>;
  /** Ends early, without a fault, when the signal is aborted. */
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => Date;
}

const lookEveryMs = 400;
const silentMsMax = 15_000;

/**
 * Tells every change of a run that is newer than a version, until the run has ended or is gone, the time is over, or the
 * signal is aborted. Each change is the run whole, read from the store, so that nothing is lost by missing one.
 */
export async function* followRun(
  { find, wait, now }: FollowPorts,
  request: {
    readonly accountId: AccountId;
    readonly runId: DiscoveryRunId;
    readonly seenVersion: number;
    readonly msMax: number;
    readonly signal: AbortSignal;
  },
): AsyncGenerator<RunNews> {
  const { accountId, runId, signal } = request;
  const endsAtMs = now().getTime() + request.msMax;
  let seen = request.seenVersion;
  // At once, so that the answer begins even where there is nothing new to tell.
  let toldAtMs = 0;
  while (!signal.aborted && now().getTime() < endsAtMs) {
    const run = await find(accountId, runId);
    if (run && run.version > seen) {
      seen = run.version;
      toldAtMs = now().getTime();
      yield { kind: 'changed', run };
    } else if (now().getTime() - toldAtMs >= silentMsMax) {
      toldAtMs = now().getTime();
      yield { kind: 'silence' };
    }
    if (!run || hasEnded(run)) {
      return;
    }
    await wait(lookEveryMs, signal);
  }
}
