import { openPostgres } from '@mailproof/service-kit';
import { PrismaPg } from '@prisma/adapter-pg';
import { PrismaClient } from './generated/client.ts';

/** The one schema that this service owns. */
export const schema = 'gateway';

/**
 * Time that a transaction may wait for a connection, and may take, in milliseconds. Prisma's own are 2 and 5 seconds, which
 * the first connection of a busy start can need.
 */
const transactionMsMax = 10_000;

/** Opens the pool and the client that works on it. */
export function openDatabase(settings: {
  url: string;
  connectionsMax: number;
  onIdleError: (error: Error) => void;
}) {
  const pool = openPostgres({
    connectionString: settings.url,
    schema,
    applicationName: 'mailproof-gateway',
    connectionsMax: settings.connectionsMax,
    onIdleError: settings.onIdleError,
  });
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { schema }),
    transactionOptions: { maxWait: transactionMsMax, timeout: transactionMsMax },
  });
  return {
    pool,
    prisma,
    async close(): Promise<void> {
      await prisma.$disconnect();
      await pool.end();
    },
  };
}
