import { createServiceGuard, type Recurring, type Route, startRecurring } from '@mailproof/service-kit';
import { recogniseProfileUrl, suppressProfile } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createRetentionSweep } from '../adapters/postgres/privacy/retention-sweep.ts';
import { createSubjects } from '../adapters/postgres/privacy/subjects.ts';
import { createSuppressionCheck } from '../adapters/postgres/privacy/suppression-check.ts';
import { createProfileStore } from '../adapters/postgres/profile-store/profile-store.ts';
import type { Config } from '../config.ts';
import type { SuppressionCheck } from '../domain/privacy/suppression.ts';
import type { ProfileStore } from '../domain/profile-store/profile-store.ts';
import type { Events } from '../events.ts';
import { recogniseProfileUrlRoute } from '../http/recognise-profile-url.ts';
import { suppressProfileRoute } from '../http/suppress-profile.ts';
import { subjectTraces } from './subject-traces.ts';

export interface PrivacyOptions {
  readonly config: Config;
  readonly pool: Pool;
  readonly events: Events;
  readonly now: () => Date;
}

export interface Privacy {
  readonly routes: readonly Route[];
  /** Asked by everything that answers with a person who does not come out of the profile store. */
  readonly suppressionCheck: SuppressionCheck;
  /** The one way into the profile store. */
  readonly store: ProfileStore;
  start(): void;
  close(): Promise<void>;
}

const sweepEveryMs = 3_600_000;

/** Who is kept, for how long, and who is kept out. */
export function composePrivacy({ config, pool, events, now }: PrivacyOptions): Privacy {
  const guardOf = createServiceGuard('enrichment', config.SERVICE_PEER_KEYS);
  const suppressionKey = config.SUPPRESSION_HASH_KEY;
  const retentionDays = config.PEOPLE_RETENTION_DAYS;
  const subjects = createSubjects(pool, { suppressionKey, retentionDays, traces: subjectTraces });
  const retention = createRetentionSweep(pool, retentionDays);
  let sweeping: Recurring | undefined;
  return {
    routes: [
      recogniseProfileUrlRoute(guardOf(recogniseProfileUrl)),
      suppressProfileRoute(guardOf(suppressProfile), async profileKey => {
        const { deleted } = await subjects.suppress({
          profileKey,
          reason: 'opt_out',
          actor: 'opt_out',
          now: now(),
        });
        events.personSuppressed(deleted);
      }),
    ],
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
