// A thread needs nothing else of what the services share, and would load all of it.
import { openPostgres } from '@mailproof/service-kit/postgres';
import type { Pool } from 'pg';

/** Connections of a thread: one for its work, one that holds a lock. */
const connectionsMax = 2;

/** A pool of the thread's own: connections cannot be handed from thread to thread. */
export function openThreadDatabase(databaseUrl: string, name: string): Pool {
  return openPostgres({
    connectionString: databaseUrl,
    schema: 'enrichment',
    applicationName: `mailproof-enrichment-${name}`,
    connectionsMax,
    // The next statement meets the same trouble, and its failure is told.
    onIdleError: () => undefined,
  });
}
