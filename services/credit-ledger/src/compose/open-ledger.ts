import { openPostgres } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import { createAllowanceStore } from '../adapters/postgres/allowance-store.ts';
import { createLedgerStore, type StoreOptions } from '../adapters/postgres/ledger-store.ts';
import { createStatementStore } from '../adapters/postgres/statement-store.ts';
import type { AllowanceStore } from '../domain/allowance.ts';
import type { LedgerStore } from '../domain/ledger.ts';
import type { StatementStore } from '../domain/statement.ts';

export const schema = 'ledger';

export interface OpenLedger {
  readonly pool: Pool;
  readonly ledger: LedgerStore;
  readonly allowances: AllowanceStore;
  readonly statements: StatementStore;
  close(): Promise<void>;
}

export interface OpenLedgerOptions extends StoreOptions {
  readonly databaseUrl: string;
  readonly connectionsMax: number;
  readonly applicationName?: string;
  readonly onIdleError: (error: Error) => void;
}

/** The stores of the ledger on one pool of connections. */
export function openLedger(options: OpenLedgerOptions): OpenLedger {
  const pool = openPostgres({
    connectionString: options.databaseUrl,
    schema,
    applicationName: options.applicationName ?? 'mailproof-credit-ledger',
    connectionsMax: options.connectionsMax,
    onIdleError: options.onIdleError,
  });
  return {
    pool,
    ledger: createLedgerStore(pool, options),
    allowances: createAllowanceStore(pool, options),
    statements: createStatementStore(pool, options),
    close: () => pool.end(),
  };
}
