import type { PoolClient } from 'pg';

/**
 * Lets one transaction at a time write companies, people and removals. So nobody who is being suppressed slips in at the
 * same moment, two loads never meet in one record, and change numbers become visible in their order: whoever has read up
 * to one will not find a smaller one later (ADR 0031).
 */
export async function lockProfileStore(client: PoolClient): Promise<void> {
  await client.query("SELECT pg_advisory_xact_lock(hashtextextended('mailproof profile store', 0))");
}
