import { createTestDatabase } from '@mailproof/dev-house';
import { openDatabase } from '../src/adapters/postgres/open.ts';

/** The test's own database, opened as the service opens it. */
export interface OpenTestDatabase extends ReturnType<typeof openDatabase> {
  readonly url: string;
}

/** `close()` of the result also drops the database. */
export async function openTestDatabase(connectionsMax = 8): Promise<OpenTestDatabase> {
  const { databaseUrl: url, drop } = await createTestDatabase('gateway');
  const opened = openDatabase({ url, connectionsMax, onIdleError: () => undefined });
  return {
    ...opened,
    url,
    async close() {
      await opened.close();
      await drop();
    },
  };
}
