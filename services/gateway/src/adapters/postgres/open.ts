import { databaseOpener } from '@mailproof/service-kit';
import { PrismaPg } from '@prisma/adapter-pg';
import type { ClientBase, QueryConfig } from 'pg';
import { type Prisma, PrismaClient } from './generated/client.ts';

/** The schema that this service owns. */
export const schema = 'gateway';

/**
 * How long a transaction may wait for a connection, and how long it may run, in milliseconds. Prisma's defaults are 2
 * and 5 seconds, which the first connection of a busy start can exceed.
 */
const transactionMsMax = 10_000;

const openPool = databaseOpener(schema, 'mailproof-gateway');

/** Opens the pool and the Prisma client on it. */
export function openDatabase(options: Parameters<typeof openPool>[0]) {
  const { pool, close } = openPool(options);
  const prisma = new PrismaClient({
    adapter: new PrismaPg(pool, { schema }),
    transactionOptions: { maxWait: transactionMsMax, timeout: transactionMsMax },
  });
  return {
    pool,
    prisma,
    async close(): Promise<void> {
      await prisma.$disconnect();
      await close();
    },
  };
}

/** Runs statements of `.sql` files within a transaction of the Prisma Client. */
export function within(transaction: Prisma.TransactionClient): Pick<ClientBase, 'query'> {
  const query = async ({ text, values = [] }: QueryConfig) => {
    const rows = await transaction.$queryRawUnsafe<unknown[]>(text, ...values);
    return { rows, rowCount: rows.length };
  };
  return { query } as unknown as Pick<ClientBase, 'query'>;
}
