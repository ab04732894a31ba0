import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simulatedProviders } from '@mailproof/dev-house';
import { createRateLimiter } from '@mailproof/service-kit';
import { type AccountId, limits, receivedOutcomes, receiveOutcomes } from '@mailproof/shared-types';
import { Redis } from 'ioredis';
import { type Billing, lapse, pay } from '../../src/domain/billing/billing.ts';
import { type Customer, openSharedHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { codeOf, outcomeSourcesIn, post } from '../outcome-sources-in.ts';

let test: TestHouse;
let house: ReturnType<typeof outcomeSourcesIn>;
let customer: Customer;
let owner: Person;

beforeAll(async () => {
  test = await openSharedHouse();
  house = outcomeSourcesIn(test);
  customer = await test.open({ credits: 100, requestsPerSecond: 1_000 });
  owner = await (await test.owner({ accountId: customer.accountId })).signIn();
}, 120_000);

afterAll(() => test?.stop());

const at = new Date(Date.now() - 3_600_000);
const date = at.toISOString();
const seconds = Math.floor(at.getTime() / 1_000);
const userUnknown = '550 5.1.1 User unknown';
const blocked = '550 5.7.1 Service unavailable; client host [192.0.2.1] blocked using zen.spamhaus.org';
const json = { 'content-type': 'application/json' };

/** One event of each kind, in the words of each provider: delivered, bounced, blocked, and one that is ignored. */
const reports = {
  sendgrid: (email: (name: string) => string) => [
    [
      { event: 'delivered', email: email('ada'), timestamp: seconds },
      { event: 'bounce', type: 'bounce', email: email('bob'), timestamp: seconds, reason: userUnknown },
      { event: 'bounce', type: 'bounce', email: email('eve'), timestamp: seconds, reason: blocked },
      { event: 'dropped', email: email('kim'), timestamp: seconds, reason: 'Bounced Address' },
    ],
  ],
  mailgun: (email: (name: string) => string) => [
    { event: 'delivered', recipient: email('ada'), timestamp: seconds + 0.5 },
    ...[
      [email('bob'), userUnknown],
      [email('eve'), blocked],
    ].map(([recipient, message]) => ({
      event: 'failed',
      severity: 'permanent',
      reason: 'bounce',
      recipient,
      timestamp: seconds,
      'delivery-status': { code: 550, message },
    })),
    {
      event: 'failed',
      severity: 'permanent',
      reason: 'suppress-bounce',
      recipient: email('kim'),
      timestamp: seconds,
    },
  ],
  postmark: (email: (name: string) => string) => [
    { RecordType: 'Delivery', Recipient: email('ada'), DeliveredAt: date },
    { RecordType: 'Bounce', Type: 'HardBounce', Email: email('bob'), BouncedAt: date, Details: userUnknown },
    { RecordType: 'Bounce', Type: 'HardBounce', Email: email('eve'), BouncedAt: date, Details: blocked },
    { RecordType: 'Bounce', Type: 'ManuallyDeactivated', Email: email('kim'), BouncedAt: date },
  ],
  json: (email: (name: string) => string) => [
    {
      outcomes: [
        { email: email('ada'), outcome: 'delivered', date },
        { email: email('bob'), outcome: 'bounced', date, text: userUnknown },
        { email: email('eve'), outcome: 'bounced', date, text: blocked },
        { email: 'not an address', outcome: 'delivered', date },
      ],
    },
  ],
  dsn: (email: (name: string) => string) => [
    [
      `Date: ${at.toUTCString()}`,
      'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
      '',
      '--b',
      'Content-Type: message/delivery-status',
      '',
      'Reporting-MTA: dns; mx.sender.example',
      ...[
        [email('ada'), 'delivered', '2.0.0', '250 Ok'],
        [email('bob'), 'failed', '5.1.1', userUnknown],
        [email('eve'), 'failed', '5.7.1', blocked],
        [email('kim'), 'delayed', '4.4.1', '450 4.4.1 later'],
      ].flatMap(([address, action, status, text]) => [
        '',
        `Final-Recipient: rfc822; ${address}`,
        `Action: ${action}`,
        `Status: ${status}`,
        `Diagnostic-Code: smtp; ${text}`,
      ]),
      '--b--',
    ].join('\r\n'),
  ],
} as const;

describeOperation(receiveOutcomes, {
  /** Verdicts at a catch-all domain follow what the provider reports, and a repeated request counts once. */
  async success() {
    for (const name of Object.keys(reports) as (keyof typeof reports)[]) {
      const source = await house.sourceOf(owner, name);
      const posts = reports[name](local => `${local}.${name}@catch-all.example`).map(body =>
        source.simulated.post(body),
      );
      const results: Record<'recorded' | 'repeated' | 'ignored', number>[] = [];
      for (const each of [...posts, ...posts]) {
        const { status, body } = await post(source.url, each);
        expect(status).toBe(200);
        results.push(receivedOutcomes.strict().parse(body));
      }
      const sums = Object.keys(receivedOutcomes.shape).map(key =>
        results.reduce((sum, each) => sum + each[key as keyof typeof each], 0),
      );
      expect([name, ...sums]).toEqual([name, 3, 3, 2]);
      expect(await house.find(owner, source.at)).toMatchObject({
        recorded: 3,
        repeated: 3,
        kinds: { delivered: 2, mailbox_missing: 2, not_about_mailbox: 2, mailbox_full: 0 },
        ignored: [{ count: 2, last_at: expect.any(String), detail: expect.any(String) }],
        refused: [],
        last_received_at: expect.any(String),
      });
      const resultOf = async (local: string) =>
        (await customer.validate(`${local}.${name}@catch-all.example`)).body['result'];
      expect([name, await resultOf('ada'), await resultOf('bob'), await resultOf('eve')]).toEqual([
        name,
        'catch_all_validated',
        'catch_all',
        'catch_all',
      ]);
    }
  },
  async badInput() {
    const source = await house.sourceOf(owner);
    const sign = (body: unknown) => source.simulated.post(body);
    for (const body of ['', '{', 'null', '[]', '{"outcomes":{}}', `{"outcomes":${'['.repeat(100_000)}`]) {
      expect(codeOf(await post(source.url, sign(body)))).toEqual([400, 'invalid_request']);
    }
    const many = { outcomes: Array.from({ length: limits.outcomeEventsMax + 1 }, () => null) };
    expect(codeOf(await post(source.url, sign(many)))).toEqual([400, 'invalid_request']);
    const large = sign('x'.repeat(limits.outcomeEventsBytesMax + 1));
    expect(codeOf(await post(source.url, large))).toEqual([413, 'body_too_large']);
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: 'a=b' };
    expect(codeOf(await post(source.url, form))).toEqual([415, 'unsupported_media_type']);
    const header = { headers: { ...json, 'webhook-id': 'x'.repeat(2_001) }, body: '{}' };
    expect(codeOf(await post(source.url, header))).toEqual([400, 'invalid_request']);
    const { refused, recorded } = await house.find(owner, source.at);
    expect(refused.map(({ reason, count }) => [reason, count])).toEqual([
      ['too_many_events', 1],
      ['body_not_readable', 5],
    ]);
    expect(recorded).toBe(0);
  },
  /** Neither with the URL alone, nor with the key of another source. */
  async noCredentials() {
    const [source, { simulated: other }] = [await house.sourceOf(owner), await house.sourceOf(owner)];
    const body = { outcomes: [{ email: 'ada@a.example', outcome: 'bounced', date, code: '5.1.1' }] };
    const late = source.simulated.post(body, new Date(Date.now() - 3_600_000));
    for (const [sent, reason] of [
      [{ headers: json, body: JSON.stringify(body) }, 'signature_missing'],
      [other.post(body), 'signature_wrong'],
      [{ ...source.simulated.post(body), body: '{"outcomes":[]}' }, 'signature_wrong'],
      [late, 'signature_expired'],
    ] as const) {
      expect(codeOf(await post(source.url, sent))).toEqual([401, 'outcome_signature_not_valid']);
      const [latest] = (await house.find(owner, source.at)).refused;
      expect(latest?.reason).toBe(reason);
    }
    expect(await house.find(owner, source.at)).toMatchObject({ recorded: 0, last_received_at: null });
    for (const path of ['x', 'A'.repeat(43), `${source.url.split('/').at(-1)}A`]) {
      const url = source.url.replace(/[^/]+$/, path);
      expect(codeOf(await post(url, source.simulated.post(body)))).toEqual([404, 'outcome_source_not_found']);
    }
  },
  /** Confirms an address only for the account of the source. */
  async anotherTenant() {
    const other = await test.open({ credits: 100, requestsPerSecond: 1_000 });
    const source = await house.sourceOf(owner);
    const email = 'grace.tenant@catch-all.example';
    const body = { outcomes: [{ email, outcome: 'delivered', date }] };
    expect((await post(source.url, source.simulated.post(body))).body).toMatchObject({ recorded: 1 });
    const resultFor = async (who: Customer) => (await who.validate(email)).body['result'];
    expect([await resultFor(customer), await resultFor(other)]).toEqual(['catch_all_validated', 'catch_all']);
  },
});

describe('receive-outcomes', () => {
  it('takes more events than one report has', async () => {
    const source = await house.sourceOf(owner);
    const outcomes = Array.from({ length: limits.outcomeEventsMax }, (_, index) => ({
      email: `a${index}@many-events.example`,
      outcome: 'delivered',
      date,
    }));
    expect((await post(source.url, source.simulated.post({ outcomes }))).body).toEqual({
      recorded: limits.outcomeEventsMax,
      repeated: 0,
      ignored: 0,
    });
  });

  it('says why events are ignored, also those that the engine refuses', async () => {
    const source = await house.sourceOf(owner);
    const of = (email: string, when: number) => ({
      email,
      outcome: 'delivered',
      date: new Date(when).toISOString(),
    });
    const outcomes = [
      of('nobody@', Date.now()),
      of('ada@a.example', Date.now() + 7 * 86_400_000),
      of('ada@a.example', 0),
      { email: 'ada@a.example' },
    ];
    expect((await post(source.url, source.simulated.post({ outcomes }))).body).toMatchObject({ ignored: 4 });
    const { ignored } = await house.find(owner, source.at);
    expect(ignored.map(({ reason }) => reason).sort()).toEqual([
      'in_the_future',
      'invalid_email_address',
      'not_readable',
      'too_old',
    ]);
  });

  it('limits the rate of one source, and tells the provider to send again', async () => {
    const [source, other] = [await house.sourceOf(owner), await house.sourceOf(owner)];
    const { outcomeSourceRequestsPerSecond: perSecond, rateWindowMs } = limits;
    const redis = new Redis(test.house.redisUrl);
    const windows = createRateLimiter(redis, 'gateway');
    const sent = (to: typeof source) => post(to.url, to.simulated.post({ outcomes: [] }));
    let refused: Awaited<ReturnType<typeof sent>> | undefined;
    // A busy machine cannot send so many requests in a second, so they are only counted.
    for (let tries = 0; tries < 20 && refused?.status !== 429; tries += 1) {
      await Promise.all(
        Array.from({ length: perSecond }, () =>
          windows.admit(source.source_id, randomUUID(), perSecond, rateWindowMs),
        ),
      );
      refused = await sent(source);
    }
    redis.disconnect();
    expect(refused && codeOf(refused)).toEqual([429, 'too_many_requests']);
    expect((await sent(other)).status).toBe(200);
  });

  it('has a URL that no other method opens', async () => {
    const { url } = await house.sourceOf(owner);
    for (const method of ['GET', 'PUT', 'DELETE']) {
      expect((await fetch(url, { method })).status).toBe(405);
    }
  });

  it('is not confused by a key in the account’s settings', async () => {
    // The API key of the account opens no source.
    const { key } = simulatedProviders.json();
    const { url } = await house.sourceOf(owner);
    const headers = { ...json, 'x-api-key': customer.apiKey, authorization: `Bearer ${key}` };
    expect(codeOf(await post(url, { headers, body: '{}' }))).toEqual([401, 'outcome_signature_not_valid']);
  });
});

describe('what two other accounts agree on', () => {
  /** Two accounts report the same delivery, one to a URL and one in a file. */
  async function confirmedBy(email: string, accounts: readonly Customer[]): Promise<unknown> {
    for (const [index, { accountId }] of accounts.entries()) {
      const person = await (await test.owner({ accountId })).signIn();
      if (index === 0) {
        const source = await house.sourceOf(person);
        const outcomes = [{ email, outcome: 'delivered', date }];
        expect((await post(source.url, source.simulated.post({ outcomes }))).body).toMatchObject({
          recorded: 1,
        });
      } else {
        const csv = `email,outcome,date\n${email},delivered,${date}\n`;
        const upload = await person.post('/outcomes', csv, { 'content-type': 'text/csv' });
        expect(upload.body).toMatchObject({ recorded: 1 });
      }
    }
    return (await customer.validate(email)).body['result'];
  }

  it.each([
    ['does not confirm an address if they are on the free plan', 'free', 'catch_all'],
    ['confirms it if both have paid', 'starter', 'catch_all_validated'],
  ] as const)('%s', async (_name, plan, result) => {
    const accounts = [await test.open({ plan }), await test.open({ plan })];
    expect(await confirmedBy(`agreed.${plan}@catch-all.example`, accounts)).toBe(result);
  });

  it('does not confirm it if one has paid and the other has not', async () => {
    const accounts = [await test.open({ plan: 'starter' }), await test.open({ plan: 'free' })];
    expect(await confirmedBy('agreed.alone@catch-all.example', accounts)).toBe('catch_all');
  });

  it('counts if the payment of an account has lapsed: it has paid', async () => {
    const accounts = [await test.open({ plan: 'starter' }), await test.open({ plan: 'starter' })];
    const [now, graceDays] = [new Date(), 7];
    for (const { accountId } of accounts) {
      for (const step of [
        (billing: Billing) => pay(billing, now, 1, graceDays),
        (billing: Billing) => lapse(billing, now),
      ]) {
        await test.operator.billing.change(accountId as AccountId, step, { now, graceDays });
      }
      expect((await test.operator.billing.read(accountId as AccountId))?.billing.plan).toBe('free');
    }
    expect(await confirmedBy('agreed.once@catch-all.example', accounts)).toBe('catch_all_validated');
  });
});
