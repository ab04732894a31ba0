import type { Guard, Route } from '@mailproof/service-kit';
import { listProfilesRows, type Operation, readProfilesRows } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { createExportedCompanies } from '../adapters/postgres/exported/exported-companies.ts';
import { createExportedPeople } from '../adapters/postgres/exported/exported-people.ts';
import { listProfilesRowsRoute } from '../http/list-profiles-rows.ts';
import { readProfilesRowsRoute } from '../http/read-profiles-rows.ts';

/** Saved people and companies as the webhook dispatcher reads them for exports. */
export function composeExportedRows(
  pool: Pool,
  guardOf: (operation: Operation) => Guard<unknown>,
): { readonly routes: readonly Route[] } {
  const people = createExportedPeople(pool);
  const companies = createExportedCompanies(pool);
  return {
    routes: [
      listProfilesRowsRoute(guardOf(listProfilesRows), (accountId, source, after) =>
        source.kind === 'saved_people'
          ? people.list(accountId, source, after)
          : companies.list(accountId, source, after),
      ),
      readProfilesRowsRoute(guardOf(readProfilesRows), (accountId, source, keys) =>
        source.kind === 'saved_people'
          ? people.read(accountId, source, keys)
          : companies.read(accountId, source, keys),
      ),
    ],
  };
}
