import { z } from 'zod';
import type { EvidenceSnapshots, LabeledSnapshots } from '../../domain/catch-all/fit/labeled.ts';
import { isObservation, type Labeled } from '../../domain/catch-all/fit/labeled.ts';
import type { AddressHasher } from '../keyed-hash.ts';
import type { PrismaClient } from './generated/client.ts';

/** More than any fit needs, so that a large installation does not read its whole table into memory. */
const labeledMax = 500_000;
/** Limit on the days between a validation and its outcome: a later outcome may describe a different situation. */
const labelDaysMax = 180;

const findings = z.array(
  z.object({ source: z.string(), finding: z.string(), ageDays: z.number().optional() }),
);

/** Stores snapshots in Postgres, under keyed hashes of their addresses. */
export function createEvidenceSnapshots(
  prisma: PrismaClient,
  hasher: AddressHasher,
): EvidenceSnapshots & { purge(retentionDays: number, rowsMax: number): Promise<number> } {
  return {
    async take(email, observations) {
      const kept = observations.map(({ source, finding, ageDays }) => ({ source, finding, ageDays }));
      await prisma.$executeRaw`
        INSERT INTO evidence_snapshot (address_hash, domain_hash, findings, taken_on)
        VALUES (${hasher.ofAddress(email)}, ${hasher.ofDomain(email)}, ${JSON.stringify(kept)}::jsonb,
          to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD'))
        ON CONFLICT (address_hash, taken_on) DO NOTHING`;
    },

    purge: (retentionDays, rowsMax) => prisma.$executeRaw`
      DELETE FROM evidence_snapshot WHERE evidence_snapshot_id IN (
        SELECT evidence_snapshot_id FROM evidence_snapshot
        WHERE taken_at < now() - make_interval(days => ${retentionDays}::int)
        ORDER BY taken_at LIMIT ${rowsMax})`,
  };
}

/** Reads snapshots that outcomes have labeled; this needs no key. */
export function createLabeledSnapshots(prisma: PrismaClient): LabeledSnapshots {
  return {
    async labeled() {
      // The last snapshot of each address, labeled by the last outcome after it; if two outcomes have the same time,
      // the bounce comes last. Many outcomes have only a date, so they count from the beginning of the day. The
      // exception is a snapshot that has itself seen outcomes, which must not be their own proof.
      const rows = await prisma.$queryRaw<{ domain: string; findings: unknown; exists: boolean }[]>`
        SELECT DISTINCT ON (snapshot.address_hash)
          encode(snapshot.domain_hash, 'hex') AS domain, snapshot.findings, label.exists
        FROM evidence_snapshot AS snapshot
        CROSS JOIN LATERAL (
          SELECT kind NOT IN ('mailbox_missing', 'mailbox_disabled') AS exists FROM outcome
          WHERE outcome.address_hash = snapshot.address_hash AND kind <> 'not_about_mailbox'
            AND observed_at >= CASE
              WHEN snapshot.findings @> '[{"source":"outcome_history"}]' THEN snapshot.taken_at
              ELSE date_trunc('day', snapshot.taken_at, 'UTC') END
            AND observed_at < snapshot.taken_at + make_interval(days => ${labelDaysMax}::int)
          ORDER BY observed_at DESC, kind IN ('mailbox_missing', 'mailbox_disabled') DESC LIMIT 1
        ) AS label
        ORDER BY snapshot.address_hash, snapshot.taken_at DESC
        LIMIT ${labeledMax}`;
      return rows.map(
        (row): Labeled => ({
          domain: row.domain,
          exists: row.exists,
          observations: findings.parse(row.findings).filter(isObservation),
        }),
      );
    },
  };
}
