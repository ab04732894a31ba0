import { openPostgres } from '@mailproof/service-kit';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';

/** The one schema that this service owns. */
export const schema = 'enrichment';

/** Opens the pool and the client that works on it. */
export function openDatabase(settings: {
  url: string;
  connectionsMax: number;
  onIdleError: (error: Error) => void;
}) {
  const pool = openPostgres({
    connectionString: settings.url,
    schema,
    applicationName: 'mailproof-enrichment',
    connectionsMax: settings.connectionsMax,
    onIdleError: settings.onIdleError,
  });
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool, { schema }) });
  return {
    pool,
    prisma,
    async close(): Promise<void> {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}
