import { execFileSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KillableServer, operate, startPrivatePostgres, startPrivateRedis } from '@mailproof/dev-house';
import { benchmarkCatalog, type MailLab, startMailLab } from '@mailproof/mail-lab';
import pg from 'pg';
import { Customer, openTestHouse, Person, type TestHouse } from './house.ts';
import { askingLab, startJob, untilJob, untilJobEnded, uploadJob } from './job-house.ts';
import { blocksOf } from './page-commands.ts';

/*
 * Backs up an installation in the middle of a validation job, discards it with its Redis, and restores it on a fresh
 * Postgres with the commands in docs/backup-and-restore.md. Uses the machine's own programs, because the packaged
 * Postgres has no pg_dump. MAILPROOF_POSTGRES_PROGRAMS names their folder if they are not in Debian's default location.
 */

const addressesMax = 600;
const catalog = benchmarkCatalog({
  domains: addressesMax / 10,
  addresses: addressesMax,
  catchAllShare: 0.02,
  seed: 35,
});
const addresses = catalog.flatMap(domain => domain.expected).map(({ address }) => address);
const [address = ''] = addresses;
const credits = 2_000;
const password = 'of-the-administrator-of-both-servers';

const page = await readFile(new URL('../../../docs/backup-and-restore.md', import.meta.url), 'utf8');
/** Includes the block inside a list. */
const [backup = '', restore = ''] = blocksOf(page.replaceAll(/^ {3}/gm, ''), 'sh');

let lab: MailLab;
let directory: string;
let programs: string;
const servers: KillableServer[] = [];
let test: TestHouse | undefined;

beforeAll(async () => {
  programs = programsOfMachine();
  lab = await startMailLab({ catalog });
  directory = await mkdtemp(join(tmpdir(), 'mailproof-restore-'));
  await writeFile(join(directory, 'ca.pem'), lab.caCertificatePem);
});

afterAll(async () => {
  await test?.stop();
  await Promise.all(servers.map(server => server.stop()));
  await lab?.close();
  await rm(directory, { recursive: true, force: true });
});

/** An installation with the same secrets as the previous one, on empty servers. */
async function installOn(postgres: KillableServer, redis: KillableServer): Promise<TestHouse> {
  return openTestHouse({
    stateDir: join(directory, 'state'),
    databaseAdminUrl: postgres.url,
    database: 'mailproof',
    redisUrl: redis.url,
    lab: false,
    env: {
      gateway: { SESSION_REQUESTS_PER_SECOND_MAX: '1000' },
      'validation-engine': {
        ...askingLab(lab, join(directory, 'ca.pem')),
        // The job queries the hosts each time, and does not end before it is backed up.
        VALIDATION_MEMORY_DECIDED_SECONDS: '0',
        VALIDATION_JOB_CHUNKS_AT_ONCE_MAX: '1',
        VALIDATION_JOB_ADDRESSES_PER_CHUNK_MAX: '2',
      },
    },
  });
}

async function freshServers(): Promise<[KillableServer, KillableServer]> {
  const pair = await Promise.all([startPrivatePostgres({ programs, password }), startPrivateRedis()]);
  servers.push(...pair);
  return pair;
}

describe('a backup that was made in the middle of a job', () => {
  it('brings everything back on a fresh Postgres without the Redis of before, and nothing is charged twice', async () => {
    const [postgres, redis] = await freshServers();
    test = await installOn(postgres, redis);
    const customer = await test.open({ credits });
    const owner = await (await test.owner({ accountId: customer.accountId })).signIn();
    const finished = await uploadJob(owner, addresses.slice(0, 20));
    await startJob(owner, finished);
    const ended = await untilJobEnded(owner, finished);
    const headers = { 'idempotency-key': 'sent-ahead-of-the-backup' };
    const body = JSON.stringify({ email: address });
    const first = await customer.post('/validate-single-email', body, headers);
    expect([first.status, first.body['credits_consumed']]).toEqual([200, true]);
    const running = await uploadJob(owner, addresses);
    await startJob(owner, running);
    await untilJob('the first answers', owner, running, ({ done }) => Number(done) > 0);

    const dumpMs = runCommands(backup, postgres.url);
    const atBackup = (await owner.get(`/validation-jobs/${running}`)).body;
    expect(atBackup).toMatchObject({ state: 'running' });
    // Charged after the backup: the restored ledger does not know of it.
    await customer.validate(addresses[1]);
    await test.stop();
    test = undefined;
    await Promise.all(servers.splice(0).map(server => server.stop()));

    const [newPostgres, newRedis] = await freshServers();
    const restoreMs = runCommands(restore, newPostgres.url);
    expect(await jobStateIn(newPostgres.url, running)).toMatchObject({ state: 'running' });
    const startedAt = performance.now();
    test = await installOn(newPostgres, newRedis);
    const startMs = performance.now() - startedAt;

    const sameOwner = returning(owner, test);
    const sameCustomer = new Customer(customer, test.house.gatewayUrls);
    expect((await sameOwner.get(`/validation-jobs/${finished}`)).body).toEqual(ended);
    const replayed = await sameCustomer.post('/validate-single-email', body, headers);
    expect(replayed.headers.get('idempotent-replayed')).toBe('true');
    expect(replayed.body).toEqual(first.body);
    expect((await sameOwner.get('/api-key')).body).toMatchObject({ api_key: customer.apiKey });

    const job = await untilJobEnded(sameOwner, running, 120_000);
    expect(job).toMatchObject({ state: 'succeeded', done: addressesMax, reserved: addressesMax });
    expect(Number(job['spent']) + Number(job['returned'])).toBe(addressesMax);
    const spent = Number(ended['spent']) + 1 + Number(job['spent']);
    expect(await sameCustomer.credits()).toBe(credits - spent);
    expect((await sameOwner.get('/balance')).body).toMatchObject({ held: 0 });
    // Exits with an error if it finds a fault.
    expect(await operate(test.house, ['ledger', 'audit'])).toMatch(/Faults: none/);
    expect((await sameCustomer.validate(addresses[1])).body).toMatchObject({ credits_consumed: true });
    process.stdout.write(
      `backup ${seconds(dumpMs)}, restore ${seconds(restoreMs)}, start ${seconds(startMs)}; programs of ${programs}; ` +
        `${atBackup['done']} of ${addressesMax} addresses were done at the backup\n`,
    );
  }, 280_000);
});

/** The same browser with the same cookies, after the installation moved. */
function returning(person: Person, { house }: TestHouse): Person {
  const returned = new Person(person, house.gatewayUrls);
  for (const [name, value] of person.cookies) {
    returned.cookies.set(name, value);
  }
  return returned;
}

async function jobStateIn(adminUrl: string, jobId: string): Promise<unknown> {
  const url = new URL(adminUrl);
  url.pathname = '/mailproof';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT state FROM validation.validation_job WHERE job_id = $1', [
      jobId,
    ]);
    return rows[0];
  } finally {
    await client.end();
  }
}

/** Runs the page's commands verbatim, and returns how long they took. */
function runCommands(commands: string, adminUrl: string): number {
  const { hostname, port, username } = new URL(adminUrl);
  const backupStartedAt = performance.now();
  expect(commands).toMatch(/^(pg_dumpall|psql) /);
  execFileSync('bash', ['-e', '-c', commands], {
    cwd: directory,
    env: {
      PATH: `${programs}:${process.env['PATH']}`,
      PGHOST: hostname,
      PGPORT: port,
      PGUSER: username,
      PGPASSWORD: password,
    },
    timeout: 60_000,
    stdio: 'pipe',
  });
  return performance.now() - backupStartedAt;
}

function programsOfMachine(): string {
  const named = process.env['MAILPROOF_POSTGRES_PROGRAMS'];
  const found = named ?? globSync('/usr/lib/postgresql/*/bin/pg_dump').map(dirname).sort().at(-1);
  if (
    !found ||
    !['initdb', 'postgres', 'pg_dump', 'pg_restore', 'psql'].every(name => existsSync(join(found, name)))
  ) {
    throw new Error(
      'A Postgres with its client programs is needed: `apt-get install postgresql`, or set MAILPROOF_POSTGRES_PROGRAMS to their folder.',
    );
  }
  return found;
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
