import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import pg from 'pg';
import { openTestHouse, type Person, type TestHouse, validating } from './house.ts';
import { logsOf } from './house-telemetry.ts';
import { codeOf, outcomeSourcesIn, post } from './outcome-sources-in.ts';
import { until } from './until.ts';

/* Kills each service on the way of a mail provider's request: the provider sends it again, and it counts once (ADR 0074). */

let test: TestHouse;
let house: ReturnType<typeof outcomeSourcesIn>;
let owner: Person;
let engine: pg.Pool;

beforeAll(async () => {
  test = await openTestHouse({
    killable: ['validation-engine', 'webhook-dispatcher'],
    only: [...validating, 'webhook-dispatcher'],
    env: {
      gateway: { LOG_LEVEL: 'debug' },
      'validation-engine': { LOG_LEVEL: 'debug' },
      'webhook-dispatcher': { LOG_LEVEL: 'debug' },
    },
  });
  house = outcomeSourcesIn(test);
  owner = await house.signedIn();
  engine = new pg.Pool({ connectionString: test.house.databaseUrls['validation']?.databaseUrl ?? '' });
}, 180_000);

afterAll(async () => {
  await engine?.end();
  await test?.stop();
}, 60_000);

const timeoutMs = 120_000;

async function outcomesOf(at: string): Promise<number> {
  const { rows } = await engine.query(
    'SELECT count(*)::int AS count FROM outcome WHERE account_id = $1 AND observed_at = $2',
    [owner.accountId, at],
  );
  return rows[0]?.count as number;
}

describe.each(['validation-engine', 'webhook-dispatcher'] as const)('kill -9 of the %s', name => {
  it('makes the provider send the request again, and it counts once', async () => {
    const source = await house.sourceOf(owner, 'sendgrid');
    const atSeconds = Math.floor(Date.now() / 1_000) - (name === 'webhook-dispatcher' ? 60 : 120);
    const observed = new Date(atSeconds * 1_000).toISOString();
    const email = `canary.${newId('request')}@killed.example`;
    const sent = source.simulated.post([{ event: 'delivered', email, timestamp: atSeconds }]);
    const service = test.house.services[name];
    await service?.kill('SIGKILL');
    expect(codeOf(await post(source.url, sent))).toEqual([503, 'service_unavailable']);
    expect(await outcomesOf(observed)).toBe(0);
    await service?.restart();
    const repeated = await until(
      'the provider’s next attempt',
      () => post(source.url, sent),
      ({ status }) => status === 200,
      timeoutMs,
    );
    expect(repeated.body).toEqual({ recorded: 1, repeated: 0, ignored: 0 });
    expect((await post(source.url, sent)).body).toEqual({ recorded: 0, repeated: 1, ignored: 0 });
    expect(await outcomesOf(observed)).toBe(1);
    expect(await house.find(owner, source.at)).toMatchObject({ recorded: 1, repeated: 1, refused: [] });

    // Neither the URL nor the key nor the address is in a log.
    const token = source.url.split('/').at(-1) ?? '';
    const logs = await until(
      'the log about the source',
      () => logsOf(test.house),
      text => text.includes(source.source_id),
    );
    for (const secret of [token, source.simulated.key, email]) {
      expect(logs).not.toContain(secret);
    }
  }, 180_000);
});
