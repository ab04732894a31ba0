import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { testRedisUrl } from '@mailproof/dev-house';
import { type DomainScript, type MailLab, postfix, startMailLab } from '@mailproof/mail-lab';
import { openRedis, untilConnected } from '@mailproof/service-kit/redis';
import { newId } from '@mailproof/shared-types';
import type { Redis } from 'ioredis';
import { keyedHash } from '../src/adapters/keyed-hash.ts';
import { composeOperator } from '../src/compose/store.ts';
import type { Pause } from '../src/domain/standing/breaker.ts';
import { accountId, environment, labSettings, startEngine, type TestEngine } from './engine-in-lab.ts';

const addressHashKey = environment()['ADDRESS_HASH_KEY'] ?? '';
const requestPath = '/internal/v1/do-not-probe-requests';
const harvestAddressesMax = 8;

/** The proof that the engine asks the owner to publish. */
function proofOf(scope: string, name: string): string {
  const hash = keyedHash(new TextEncoder().encode(addressHashKey))(`do-not-probe\n${scope}\n${name}`);
  return `mailproof-do-not-probe=${hash}`;
}

function house(domain: string, more: Partial<DomainScript> = {}): DomainScript {
  const host = `mx.${domain}`;
  return {
    domain,
    story: 'Knows its people.',
    dns: { mx: [[10, host]] },
    hosts: { [host]: postfix(['ada']) },
    expected: [],
    ...more,
  };
}

let lab: MailLab;
let engines: readonly [TestEngine, TestEngine];
let redis: Redis;

beforeAll(async () => {
  const backup = 'mx2.refusing.example';
  lab = await startMailLab({
    catalog: [
      house('refusing.example', {
        dns: {
          mx: [
            [10, 'mx.refusing.example'],
            [20, backup],
          ],
        },
        hosts: {
          'mx.refusing.example': {
            ...postfix(['ada']),
            banner: '554 5.7.1 Service unavailable; client [{client}] blocked using zen.spamhaus.org',
          },
          [backup]: postfix(['ada']),
        },
      }),
      house('welcoming.example'),
      house('private.example', {
        dns: {
          mx: [[10, 'mx.private.example']],
          txt: { '_mailproof-do-not-probe': ['v=something else', proofOf('domain', 'private.example')] },
        },
      }),
      house('unproven.example'),
      house('misspelt.example', {
        dns: {
          mx: [[10, 'mx.misspelt.example']],
          txt: { '_mailproof-do-not-probe': [proofOf('domain', 'private.example')] },
        },
      }),
      house('shy-host.example', {
        dns: {
          mx: [[10, 'mx.shy-host.example']],
          txt: { '_mailproof-do-not-probe': [proofOf('mail_host', 'mx.shy-host.example')] },
        },
      }),
      house('customer.example', { dns: { mx: [[10, 'mx.shy-host.example']] }, hosts: {} }),
      house('guessed.example'),
      { domain: 'failing.example', story: 'Has name servers that fail.', dns: 'servfail', expected: [] },
    ],
  });
  const redisUrl = await testRedisUrl('validation-engine');
  redis = openRedis(redisUrl, () => undefined);
  await untilConnected(redis, 30_000);
  const settings = {
    ...labSettings(lab),
    REDIS_URL: redisUrl,
    VALIDATION_HARVEST_ADDRESSES_MAX: String(harvestAddressesMax),
  };
  engines = await Promise.all([startEngine(settings), startEngine(settings)]);
});

afterAll(async () => {
  await Promise.all(engines.map(engine => engine.stop()));
  await lab.close();
  redis.disconnect();
});

function connectionsTo(host: string): number {
  return lab.counts().smtp[host]?.connections ?? 0;
}

describe('a house that refuses our address', () => {
  test('is not asked any more by any replica, and the answer says since when and until when', async () => {
    const [one, other] = engines;
    for (const [turn, name] of ['ada', 'grace', 'edsger'].entries()) {
      const verdict = await (turn % 2 === 0 ? one : other).validate(`${name}@refusing.example`);
      expect(verdict).toMatchObject({ result: 'unknown', reason: 'blocked' });
      expect(verdict.details.sessions).toHaveLength(1);
    }
    expect(connectionsTo('mx.refusing.example')).toBe(3);
    for (const engine of engines) {
      const { result, reason, details } = await engine.validate('alan@refusing.example');
      expect({ result, reason, sessions: details.sessions }).toEqual({
        result: 'unknown',
        reason: 'blocked',
        sessions: [],
      });
      expect(details.explanation).toMatch(
        /^The mail servers at refusing\.example have rejected our IP address since 20\S+Z, so they are not queried again until 20\S+Z\.$/,
      );
    }
    expect(connectionsTo('mx.refusing.example')).toBe(3);
    // Its other host would have answered, but asking it would bypass the block.
    expect(connectionsTo('mx2.refusing.example')).toBe(0);
  });

  test('gets one trial when the pause is over, and a longer pause when it refuses again', async () => {
    const key = 'breaker:default:domain:refusing.example';
    const { pause } = JSON.parse((await redis.get(key)) ?? '{}') as { pause: Pause };
    const now = Date.now();
    const over = { blocks: [], pause: { ...pause, sinceMs: now - 900_000, untilMs: now } };
    await redis.set(key, JSON.stringify(over), 'PX', 3_600_000);
    const verdicts = await Promise.all(
      Array.from({ length: 6 }, (_, turn) =>
        (engines[turn % 2] as TestEngine).validate(`trial${turn}@refusing.example`),
      ),
    );
    expect(new Set(verdicts.map(({ reason }) => reason))).toEqual(new Set(['blocked']));
    expect(connectionsTo('mx.refusing.example')).toBe(4);
    const after = JSON.parse((await redis.get(key)) ?? '{}') as { pause: Pause };
    expect(after.pause).toEqual({
      sinceMs: now - 900_000,
      untilMs: expect.any(Number),
      pauses: 2,
    });
    expect(after.pause.untilMs).toBeGreaterThanOrEqual(now + 1_800_000);
  });

  test('does not keep others from being asked', async () => {
    expect(await engines[0].validate('ada@welcoming.example')).toMatchObject({ result: 'ok' });
  });
});

describe('record-do-not-probe-request', () => {
  async function request(name: string, scope = 'domain') {
    const response = await engines[0].post({ name, scope }, 'gateway', requestPath);
    return { status: response.status, body: response.body as Record<string, unknown> };
  }

  async function listedNames(): Promise<string[]> {
    const operator = composeOperator({ DATABASE_URL: engines[0].databaseUrl });
    try {
      return (await operator.doNotProbe.list()).map(({ name }) => name);
    } finally {
      await operator.close();
    }
  }

  test('says what to publish if nothing is published, and continues probing', async () => {
    expect(await request('unproven.example')).toEqual({
      status: 200,
      body: {
        name: 'unproven.example',
        scope: 'domain',
        state: 'proof_wanted',
        txtName: '_mailproof-do-not-probe.unproven.example',
        txtValue: proofOf('domain', 'unproven.example'),
        proof: 'absent',
      },
    });
    expect(await engines[0].validate('ada@unproven.example')).toMatchObject({ result: 'ok' });
  });

  test('lists a domain whose owner published the proof, with everything below it', async () => {
    expect(await engines[0].validate('ada@private.example')).toMatchObject({ result: 'ok' });
    const connections = connectionsTo('mx.private.example');
    expect((await request('PRIVATE.example.')).body).toMatchObject({ state: 'listed', proof: 'seen' });
    const verdict = await engines[0].validate('grace@private.example');
    expect(verdict).toMatchObject({ result: 'unknown', reason: 'do_not_probe' });
    expect(verdict.details.explanation).toMatch(/asked not to be probed/);
    expect(connectionsTo('mx.private.example')).toBe(connections);
    expect((await request('private.example')).body).toMatchObject({ state: 'listed' });
    expect((await request('news.private.example')).body).toMatchObject({ state: 'listed' });
    expect(await listedNames()).toEqual(['private.example']);
  });

  test('lists a mail host by a proof in its registrable domain, for every domain that it serves', async () => {
    expect((await request('mx.shy-host.example', 'mail_host')).body).toMatchObject({
      state: 'listed',
      txtName: '_mailproof-do-not-probe.shy-host.example',
    });
    expect(await engines[0].validate('ada@customer.example')).toMatchObject({ reason: 'do_not_probe' });
    expect(connectionsTo('mx.shy-host.example')).toBe(0);
  });

  test.each([
    ['another entry’s proof', 'misspelt.example', 'different'],
    ['name servers that fail', 'failing.example', 'dns_failure'],
  ])('lists nothing for %s', async (_, name, proof) => {
    expect((await request(name)).body).toMatchObject({ state: 'proof_wanted', proof });
  });

  test.each(['', 'no domain', 'com', 'localhost', '192.0.2.1', 'co.uk', `${'a'.repeat(64)}.example`])(
    'refuses the name "%s"',
    async name => {
      const { status, body } = await request(name);
      expect({ status, code: body['code'] }).toEqual({ status: 400, code: 'invalid_request' });
      expect(body['errors']).toEqual([{ pointer: '/name', detail: expect.any(String) }]);
    },
  );

  test('accepts only the gateway', async () => {
    const body = { name: 'private.example' };
    expect((await engines[0].post(body, 'credit-ledger', requestPath)).status).toBe(403);
    expect((await engines[0].post(body, 'nobody', requestPath)).status).toBe(401);
  });
});

describe('an account that guesses addresses of a domain', () => {
  test('gets no more results for it from any replica, while other accounts and domains do', async () => {
    const guesser = newId('account');
    const ask = async (email: string, account: string, turn = 0) => {
      const response = await (engines[turn % 2] as TestEngine).post({
        accountId: account,
        email,
        deadlineMs: 60_000,
      });
      return (response.body as { reason: string }).reason;
    };
    for (let turn = 0; turn < harvestAddressesMax; turn += 1) {
      expect(await ask(`guess${turn}@guessed.example`, guesser, turn)).toBe('mailbox_missing');
    }
    const connections = connectionsTo('mx.guessed.example');
    for (const turn of [0, 1]) {
      expect(await ask('ada@guessed.example', guesser, turn)).toBe('harvest_suspected');
    }
    expect(connectionsTo('mx.guessed.example')).toBe(connections);
    expect(await ask('ada@guessed.example', accountId)).toBe('mailbox_exists');
    expect(await ask('ada@welcoming.example', guesser)).toBe('mailbox_exists');
  });
});
