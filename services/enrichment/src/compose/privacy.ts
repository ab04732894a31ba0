import { type Recurring, startRecurring } from '@mailproof/service-kit';
import type { Pool, PoolClient } from 'pg';
import { createRetentionSweep } from '../adapters/postgres/privacy/retention-sweep.ts';
import { createSubjects } from '../adapters/postgres/privacy/subjects.ts';
import { createSuppressionCheck } from '../adapters/postgres/privacy/suppression-check.ts';
import { profileAnswerTrace } from '../adapters/postgres/profile-answers.ts';
import { createProfileStore } from '../adapters/postgres/profile-store/profile-store.ts';
import type { Config } from '../config.ts';
import type { SubjectTrace, SuppressionCheck } from '../domain/privacy/subjects.ts';
import type { ProfileStore } from '../domain/profile-store/profile-store.ts';
import type { Events } from '../events.ts';

export { createSubjects } from '../adapters/postgres/privacy/subjects.ts';

interface PrivacyOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly events: Events;
  readonly now: () => Date;
}

interface Privacy {
  /** Suppresses a person on request. */
  readonly suppress: (profileKey: string) => Promise<void>;
  /** Used by all code that returns people from outside the profile store. */
  readonly suppressionCheck: SuppressionCheck;
  /** The only way to write to the profile store. */
  readonly store: ProfileStore;
  start(): void;
  close(): Promise<void>;
}

const sweepEveryMs = 3_600_000;

/** Composes suppression, retention and the profile store. */
export function composePrivacy({ config, pool, events, now }: PrivacyOptions): Privacy {
  const suppressionKey = config.SUPPRESSION_HASH_KEY;
  const retentionDays = config.PEOPLE_RETENTION_DAYS;
  const subjects = createSubjects(pool, { suppressionKey, retentionDays, traces: subjectTraces });
  const retention = createRetentionSweep(pool, retentionDays);
  let sweeping: Recurring | undefined;
  return {
    async suppress(profileKey) {
      const { deleted } = await subjects.suppress({
        profileKey,
        reason: 'opt_out',
        actor: 'opt_out',
        now: now(),
      });
      events.personSuppressed(deleted);
    },
    suppressionCheck: createSuppressionCheck(pool, suppressionKey),
    store: createProfileStore(pool, { suppressionKey, retentionDays }),
    start() {
      sweeping = startRecurring({
        everyMs: sweepEveryMs,
        async work() {
          const { deleted } = await retention.sweep(now());
          events.retentionSwept(deleted);
        },
        onFailed: events.retentionSweepFailed,
      });
    },
    async close() {
      await sweeping?.close();
    },
  };
}

/** Stores of data about people outside the profile store, which must delete it together with the person. */
export const subjectTraces: readonly SubjectTrace<PoolClient>[] = [profileAnswerTrace];
