import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { newInstallationSecrets, services, withClient } from '@mailproof/installation';
import { type KillableServer, startPrivatePostgres } from '../src/private-servers.ts';
import { projectRoot } from '../src/project-root.ts';

const run = promisify(execFile);
const program = join(projectRoot, 'packages/installation/src/main.ts');

/** Roles belong to a whole cluster, so this has one of its own: other tests know other passwords for them. */
describe('an installation on a Postgres whose administrator is no superuser', () => {
  let postgres: KillableServer;
  let environment: Readonly<Record<string, string>> = {};

  beforeAll(async () => {
    postgres = await startPrivatePostgres();
    await withClient(postgres.url, admin =>
      admin.query(`CREATE ROLE administrator LOGIN CREATEDB CREATEROLE PASSWORD 'of-administrator'`),
    );
    const { host } = new URL(postgres.url);
    const { migrate } = await newInstallationSecrets({
      postgres: host,
      database: 'mailproof',
      redis: 'none',
    });
    environment = {
      ...migrate,
      MIGRATION_DATABASE_URL: `postgres://administrator:of-administrator@${host}/postgres`,
    };
  });
  afterAll(() => postgres.stop());

  function migrate(changes: Readonly<Record<string, string>> = {}): Promise<{ stdout: string }> {
    const env = { PATH: process.env['PATH'], ...environment, ...changes };
    return run(process.execPath, [program], { env });
  }

  test('migrates every service, does nothing the second time, and lets each service in', async () => {
    const first = await migrate();
    for (const { name } of services) expect(first.stdout).toMatch(new RegExp(`^${name}: applied 0001_`, 'm'));
    const second = await migrate();
    for (const { name } of services) expect(second.stdout).toContain(`${name}: nothing new.`);
    for (const { name, schema } of services) {
      const url = environment[`${name.replaceAll('-', '_').toUpperCase()}_DATABASE_URL`] ?? '';
      const { rows } = await withClient(url, client => client.query('SELECT current_schema() AS schema'));
      expect(rows).toEqual([{ schema }]);
    }
  });

  test('lets a successor in with the rights of its predecessor, and does not open a door that was closed', async () => {
    await migrate();
    const before = new URL(environment['GATEWAY_DATABASE_URL'] ?? '');
    await withClient(postgres.url, admin => admin.query('ALTER ROLE mailproof_gateway NOLOGIN'));
    const after = Object.assign(new URL(before), {
      username: 'mailproof_gateway_b',
      password: 'of-successor',
    });
    const { stdout } = await migrate({ GATEWAY_DATABASE_URL: after.href });
    expect(stdout).toContain('gateway: nothing new.');
    const { rows } = await withClient(after.href, client =>
      client.query('SELECT count(*)::int FROM account'),
    );
    expect(rows).toEqual([{ count: 0 }]);
    await expect(withClient(before.href, () => Promise.resolve())).rejects.toThrow('not permitted to log in');
  });

  test('says in a sentence what is missing, and ends with 1', async () => {
    await expect(run(process.execPath, [program], { env: {} })).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringContaining('GATEWAY_DATABASE_URL must be set to an address'),
    });
  });
});
