import type {
  AccountId,
  DiscoveryRunId,
  DiscoverySearchId,
  RunState,
  SearchKind,
} from '@mailproof/shared-types';
import type { Run } from './run.ts';

/** Runs to be looked at. */
export interface RunViews {
  find(accountId: AccountId, runId: DiscoveryRunId): Promise<Run | undefined>;
  /** Newest first. Throws `invalid_cursor`. */
  list(
    accountId: AccountId,
    request: {
      readonly search_id?: DiscoverySearchId | undefined;
      readonly kind?: SearchKind | undefined;
      readonly state?: RunState | undefined;
      readonly cursor?: string | undefined;
      readonly limit: number;
    },
  ): Promise<{ readonly runs: Run[]; readonly nextCursor: string | undefined }>;
}
