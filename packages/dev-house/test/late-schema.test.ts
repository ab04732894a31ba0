import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { afterAll, expect, test } from '@jest/globals';
import { migrateService, provisionDatabase, serviceDatabase, withClient } from '@mailproof/installation';
import { waitFor } from '../src/deadline.ts';
import { projectRoot } from '../src/project-root.ts';
import { freePort } from '../src/service-instances.ts';
import { currentTestRun } from '../src/test-run-facts.ts';
import { testServiceKeys } from '../src/test-services.ts';

const { adminUrl, id } = currentTestRun();
const database = `mailproof_test_${id}_late_schema`;
const schema = 'ledger';
const deadlineMs = 120_000;
/** Twice the longest pause between two tries. */
const triedAfterMs = 2_000;

afterAll(() =>
  withClient(adminUrl, async admin => {
    await admin.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  }),
);

test('a service that starts before its database exists waits for its tables', async () => {
  const port = await freePort();
  const child = spawn(process.execPath, [join(projectRoot, 'services/credit-ledger/src/main.ts')], {
    env: {
      ...process.env,
      ...(await testServiceKeys()).settingsOf('credit-ledger'),
      DATABASE_URL: serviceDatabase({ adminUrl, database }, schema).databaseUrl,
      HOST: '127.0.0.1',
      PORT: String(port),
    },
    stdio: 'ignore',
  });
  try {
    const readiness = async () => {
      if (child.exitCode !== null) throw new Error(`The service ended with ${child.exitCode}.`);
      const response = await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined);
      return (await response?.json()) as { readonly checks: Readonly<Record<string, string>> } | undefined;
    };
    const until = (what: string, checks: Readonly<Record<string, string>>) =>
      waitFor(what, async () => JSON.stringify((await readiness())?.checks) === JSON.stringify(checks), {
        deadlineMs,
      });
    const waiting = { service: 'starting', schema: 'failed' };
    await until('the service waits for its database', waiting);
    const { [schema]: urls } = await provisionDatabase({ adminUrl, database, schemas: [schema] });
    if (!urls) throw new Error('The schema was not created.');
    // The schema exists and has no tables yet; the service has tried it by then.
    await setTimeout(triedAfterMs);
    expect((await readiness())?.checks).toEqual(waiting);
    await migrateService({
      ...urls,
      schema,
      directory: join(projectRoot, 'services/credit-ledger/migrations'),
    });
    await until('the service is ready', { postgres: 'ok' });
  } finally {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'exit');
    }
  }
});
