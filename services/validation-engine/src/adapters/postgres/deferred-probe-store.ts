import { traceParent } from '@mailproof/service-kit';
import { newId, parseEmailAddress, retryProbeJob } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { DeferredProbes } from '../../domain/validation/answer-address.ts';
import type { DeferredProbeStore } from '../../domain/validation/retry-probe.ts';
import { sql } from './evidence.sql.ts';

/** Stores deferred probes in Postgres; the job that runs each probe is committed with it. */
export function createDeferredProbeStore(pool: Pool): DeferredProbeStore & DeferredProbes {
  const jobIn = (delayMs: number) => ({
    delay_ms: delayMs,
    job_type: retryProbeJob.name,
    trace_parent: traceParent(),
  });
  return {
    async defer(email, delayMs) {
      const deferred_probe_id = newId('deferredProbe');
      await sql.defer_probe(pool, { deferred_probe_id, email: email.normalized, ...jobIn(delayMs) });
    },

    async find(deferredProbeId) {
      const [row] = (await sql.deferred_probe(pool, { deferred_probe_id: deferredProbeId })).rows;
      const parsed = row && parseEmailAddress(row.email);
      return parsed?.ok ? { deferredProbeId, email: parsed.value, attempts: row?.attempts ?? 0 } : undefined;
    },

    async postpone({ deferredProbeId, attempts }, delayMs) {
      await sql.postpone_probe(pool, { deferred_probe_id: deferredProbeId, attempts, ...jobIn(delayMs) });
    },

    async finish({ deferredProbeId }) {
      await sql.finish_probe(pool, { deferred_probe_id: deferredProbeId });
    },
  };
}
