import type { Guard, Route } from '@mailproof/service-kit';
import { beginLookalikeSearch, forwarded, type Operation } from '@mailproof/shared-types';
import type { Pool, PoolClient } from 'pg';
import { createCompanyRows } from '../adapters/postgres/company-rows.ts';
import { createLookalikeResults } from '../adapters/postgres/lookalike-results.ts';
import { createLookalikeSearches } from '../adapters/postgres/lookalike-searches.ts';
import type { RunDelivery } from '../domain/discovery/run-delivery.ts';
import type { RunRequest, StartOutcome } from '../domain/discovery/start-run.ts';
import type { LookalikeRanking } from '../domain/lookalike/lookalike-ranking.ts';
import { createLookalikeDelivery } from '../domain/lookalike-search/lookalike-delivery.ts';
import { beginLookalikeSearchRoute } from '../http/begin-lookalike-search.ts';
import { changeLookalikeSearchRoute } from '../http/change-lookalike-search.ts';
import { deleteLookalikeSearchRoute } from '../http/delete-lookalike-search.ts';
import { getLookalikeSearchRoute } from '../http/get-lookalike-search.ts';
import { listLookalikeCompaniesRoute } from '../http/list-lookalike-companies.ts';
import { listLookalikeSearchesRoute } from '../http/list-lookalike-searches.ts';
import { renameLookalikeSearchRoute } from '../http/rename-lookalike-search.ts';
import { startLookalikeRunRoute } from '../http/start-lookalike-run.ts';

export interface LookalikesOptions {
  readonly pool: Pool;
  readonly guardOf: (operation: Operation) => Guard<unknown>;
  readonly ranking: LookalikeRanking;
  /** Starts a run of either kind. */
  readonly startRun: (request: RunRequest) => Promise<StartOutcome>;
  readonly now: () => Date;
}

/** Lookalike searches, and what their paid runs deliver. */
export function composeLookalikes({ pool, guardOf, ranking, startRun, now }: LookalikesOptions): {
  readonly routes: readonly Route[];
  readonly delivery: RunDelivery<PoolClient>;
} {
  const companies = createCompanyRows(pool);
  const searches = createLookalikeSearches(pool);
  // Forwarded operations are all for the gateway alone.
  const guard = guardOf(forwarded(beginLookalikeSearch));
  const ports = { ranking, companies, searches, now };
  return {
    routes: [
      beginLookalikeSearchRoute(guard, ports),
      listLookalikeSearchesRoute(guard, ports),
      getLookalikeSearchRoute(guard, ports),
      changeLookalikeSearchRoute(guard, ports),
      renameLookalikeSearchRoute(guard, ports),
      deleteLookalikeSearchRoute(guard, searches),
      listLookalikeCompaniesRoute(guard, ports),
      startLookalikeRunRoute(guard, startRun),
    ],
    delivery: createLookalikeDelivery({ ranking, companies, results: createLookalikeResults(), now }),
  };
}
