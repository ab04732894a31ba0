import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type KillableServer, startPrivatePostgres } from '@mailproof/dev-house';
import pg from 'pg';
import { type Answer, type Customer, openTestHouse, type TestHouse, validating } from './house.ts';
import { type StepPoint, type StepProxy, startStepProxy } from './step-proxy.ts';
import { until } from './until.ts';

/*
 * Stops a validation between two of its steps, kills a process there, restarts everything, and sweeps expired records.
 * After that, the customer has paid for the answer if, and only if, it was delivered.
 */

const isLong = process.env['MAILPROOF_LONG_FAULTS'] === 'true';
const credits = 5;
const address = 'ada@ordinary.example';
const victims = ['gateway', 'credit-ledger', 'validation-engine', 'postgres'] as const;
type Victim = (typeof victims)[number];

const steps = {
  'the hold is asked for': { peer: 'ledger', path: /\/holds$/, phase: 'request' },
  'the hold is made': { peer: 'ledger', path: /\/holds$/, phase: 'answer' },
  'the engine is asked': { peer: 'engine', path: /validat/, phase: 'request' },
  'the verdict is found': { peer: 'engine', path: /validat/, phase: 'answer' },
  'the charge is to be settled': { peer: 'ledger', path: /\/settlement$/, phase: 'request' },
  'the charge is settled': { peer: 'ledger', path: /\/settlement$/, phase: 'answer' },
} as const satisfies Readonly<Record<string, StepPoint & { peer: 'ledger' | 'engine' }>>;
type Step = keyof typeof steps;

const stepNames = Object.keys(steps) as Step[];
const all = stepNames.flatMap(step => victims.map(victim => [step, victim] as const));
/** Each step runs with one victim, every other one with an idempotency key; `pnpm test:faults` runs the rest. */
const tableOf = (remainder: 0 | 1) =>
  isLong
    ? all
    : all.filter(([step, victim]) => {
        const number = stepNames.indexOf(step);
        return number % victims.length === victims.indexOf(victim) && number % 2 === remainder;
      });

let postgres: KillableServer;
let proxies: { ledger: StepProxy; engine: StepProxy };
let test: TestHouse;
let ledgerDatabase: pg.Pool;
let gatewayDatabase: pg.Pool;
/** Sees the statements of other connections. */
let admin: pg.Pool;

beforeAll(async () => {
  postgres = await startPrivatePostgres();
  proxies = { ledger: await startStepProxy(), engine: await startStepProxy() };
  test = await openTestHouse({
    inOneProcess: false,
    only: validating,
    databaseAdminUrl: postgres.url,
    env: {
      gateway: { CREDIT_LEDGER_URL: proxies.ledger.url, VALIDATION_ENGINE_URL: proxies.engine.url },
      'credit-ledger': { HOLD_SWEEP_INTERVAL_MS: '100' },
    },
  });
  proxies.ledger.passTo(service('credit-ledger').url);
  proxies.engine.passTo(service('validation-engine').url);
  ledgerDatabase = openPool('ledger');
  gatewayDatabase = openPool('gateway');
  admin = poolOf(postgres.url);
});

afterAll(async () => {
  await Promise.allSettled([ledgerDatabase?.end(), gatewayDatabase?.end(), admin?.end()]);
  await test?.stop();
  await Promise.all([proxies?.ledger.close(), proxies?.engine.close(), postgres?.stop()]);
});

function openPool(schema: string): pg.Pool {
  return poolOf(test.house.databaseUrls[schema]?.migrationDatabaseUrl ?? '');
}

function poolOf(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString });
  // Its connections break when Postgres is killed.
  pool.on('error', () => undefined);
  return pool;
}

function service(name: string) {
  const found = test.house.services[name];
  if (!found) {
    throw new Error(`there is no service ${name}`);
  }
  return found;
}

async function kill(victim: Victim): Promise<void> {
  await (victim === 'postgres' ? postgres.kill() : service(victim).kill('SIGKILL'));
}

async function revive(victim: Victim): Promise<void> {
  await (victim === 'postgres' ? postgres.restart() : service(victim).restart());
  for (const name of ['gateway', 'credit-ledger', 'validation-engine']) {
    const ready = async () =>
      (await fetch(`${service(name).internalUrl}/readyz`).catch(() => ({ status: 0 }))).status;
    await until(`${name} is ready`, ready, status => status === 200);
  }
}

/** A customer without a practical rate limit, with credits for five answers. */
function newCustomer(): Promise<Customer> {
  return test.open({ credits, requestsPerSecond: 1_000 });
}

function ask(customer: Customer, key?: string): Promise<Answer | 'no answer'> {
  const headers = key === undefined ? {} : { 'idempotency-key': key };
  return customer
    .post('/validate-single-email', JSON.stringify({ email: address }), headers)
    .catch(() => 'no answer' as const);
}

/** Sends a request, kills the victim at the step, restarts it, and returns the customer's answer. */
async function breakAt(step: Step, victim: Victim, customer: Customer, key?: string) {
  const { peer, ...point } = steps[step];
  const stopped = proxies[peer].stopNext(point);
  const asked = ask(customer, key);
  const call = await stopped;
  await kill(victim);
  // A call of a killed process may be lost in transit: the worse of the two cases.
  if (victim === 'gateway') {
    call.lose();
  } else {
    call.release();
  }
  // While Postgres is down, everything waits for it.
  const answer = victim === 'postgres' ? undefined : await asked;
  await revive(victim);
  return answer ?? (await asked);
}

/** Waits until recorded charges are settled, and expires the remaining holds. */
async function settleAndSweep(customer: Customer): Promise<void> {
  if (!(await holdStates(customer)).includes('settled')) {
    // A gateway that is asked to stop first collects the charges of its last answers.
    await service('gateway').restart();
  }
  const openCharges = async () =>
    (
      await gatewayDatabase.query(
        "SELECT FROM outbox WHERE job_type = 'gateway.collect-charge' AND done_at IS NULL",
      )
    ).rowCount;
  await until('every charge is collected', openCharges, count => count === 0, 40_000);
  const pending = async () => {
    const { rowCount } = await ledgerDatabase.query(
      "UPDATE hold SET expires_at = now() WHERE account_id = $1 AND state = 'pending'",
      [customer.accountId],
    );
    return rowCount;
  };
  await until('every hold is resolved', pending, count => count === 0);
}

/** States of a customer's holds, in order of creation. */
async function holdStates(customer: Customer): Promise<string[]> {
  const { rows } = await ledgerDatabase.query<{ state: string }>(
    'SELECT state FROM hold WHERE account_id = $1 ORDER BY created_at',
    [customer.accountId],
  );
  return rows.map(({ state }) => state);
}

async function charged(customer: Customer): Promise<number> {
  const { rows } = await ledgerDatabase.query<{ settled: string; held: string }>(
    `SELECT (SELECT coalesce(sum(settled), 0) FROM hold WHERE account_id = $1) AS settled,
      (SELECT held FROM account WHERE account_id = $1) AS held`,
    [customer.accountId],
  );
  const settled = Number(rows[0]?.settled);
  expect({ held: Number(rows[0]?.held), balance: await customer.credits() }).toEqual({
    held: 0,
    balance: credits - settled,
  });
  return settled;
}

function countDelivered(answer: Answer | 'no answer'): number {
  return answer !== 'no answer' && answer.status === 200 ? 1 : 0;
}

describe('a validation in which a process is killed', () => {
  it.each(tableOf(0))('is paid if it was delivered: as %s, the %s', async (step, victim) => {
    const customer = await newCustomer();
    const answer = await breakAt(step, victim, customer);
    await settleAndSweep(customer);
    expect(await charged(customer)).toBe(countDelivered(answer));
    expect((await ask(customer)) as Answer).toMatchObject({ status: 200 });
  });

  it.each(tableOf(1))(
    'is answered and paid once under an idempotency key: as %s, the %s',
    async (step, victim) => {
      const customer = await newCustomer();
      const key = randomUUID();
      await breakAt(step, victim, customer, key);
      // Expires the lease of the killed attempt, so that the test need not wait for it.
      await gatewayDatabase.query('UPDATE idempotency_record SET lease_until = now() WHERE account_id = $1', [
        customer.accountId,
      ]);
      expect(await ask(customer, key)).toMatchObject({ status: 200, body: { result: 'ok' } });
      await settleAndSweep(customer);
      expect(await charged(customer)).toBe(1);
      expect(await ask(customer, key)).toMatchObject({ status: 200, body: { credits_consumed: true } });
      await settleAndSweep(customer);
      expect(await charged(customer)).toBe(1);
    },
  );
});

/** Waits until a statement waits for a lock. */
async function untilWaitingFor(statement: string): Promise<void> {
  const waiting = async () => {
    const { rowCount } = await admin.query(
      "SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND strpos(query, $1) > 0",
      [statement],
    );
    return rowCount;
  };
  await until(`${statement} waits`, waiting, count => count !== 0);
}

/** Locks a table while the verdict is in transit, and kills the gateway as soon as it waits for the lock. */
async function killAtTable(table: 'outbox' | 'idempotency_record', customer: Customer, key?: string) {
  const stopped = proxies.engine.stopNext(steps['the verdict is found']);
  const asked = ask(customer, key);
  const call = await stopped;
  const client = await gatewayDatabase.connect();
  try {
    await client.query(`BEGIN; LOCK TABLE ${table} IN EXCLUSIVE MODE`);
    call.release();
    await untilWaitingFor(table === 'outbox' ? 'INSERT INTO outbox' : 'UPDATE idempotency_record');
    await kill('gateway');
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  const answer = await asked;
  await revive('gateway');
  return answer;
}

describe('a gateway that is killed', () => {
  it('after the verdict and before the answer is kept charges nothing, and the next attempt once', async () => {
    const customer = await newCustomer();
    const key = randomUUID();
    expect(await killAtTable('idempotency_record', customer, key)).toBe('no answer');
    await settleAndSweep(customer);
    expect(await charged(customer)).toBe(0);
    await gatewayDatabase.query('UPDATE idempotency_record SET lease_until = now() WHERE account_id = $1', [
      customer.accountId,
    ]);
    expect(await ask(customer, key)).toMatchObject({ status: 200 });
    await settleAndSweep(customer);
    expect(await charged(customer)).toBe(1);
  });

  it('as the delivered answer is recorded is still paid', async () => {
    const customer = await newCustomer();
    const answer = await killAtTable('outbox', customer);
    expect(answer).toMatchObject({ status: 200 });
    await settleAndSweep(customer);
    expect(await charged(customer)).toBe(1);
  });

  it('before a kept answer was delivered charges nothing, and its replay once, after the hold has expired', async () => {
    const customer = await newCustomer();
    const key = randomUUID();
    expect(await killAtKeptAnswer(customer, key)).toBe('no answer');
    await settleAndSweep(customer);
    expect(await charged(customer)).toBe(0);
    const replay = await ask(customer, key);
    expect(replay).toMatchObject({ status: 200 });
    expect((replay as Answer).headers.get('idempotent-replayed')).toBe('true');
    await settleAndSweep(customer);
    expect(await charged(customer)).toBe(1);
  });
});

/** Pauses the gateway before its update completes, lets Postgres complete the update, and kills the gateway. */
async function killAtKeptAnswer(customer: Customer, key: string) {
  const stopped = proxies.engine.stopNext(steps['the verdict is found']);
  const asked = ask(customer, key);
  const call = await stopped;
  const client = await gatewayDatabase.connect();
  try {
    await client.query('BEGIN; LOCK TABLE idempotency_record IN EXCLUSIVE MODE');
    call.release();
    await untilWaitingFor('UPDATE idempotency_record');
    // A stopped process cannot send an answer, no matter how quickly its update commits.
    process.kill(service('gateway').pid as number, 'SIGSTOP');
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  const kept = async () =>
    (
      await gatewayDatabase.query(
        'SELECT FROM idempotency_record WHERE account_id = $1 AND sealed_answer IS NOT NULL',
        [customer.accountId],
      )
    ).rowCount;
  await until('the answer is kept', kept, count => count === 1);
  await kill('gateway');
  const answer = await asked;
  await revive('gateway');
  return answer;
}

describe('a hold that a failed attempt releases too late', () => {
  it.each([
    ['', false],
    [', by the relay where the gateway is killed', true],
  ])('is charged once all the same where the next attempt was answered on it%s', async (_how, isKilled) => {
    const customer = await newCustomer();
    const key = randomUUID();
    const release = proxies.ledger.stopNext({ path: /\/release$/, phase: 'request' });
    expect(await failToKeep(customer, key)).toMatchObject({ status: 503 });
    const late = await release;
    // Expires the lease of the failed attempt, so that the test need not wait for it.
    await gatewayDatabase.query('UPDATE idempotency_record SET lease_until = now() WHERE account_id = $1', [
      customer.accountId,
    ]);
    const stopped = proxies.engine.stopNext(steps['the verdict is found']);
    const asked = ask(customer, key);
    const call = await stopped;
    late.release();
    await until(
      'the hold is released',
      () => holdStates(customer),
      states => states.includes('released'),
    );
    const settlement = isKilled
      ? proxies.ledger.stopNext(steps['the charge is to be settled'])
      : Promise.resolve(undefined);
    call.release();
    expect(await asked).toMatchObject({ status: 200, body: { credits_consumed: true } });
    const unsettled = await settlement;
    if (unsettled) {
      await kill('gateway');
      unsettled.lose();
      await revive('gateway');
    }
    await settleAndSweep(customer);
    expect(await charged(customer)).toBe(1);
    expect(await ask(customer, key)).toMatchObject({ status: 200 });
    await settleAndSweep(customer);
    expect(await charged(customer)).toBe(1);
    expect(await holdStates(customer)).toEqual(['released', 'settled']);
  });
});

/** Breaks the connection on which the gateway would store its answer. */
async function failToKeep(customer: Customer, key: string) {
  const stopped = proxies.engine.stopNext(steps['the verdict is found']);
  const asked = ask(customer, key);
  const call = await stopped;
  const client = await gatewayDatabase.connect();
  try {
    await client.query('BEGIN; LOCK TABLE idempotency_record IN EXCLUSIVE MODE');
    call.release();
    await untilWaitingFor('UPDATE idempotency_record');
    await admin.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND strpos(query, $1) > 0",
      ['UPDATE idempotency_record'],
    );
  } finally {
    await client.query('ROLLBACK');
    client.release();
  }
  return asked;
}
