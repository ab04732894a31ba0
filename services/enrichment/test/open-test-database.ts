import { createTestDatabase } from '@mailproof/dev-house';
import { openDatabase } from '../src/adapters/postgres/open.ts';

/** A database of the test's own, opened as the service opens it. */
export interface OpenTestDatabase extends ReturnType<typeof openDatabase> {
  readonly url: string;
}

/** `close()` of what it answers takes the database away as well. */
export async function openTestDatabase(connectionsMax = 8): Promise<OpenTestDatabase> {
  const { databaseUrl: url, drop } = await createTestDatabase('enrichment');
  const opened = openDatabase({ url, connectionsMax, onIdleError: fail });
  return {
    ...opened,
    url,
    async close() {
      await opened.close();
      await drop();
    },
  };
}

function fail(error: Error): never {
  throw error;
}
