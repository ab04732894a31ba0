import { traceParent } from '@mailproof/service-kit';
import { forgetVerdictsJob, newId, type OutcomeKind } from '@mailproof/shared-types';
import type { OutcomeStore, PastOutcome, PatternTally } from '../../domain/outcomes/outcome-store.ts';
import type { AddressHasher } from '../keyed-hash.ts';
import type { PrismaClient } from './generated/client.ts';

/** How many outcomes of one address are read; real senders do not send more messages to one mailbox. */
const outcomesOfAddressMax = 500;
/** How many outcomes of one domain are read, the latest first. */
const outcomesOfDomainMax = 5_000;

/** Stores outcomes in Postgres, under keyed hashes; the job that follows from a report is committed with it. */
export function createOutcomeStore(prisma: PrismaClient, hasher: AddressHasher): OutcomeStore {
  return {
    async record(accountId, outcomes) {
      const outcomeReportId = newId('outcomeReport');
      const rows = outcomes.map(({ email, kind, patternClass, observedAtMs }) => ({
        address: hasher.ofAddress(email).toString('hex'),
        domain: hasher.ofDomain(email).toString('hex'),
        kind,
        pattern: patternClass,
        observed: new Date(observedAtMs).toISOString(),
      }));
      // In a fixed order, so that two reports of the same addresses do not deadlock.
      const [counted] = await prisma.$queryRaw<{ recorded: number }[]>`
        WITH recorded AS (
          INSERT INTO outcome
            (outcome_report_id, account_id, address_hash, domain_hash, kind, pattern_class, observed_at)
          SELECT ${outcomeReportId}, ${accountId}, decode(address, 'hex'), decode(domain, 'hex'), kind, pattern, observed
          FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
            AS given (address text, domain text, kind text, pattern text, observed timestamptz)
          ORDER BY address, kind, observed
          ON CONFLICT (account_id, address_hash, kind, observed_at) DO NOTHING
          RETURNING 1
        ), job AS (
          INSERT INTO outbox (job_type, payload, trace_parent)
          SELECT ${forgetVerdictsJob.name}, jsonb_build_object('outcomeReportId', ${outcomeReportId}::text), ${traceParent()}
          WHERE EXISTS (SELECT FROM recorded)
        )
        SELECT count(*)::int AS recorded FROM recorded`;
      return counted?.recorded ?? 0;
    },

    async ofAddress(email) {
      return prisma.$queryRaw<PastOutcome[]>`
        SELECT account_id AS "accountId", kind,
          round(greatest(0, extract(epoch FROM now() - observed_at) / 86400), 2)::float AS "ageDays"
        FROM outcome WHERE address_hash = ${hasher.ofAddress(email)}
        ORDER BY observed_at DESC LIMIT ${outcomesOfAddressMax}`;
    },

    async ofDomain(email) {
      return prisma.$queryRaw<PatternTally[]>`
        WITH latest AS (
          SELECT DISTINCT ON (account_id, address_hash) account_id, pattern_class, kind = ANY(${bad}) AS is_bad
          FROM (
            SELECT account_id, address_hash, pattern_class, kind, observed_at FROM outcome
            WHERE domain_hash = ${hasher.ofDomain(email)} AND address_hash <> ${hasher.ofAddress(email)}
              AND kind <> 'not_about_mailbox'
            ORDER BY observed_at DESC LIMIT ${outcomesOfDomainMax}
          ) AS lately
          ORDER BY account_id, address_hash, observed_at DESC, kind = ANY(${bad}) DESC
        )
        SELECT account_id AS "accountId", pattern_class AS "patternClass",
          (count(*) FILTER (WHERE NOT is_bad))::int AS good, (count(*) FILTER (WHERE is_bad))::int AS bad
        FROM latest GROUP BY account_id, pattern_class`;
    },

    async hasReported(accountId, email) {
      const rows = await prisma.$queryRaw<unknown[]>`
        SELECT 1 FROM outcome
        WHERE domain_hash = ${hasher.ofDomain(email)} AND account_id = ${accountId} LIMIT 1`;
      return rows.length > 0;
    },

    async addressesIn(outcomeReportId) {
      const rows = await prisma.$queryRaw<{ key: string }[]>`
        SELECT DISTINCT encode(address_hash, 'hex') AS key FROM outcome
        WHERE outcome_report_id = ${outcomeReportId}`;
      return rows.map(({ key }) => key);
    },

    purge: (retentionDays, rowsMax) => prisma.$executeRaw`
      DELETE FROM outcome WHERE outcome_id IN (
        SELECT outcome_id FROM outcome
        WHERE observed_at < now() - make_interval(days => ${retentionDays}::int)
        ORDER BY observed_at LIMIT ${rowsMax})`,
  };
}

/** Outcomes that count against an address. */
const bad: OutcomeKind[] = ['mailbox_missing', 'mailbox_disabled'];
