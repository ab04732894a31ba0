import { onlyRow } from '@mailproof/service-kit';
import type { FoundCompany } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import type { SavingStore } from '../../domain/discovery/filter-delivery.ts';
import type { PreviewPorts } from '../../domain/discovery/search-preview.ts';
import { createCompanyRows } from './company-rows.ts';
import { sql as lookalikes } from './lookalikes.sql.ts';
import type { Transaction } from './run-store.ts';
import { sql } from './saved.sql.ts';

/** Implements saving for runs of company searches: a saved company is a paid one, as those of lookalike runs are. */
export function createCompanySaving(pool: Pool): SavingStore<Transaction> {
  return {
    async savedNumbers(accountId) {
      return Int32Array.from((await onlyRow(sql.paid_numbers(pool, { account_id: accountId }))).numbers);
    },
    async numbersOf(companyIds) {
      return (await onlyRow(sql.company_numbers(pool, { company_ids: companyIds }))).numbers;
    },
    async unsavedOf(accountId, companyNos) {
      const values = { account_id: accountId, company_nos: companyNos };
      return (await onlyRow(sql.unpaid_numbers(pool, values))).numbers;
    },
    async save(client, run, companyNos) {
      const saved = sql.save_companies(client, {
        account_id: run.accountId,
        run_id: run.runId,
        company_nos: companyNos,
        list_id: run.listId,
      });
      return (await onlyRow(saved)).saved;
    },
    async countSaved(client, { accountId, runId }) {
      const values = { account_id: accountId, run_id: runId };
      return (await onlyRow(lookalikes.count_charged(client, values))).charged;
    },
  };
}

/** Reads what previews show of companies; omits companies removed from the store since the index answered. */
export function createReadFoundCompanies(pool: Pool): PreviewPorts<FoundCompany>['readPreviews'] {
  const companies = createCompanyRows(pool);
  return async (accountId, companyNos) => {
    const rows = companyNos.length === 0 ? [] : await companies.read(accountId, companyNos);
    return rows.map(row => ({
      company_id: row.companyId,
      company: { name: row.name, domain: row.domain },
      industry: row.industry,
      website: row.website,
      description: row.description,
      keywords: [...row.keywords],
      is_synthetic: row.isSynthetic,
      is_saved: row.isPaid,
    }));
  };
}
