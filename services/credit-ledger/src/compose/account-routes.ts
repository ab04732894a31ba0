import { createAccountReader, type Guard, type Route } from '@mailproof/service-kit';
import { closeAccountCredits, exportAccountCredits, type Operation, sumUsage } from '@mailproof/shared-types';
import type { Pool } from 'pg';
import { accountTables } from '../adapters/postgres/account-tables.ts';
import { createCloseAccount } from '../adapters/postgres/close-account.ts';
import { createUsageReader } from '../adapters/postgres/usage.ts';
import type { Events } from '../events.ts';
import { closeAccountCreditsRoute } from '../http/close-account-credits.ts';
import { exportAccountCreditsRoute } from '../http/export-account-credits.ts';
import { sumUsageRoute } from '../http/sum-usage.ts';

/** Operations that look at an account as a whole, or end it. */
export function accountRoutesOf(
  guardOf: (operation: Operation) => Guard<unknown>,
  pool: Pool,
  events: Events,
): Route[] {
  return [
    sumUsageRoute(guardOf(sumUsage), createUsageReader(pool)),
    exportAccountCreditsRoute(guardOf(exportAccountCredits), createAccountReader(pool, accountTables)),
    closeAccountCreditsRoute(guardOf(closeAccountCredits), createCloseAccount(pool), events),
  ];
}
