import type { OperationClient } from '@mailproof/service-kit';
import {
  listProfilesRows,
  listValidationRows,
  readProfilesRows,
  readValidationRows,
} from '@mailproof/shared-types';
import type { RowSources } from '../../domain/exports/row-sources.ts';

/**
 * The deadline for one page, in milliseconds; needed for connections that a firewall has silently dropped. Shorter than
 * a claim on rows, so that they are due again soon after.
 */
const deadlineMs = 8_000;

/** Reads rows from the services that have them: validation jobs from the engine, saved records from enrichment. */
export function createRowSources(peers: {
  readonly engine: OperationClient;
  readonly enrichment: OperationClient;
}): RowSources {
  return {
    list(accountId, source, after, signal) {
      const options = { deadlineMs, ...(signal && { signal }) };
      const params = { accountId };
      const from = after === undefined ? {} : { after };
      const pages =
        source.kind === 'validation_job'
          ? peers.engine.call(listValidationRows, { params, body: { source, ...from } }, options)
          : peers.enrichment.call(listProfilesRows, { params, body: { source, ...from } }, options);
      return pages.then(({ columns, file, total, open = 0, open_total = 0, keys, is_last }) => ({
        columns,
        total,
        open,
        openTotal: open_total,
        keys,
        isLast: is_last,
        file,
      }));
    },
    read(accountId, source, asked, signal) {
      const options = { deadlineMs, ...(signal && { signal }) };
      const params = { accountId };
      const keys = [...asked];
      const page =
        source.kind === 'validation_job'
          ? peers.engine.call(readValidationRows, { params, body: { source, keys } }, options)
          : peers.enrichment.call(readProfilesRows, { params, body: { source, keys } }, options);
      return page.then(({ columns, rows, keys_read }) => ({ columns, rows, keysRead: keys_read }));
    },
  };
}
