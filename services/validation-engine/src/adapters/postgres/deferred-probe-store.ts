import { traceParent } from '@mailproof/service-kit';
import { type DeferredProbeId, newId, parseEmailAddress, retryProbeJob } from '@mailproof/shared-types';
import type { DeferredProbes } from '../../domain/validation/answer-address.ts';
import type { DeferredProbeStore } from '../../domain/validation/retry-probe.ts';
import type { PrismaClient } from './generated/client.ts';

/** Longer than all retries together. An address that still waits has lost its job, which failed too often. */
const waitsAtMost = '2 days';

/** Stores deferred probes in Postgres; the job that runs each probe is committed with it. */
export function createDeferredProbeStore(prisma: PrismaClient): DeferredProbeStore & DeferredProbes {
  return {
    async defer(email, delayMs) {
      const deferredProbeId = newId('deferredProbe');
      await prisma.$executeRaw`
        WITH deferred AS (
          INSERT INTO deferred_probe (deferred_probe_id, email, attempts)
          VALUES (${deferredProbeId}, ${email.normalized}, 1)
          ON CONFLICT (email) DO UPDATE
            SET deferred_probe_id = excluded.deferred_probe_id, attempts = excluded.attempts, created_at = now()
            WHERE deferred_probe.created_at < now() - ${waitsAtMost}::interval
          RETURNING deferred_probe_id
        )
        INSERT INTO outbox (job_type, payload, due_at, trace_parent)
        SELECT ${retryProbeJob.name}, jsonb_build_object('deferredProbeId', deferred_probe_id),
          now() + make_interval(secs => ${delayMs}::double precision / 1000), ${traceParent()}
        FROM deferred`;
    },

    async find(deferredProbeId) {
      const row = await prisma.deferredProbe.findUnique({ where: { deferredProbeId } });
      const parsed = row && parseEmailAddress(row.email);
      return parsed?.ok ? { deferredProbeId, email: parsed.value, attempts: row?.attempts ?? 0 } : undefined;
    },

    async postpone({ deferredProbeId, attempts }, delayMs) {
      // Compares the count of attempts, so that a job that ran twice schedules only one next attempt.
      await prisma.$executeRaw`
        WITH counted AS (
          UPDATE deferred_probe SET attempts = attempts + 1
          WHERE deferred_probe_id = ${deferredProbeId} AND attempts = ${attempts}
          RETURNING deferred_probe_id
        )
        INSERT INTO outbox (job_type, payload, due_at, trace_parent)
        SELECT ${retryProbeJob.name}, jsonb_build_object('deferredProbeId', deferred_probe_id),
          now() + make_interval(secs => ${delayMs}::double precision / 1000), ${traceParent()}
        FROM counted`;
    },

    async finish({ deferredProbeId }: { deferredProbeId: DeferredProbeId }) {
      await prisma.deferredProbe.deleteMany({ where: { deferredProbeId } });
    },
  };
}
