import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from '@jest/globals';
import { createTestDatabase, testServiceKeys } from '@mailproof/dev-house';

const run = promisify(execFile);
/** Size of V8's semi-spaces: small, so that garbage is collected often. */
const youngMegabytes = 1;
/**
 * Octets per request that may become old, including its call and its statement. Usually a few hundred; one careless
 * closure makes it thousands.
 */
const oldOctetsMax = 1_000;
/** Some 10 s on a machine that is not busy, and within the time of a test. */
const deadlineMs = 170_000;

it('promotes almost nothing of a request to V8’s old generation', async () => {
  const database = await createTestDatabase('gateway');
  try {
    const settings = (await testServiceKeys()).settingsOf('credit-ledger');
    const args = [
      `--max-semi-space-size=${youngMegabytes}`,
      join(import.meta.dirname, 'short-lived-service.ts'),
      ...[database.databaseUrl, 'gateway', JSON.stringify(settings)],
    ];
    const { stdout } = await run(process.execPath, args, { timeout: deadlineMs });
    const { collections, oldOctetsEach } = JSON.parse(stdout) as Record<string, number>;
    expect(collections).toBeGreaterThan(20);
    expect(oldOctetsEach).toBeLessThan(oldOctetsMax);
  } finally {
    await database.drop();
  }
});
