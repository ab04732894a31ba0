import { onlyRow, traceParent } from '@mailproof/service-kit';
import { forgetVerdictsJob, newId } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { OutcomeStore, PastOutcome, PatternTally } from '../../domain/outcomes/outcome-store.ts';
import type { AddressHasher } from '../keyed-hash.ts';
import { sql } from './evidence.sql.ts';

/** How many outcomes of one address are read, in all and of each account, the latest first. */
const outcomesOfAddressMax = 500;
const outcomesOfAddressAtAccountMax = 20;
/** How many outcomes of one domain are read of the account, and of how many others how many each, the latest first. */
const outcomesOfDomainMax = 5_000;
const otherAccountsMax = 100;
const outcomesOfDomainAtOtherMax = 50;

/** Stores outcomes in Postgres, under keyed hashes; the job that follows from a report is committed with it. */
export function createOutcomeStore(pool: Pool, hasher: AddressHasher): OutcomeStore {
  return {
    async record({ accountId, hasPaid }, outcomes) {
      const rows = outcomes.map(({ email, kind, patternClass, observedAtMs }) => ({
        address: hasher.ofAddress(email).toString('hex'),
        domain: hasher.ofDomain(email).toString('hex'),
        kind,
        pattern: patternClass,
        observed: new Date(observedAtMs).toISOString(),
      }));
      const counted = sql.record_outcomes(pool, {
        report_id: newId('outcomeReport'),
        account_id: accountId,
        counts_for_others: hasPaid,
        outcomes: JSON.stringify(rows),
        job_type: forgetVerdictsJob.name,
        trace_parent: traceParent(),
      });
      return (await onlyRow(counted)).recorded;
    },

    async ofAddress(email, accountId) {
      const { rows } = await sql.outcomes_of_address(pool, {
        address_hash: hasher.ofAddress(email),
        account_id: accountId,
        rows_of_account_max: outcomesOfAddressAtAccountMax,
        rows_max: outcomesOfAddressMax,
      });
      return rows as PastOutcome[];
    },

    async ofDomain(email, accountId) {
      const { rows } = await sql.outcomes_of_domain(pool, {
        domain_hash: hasher.ofDomain(email),
        address_hash: hasher.ofAddress(email),
        account_id: accountId,
        rows_max: outcomesOfDomainMax,
        others_max: otherAccountsMax,
        rows_of_other_max: outcomesOfDomainAtOtherMax,
      });
      return rows as PatternTally[];
    },

    async hasReported(accountId, email) {
      const domain_hash = hasher.ofDomain(email);
      const { rowCount } = await sql.has_reported(pool, { account_id: accountId, domain_hash });
      return rowCount === 1;
    },

    async addressesIn(outcomeReportId) {
      const { rows } = await sql.addresses_in_report(pool, { report_id: outcomeReportId });
      return rows.map(({ key }) => key);
    },

    async purge(retentionDays, rowsMax) {
      const purged = await sql.purge_outcomes(pool, { retention_days: retentionDays, rows_max: rowsMax });
      return purged.rowCount ?? 0;
    },
  };
}
