import type { Pool } from 'pg';
import { z } from 'zod';
import type { EvidenceSnapshots, LabeledSnapshots } from '../../domain/catch-all/fit/labeled.ts';
import { isObservation, type Labeled } from '../../domain/catch-all/fit/labeled.ts';
import type { AddressHasher } from '../keyed-hash.ts';
import { sql } from './evidence.sql.ts';

/** More than any fit needs, so that a large installation does not read its whole table into memory. */
const labeledMax = 500_000;
/** Limit on the days between a validation and its outcome: a later outcome may describe a different situation. */
const labelDaysMax = 180;

const findings = z.array(
  z.object({ source: z.string(), finding: z.string(), ageDays: z.number().optional() }),
);

/** Stores snapshots in Postgres, under keyed hashes of their addresses. */
export function createEvidenceSnapshots(
  pool: Pool,
  hasher: AddressHasher,
): EvidenceSnapshots & { purge(retentionDays: number, rowsMax: number): Promise<number> } {
  return {
    async take(email, observations) {
      const kept = observations.map(({ source, finding, ageDays }) => ({ source, finding, ageDays }));
      await sql.take_snapshot(pool, {
        address_hash: hasher.ofAddress(email),
        domain_hash: hasher.ofDomain(email),
        findings: JSON.stringify(kept),
      });
    },

    async purge(retentionDays, rowsMax) {
      const purged = await sql.purge_snapshots(pool, { retention_days: retentionDays, rows_max: rowsMax });
      return purged.rowCount ?? 0;
    },
  };
}

/** Reads snapshots that outcomes have labeled; this needs no key. */
export function createLabeledSnapshots(pool: Pool): LabeledSnapshots {
  return {
    async labeled() {
      const { rows } = await sql.labeled_snapshots(pool, {
        label_days_max: labelDaysMax,
        rows_max: labeledMax,
      });
      return rows.map(
        (row): Labeled => ({
          domain: row.domain,
          exists: row.exists,
          account: row.account,
          observations: findings.parse(row.findings).filter(isObservation),
        }),
      );
    },
  };
}
