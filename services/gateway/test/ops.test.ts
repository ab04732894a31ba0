import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, projectRoot, type TestDatabase } from '@mailproof/dev-house';
import pg from 'pg';
import { type Ran, runInProcess } from './run-in-process.ts';

const entry = join(projectRoot, 'services/gateway/src/ops/main.ts');
const ring = (kid: string, octet: number) => `${kid}:${Buffer.alloc(32, octet).toString('base64')}`;

let testDatabase: TestDatabase;

beforeAll(async () => {
  testDatabase = await createTestDatabase('gateway');
});

afterAll(() => testDatabase.drop());

function environmentOf(more: Record<string, string>): Record<string, string> {
  return { DATABASE_URL: testDatabase.databaseUrl, KEY_ENCRYPTION_KEYS: ring('k1', 1), ...more };
}

/** Runs a command in this process, with only the database unless the environment adds more. */
function ops(args: readonly string[], environment: Record<string, string> = {}): Promise<Ran> {
  return runInProcess(args, environmentOf(environment));
}

/** Runs the real program, with only the database. */
function opsProcess(args: readonly string[], input = ''): Promise<Ran> {
  const env = { PATH: process.env['PATH'] ?? '', ...environmentOf({}) };
  return new Promise(resolve => {
    const child = execFile(
      process.execPath,
      [entry, ...args],
      { env, timeout: 120_000 },
      (_error, out, complaint) => resolve({ code: child.exitCode ?? -1, out, complaint }),
    );
    child.stdin?.end(input);
  });
}

async function json(...args: string[]): Promise<Record<string, unknown>> {
  const { code, out, complaint } = await ops([...args, '--json']);
  expect({ code, complaint }).toEqual({ code: 0, complaint: '' });
  return JSON.parse(out) as Record<string, unknown>;
}

async function create(plan: string, at = '2026-01-31T00:00:00Z') {
  const created = await json('account', 'create', '--name', 'Ops Ltd', '--plan', plan, '--at', at);
  return { id: String(created['accountId']), apiKey: created['apiKey'] as string | undefined };
}

describe('the operator’s commands', () => {
  it('bill an account through its life: created, upgraded, paid, renewed, lapsed, resumed', async () => {
    const { id, apiKey } = await create('starter');
    expect(await json('account', 'show', id, '--at', '2026-02-01T00:00:00Z')).toMatchObject({
      name: 'Ops Ltd',
      plan: 'starter',
      cycle: { startsAt: '2026-01-31T00:00:00.000Z', endsAt: '2026-02-28T00:00:00.000Z' },
      payment: { state: 'paid', lapsesAt: '2026-03-07T00:00:00.000Z' },
      key: { displayPrefix: apiKey?.slice(0, 12), state: 'active', canBeShown: true },
      creditsAvailable: null,
      // Nothing runs here that would deliver grants to the ledger.
      grantsOnTheirWay: 1,
      balanceNote: expect.stringContaining('CREDIT_LEDGER_URL'),
    });

    const upgraded = await json('account', 'plan', id, 'growth', '--at', '2026-02-10T00:00:00Z');
    expect(upgraded).toMatchObject({ plan: 'growth', cycle: { startsAt: '2026-02-10T00:00:00.000Z' } });
    expect(upgraded).not.toHaveProperty('apiKey');

    const paid = await json(
      'account',
      'pay',
      id,
      '--months',
      '2',
      '--reference',
      'no 7',
      '--at',
      '2026-02-11T00:00:00Z',
    );
    expect(paid).toMatchObject({ payment: { paidUntil: '2026-05-10T00:00:00.000Z' } });

    const pending = await json('account', 'plan', id, 'starter', '--at', '2026-02-12T00:00:00Z');
    expect(pending).toMatchObject({
      plan: 'growth',
      pendingChange: { plan: 'starter', takesEffect: 'at_cycle_end' },
    });
    expect(await json('account', 'plan', id, '--cancel')).toMatchObject({ pendingChange: null });

    expect(await json('account', 'renew', id, '--at', '2026-03-10T00:00:00Z')).toMatchObject({
      cycle: { startsAt: '2026-03-10T00:00:00.000Z', endsAt: '2026-04-10T00:00:00.000Z' },
    });
    expect(await json('account', 'lapse', id, '--at', '2026-03-11T00:00:00Z')).toMatchObject({
      plan: 'free',
      payment: { state: 'lapsed', lapsed: { plan: 'growth' } },
      key: { state: 'disabled' },
    });
    expect(await json('account', 'resume', id, '--at', '2026-03-12T00:00:00Z')).toMatchObject({
      plan: 'growth',
      key: { state: 'active' },
      cycle: { startsAt: '2026-03-12T00:00:00.000Z' },
    });
  });

  it('lapse a plan whose payment stayed away, at the setting’s days of grace', async () => {
    const { id } = await create('growth');
    const renew = (at: string, days: string) =>
      ops(['account', 'renew', id, '--at', at, '--json'], { BILLING_GRACE_DAYS: days });
    const inGrace = await renew('2026-03-02T00:00:00Z', '7');
    expect(inGrace.complaint).toContain('Nothing is due');
    expect(JSON.parse(inGrace.out)).toMatchObject({ plan: 'growth', payment: { state: 'overdue' } });
    expect(JSON.parse((await renew('2026-03-02T00:00:00Z', '2')).out)).toMatchObject({
      plan: 'free',
      payment: { state: 'lapsed' },
    });
  });

  it('show the new key when a plan brings one, and say so if there is none', async () => {
    const { id, apiKey } = await create('free');
    expect(apiKey).toBeUndefined();
    expect((await ops(['account', 'show', id])).out).toMatch(/^API key {2}none$/m);
    const { out } = await ops(['account', 'plan', id, 'starter']);
    expect(out).toMatch(/^New key {2}mp_live_\w{36}$/m);
    expect((await ops(['account', 'list'])).out).toContain(id);
    expect(await json('account', 'list', '--after', id)).toEqual([]);
  });

  it('regenerate, rotate and revoke keys', async () => {
    const { id } = await create('custom');
    const made = await json('key', 'regenerate', id);
    expect(made['apiKey']).toMatch(/^mp_live_/);
    const both = { KEY_ENCRYPTION_KEYS: `${ring('k2', 2)},${ring('k1', 1)}` };
    const rotated = await ops(['key', 'rotate', '--json'], both);
    expect(rotated.code).toBe(0);
    expect(JSON.parse(rotated.out)).toMatchObject({ kid: 'k2', failed: [] });
    const lost = await ops(['key', 'rotate'], { KEY_ENCRYPTION_KEYS: ring('k3', 3) });
    expect(lost).toMatchObject({ code: 1, complaint: expect.stringContaining('could not be decrypted') });
    expect((await ops(['key', 'rotate'], { KEY_ENCRYPTION_KEYS: '' })).complaint).toContain(
      'Set KEY_ENCRYPTION_KEYS',
    );
    expect(await json('key', 'revoke', String(made['apiKeyId']))).toMatchObject({ revoked: true });
    expect(await json('account', 'show', id)).toMatchObject({ key: null });
    const database = new pg.Client(testDatabase.databaseUrl);
    await database.connect();
    const { rows } = await database.query(
      'SELECT kind, client_network FROM gateway.security_event WHERE account_id = $1 ORDER BY security_event_id',
      [id],
    );
    await database.end();
    expect(rows).toEqual(
      ['api_key_regenerated', 'api_key_revoked'].map(kind => ({ kind, client_network: 'operator' })),
    );
  });

  it('warn that a key cannot be shown later without a key ring', async () => {
    const { id } = await create('custom');
    const made = await ops(['key', 'regenerate', id], { KEY_ENCRYPTION_KEYS: '' });
    expect(made.complaint).toContain('shown only once');
    expect((await ops(['account', 'show', id])).out).toContain('cannot be displayed: regenerate it');
  });

  const nobody = `acct_${'0'.repeat(32)}`;
  it.each([
    [['account', 'show', nobody], 'not found'],
    [['account', 'top-up', nobody, '5'], 'not found'],
    [['account', 'create', '--name', 'x', '--plan', 'gold'], 'Allowed choices are free, starter'],
    [['account', 'create', '--name', 'a\nb'], 'The name must be one line'],
    [['account', 'pay', nobody, '--reference', 'a\nb'], 'characters on one line'],
    [['account', 'pay', nobody, '--at', '2026-03-01'], 'with a time zone'],
    [['account', 'plan', nobody], 'Enter the new plan'],
    [['key', 'revoke', `key_${'0'.repeat(32)}`], 'not found'],
  ])('refuse %j in a sentence, without a stack', async (args, sentence) => {
    const { code, complaint } = await ops(args);
    expect(code).toBe(1);
    expect(complaint).toContain(sentence);
    expect(complaint).not.toMatch(/\n\s+at /);
  });

  it('say why a step cannot be made', async () => {
    const { id } = await create('custom');
    for (const [args, sentence] of [
      [['pay', id], 'needs no payment'],
      [['resume', id], 'has no lapsed plan'],
      [['plan', id, 'growth', '--at', '2025-01-01T00:00:00Z'], 'choose a later time'],
    ] as const) {
      expect(await ops(['account', ...args])).toMatchObject({
        code: 1,
        complaint: expect.stringContaining(sentence),
      });
    }
  });

  it('explain themselves', async () => {
    for (const args of [['--help'], ['account', 'pay', '--help']]) {
      const { code, out } = await ops(args);
      expect(code).toBe(0);
      expect(out).toContain('Usage: ops');
    }
    const refused = await opsProcess(['account', 'show', 'x']);
    expect(refused).toMatchObject({ code: 1, complaint: expect.stringContaining('Not a valid id') });
  });

  it('make an owner with an account, with a chosen password or one that is shown once', async () => {
    const args = ['account', 'create', '--name', 'Owned Ltd', '--email', 'Owner@Ordinary.example'];
    const created = await json(...args);
    expect(created).toMatchObject({
      accountId: expect.stringMatching(/^acct_/),
      email: 'Owner@ordinary.example',
      password: expect.stringMatching(/^\w{20}$/),
    });
    const again = await ops(args);
    expect(again).toMatchObject({ code: 1, complaint: 'The email address already belongs to a user.\n' });

    const given = ['account', 'create', '--name', 'Owned Ltd', '--email', 'second@ordinary.example'];
    const weak = await opsProcess([...given, '--password-stdin'], 'second@ordinary.example\n');
    expect(weak).toMatchObject({
      code: 1,
      complaint: 'The password is your email address. Choose another one.\n',
    });
    const short = await opsProcess([...given, '--password-stdin'], 'short\n');
    expect(short.complaint).toContain('12 to 128 characters');
    const made = await opsProcess([...given, '--password-stdin'], 'a password for tests alone\n');
    expect(made.code).toBe(0);
    expect(made.out).toContain('second@ordinary.example');
    expect(made.out).not.toContain('a password');
    const alone = await ops(['account', 'create', '--name', 'X', '--password-stdin']);
    expect(alone.complaint).toContain('--email');
  });
});
