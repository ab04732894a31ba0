import { type Handlers, Problem } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';
import type { KeyPage, ProfilesSource, RowPage } from '../domain/exported/exported-rows.ts';

export interface ExportedRows {
  readonly list: (
    accountId: AccountId,
    source: ProfilesSource,
    after: string | undefined,
  ) => Promise<KeyPage | undefined>;
  readonly read: (
    accountId: AccountId,
    source: ProfilesSource,
    keys: readonly string[],
  ) => Promise<RowPage | undefined>;
}

/** Handlers of saved people and companies, which the webhook dispatcher reads for exports. */
export function exportedRowHandlers({ list, read }: ExportedRows) {
  return {
    async listProfilesRows({ params: { accountId }, body: { source, after } }) {
      const page = await list(accountId, source, after);
      if (!page) {
        throw new Problem('export_source_not_found');
      }
      return page;
    },

    async readProfilesRows({ params: { accountId }, body: { source, keys } }) {
      const page = await read(accountId, source, keys);
      if (!page) {
        throw new Problem('export_source_not_found');
      }
      return page;
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}
