import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  getNoticeSettings,
  limits,
  listNotices,
  markNoticeRead,
  newId,
  noticeDefaults,
  putNoticeSettings,
  stopNoticeMail,
} from '@mailproof/shared-types';
import pg from 'pg';
import { codeOf } from '../endpoints-in.ts';
import { openSharedHouse, type Person, type TestHouse } from '../house.ts';
import { describeOperation } from '../operation-suite.ts';
import { until } from '../until.ts';

let test: TestHouse;
let dispatcher: pg.Pool;
let gateway: pg.Pool;

beforeAll(async () => {
  test = await openSharedHouse();
  const { databaseUrls } = test.house;
  dispatcher = new pg.Pool({
    connectionString: databaseUrls['dispatcher']?.migrationDatabaseUrl ?? '',
  });
  gateway = new pg.Pool({ connectionString: databaseUrls['gateway']?.migrationDatabaseUrl ?? '' });
}, 120_000);

afterAll(async () => {
  await Promise.all([dispatcher?.end(), gateway?.end()]);
  await test?.stop();
});

const signedIn = async () => (await test.owner()).signIn();

/** Records an event of the account in the dispatcher, as if the ledger had told it. */
async function lowCredits(accountId: string, eventId: string = newId('event')): Promise<string> {
  await dispatcher.query(
    "INSERT INTO dispatcher.event (event_id, account_id, type, data, happened_at) VALUES ($1, $2, 'credits.low', $3, now())",
    [eventId, accountId, JSON.stringify({ account_id: accountId, available: 1, held: 0, threshold: 2 })],
  );
  return eventId;
}

const read = async (person: Person, query = '') =>
  listNotices.success.schema.parse((await person.get(`/notices${query}`)).body);
const untilTold = (person: Person, count: number) =>
  until(
    `${count} notices`,
    () => read(person),
    ({ notices }) => notices.length >= count,
  );
const stopUrlOf = (text: string) => /\/app\/notices\/stop#token=(\S+)/.exec(text)?.[1] ?? '';

describeOperation(listNotices, {
  async success() {
    const customer = await test.open({ credits: 2 });
    const owner = await (await test.owner({ accountId: customer.accountId })).signIn();
    expect(await read(owner)).toEqual({ notices: [], unread: 0 });
    await owner.put('/credit-threshold', { threshold: 2 });
    await customer.validate('ada@ordinary.example');
    const { notices, unread } = await untilTold(owner, 1);
    expect(notices).toMatchObject([
      { type: 'credits.low', read: false, data: { account_id: owner.accountId, threshold: 2 } },
    ]);
    expect(unread).toBe(1);
    const second = await lowCredits(owner.accountId);
    await untilTold(owner, 2);
    const page = await read(owner, '?limit=1');
    expect(page.notices.map(each => each.event_id)).toEqual([second]);
    const rest = await read(owner, `?limit=1&cursor=${encodeURIComponent(page.next_cursor ?? '')}`);
    expect(rest.notices).toEqual(notices);
    expect(rest.next_cursor).toBeUndefined();
  },
  async badInput() {
    const owner = await signedIn();
    expect(codeOf(await owner.get('/notices?limit=0'))).toEqual([400, 'invalid_request']);
    expect(codeOf(await owner.get('/notices?cursor=12'))).toEqual([400, 'invalid_cursor']);
  },
  noCredentials: async () =>
    expect(codeOf(await test.stranger().get('/notices'))).toEqual([401, 'not_signed_in']),
  async anotherTenant() {
    const [owner, other] = [await signedIn(), await signedIn()];
    await lowCredits(owner.accountId);
    await untilTold(owner, 1);
    expect(await read(other)).toEqual({ notices: [], unread: 0 });
  },
});

describeOperation(markNoticeRead, {
  async success() {
    const owner = await signedIn();
    const member = await test.member(owner);
    const ids: string[] = [];
    for (const count of [1, 2, 3]) {
      ids.push(await lowCredits(owner.accountId));
      await untilTold(owner, count);
    }
    await untilTold(member, 3);
    const [first = '', second = ''] = ids;
    const mark = async (id: string, body: object) =>
      markNoticeRead.success.schema.parse((await owner.post(`/notices/${id}/read`, body)).body);
    expect(await mark(first, {})).toEqual({ unread: 2 });
    expect(await mark(first, {})).toEqual({ unread: 2 });
    // The third came later, and stays unread.
    expect(await mark(second, { and_older: true })).toEqual({ unread: 1 });
    expect((await read(owner)).notices.map(each => each.read)).toEqual([false, true, true]);
    expect((await read(member)).unread).toBe(3);
  },
  async badInput() {
    const owner = await signedIn();
    expect(codeOf(await owner.post('/notices/evt_1/read', {}))).toEqual([400, 'invalid_request']);
    expect(codeOf(await owner.post(`/notices/${newId('event')}/read`, {}))).toEqual([
      404,
      'notice_not_found',
    ]);
  },
  noCredentials: async () =>
    expect(codeOf(await test.stranger().post(`/notices/${newId('event')}/read`, {}))).toEqual([
      401,
      'not_signed_in',
    ]),
  async anotherTenant() {
    const [owner, other] = [await signedIn(), await signedIn()];
    const id = await lowCredits(owner.accountId);
    await untilTold(owner, 1);
    expect(codeOf(await other.post(`/notices/${id}/read`, { and_older: true }))).toEqual([
      404,
      'notice_not_found',
    ]);
    expect((await read(owner)).unread).toBe(1);
  },
});

describeOperation(getNoticeSettings, {
  async success() {
    const owner = await signedIn();
    expect((await owner.get('/notice-settings')).body).toEqual({ settings: noticeDefaults, can_mail: true });
  },
  badInput: async () =>
    expect(codeOf(await (await signedIn()).get('/notice-settings?of=me'))).toEqual([400, 'invalid_request']),
  noCredentials: async () =>
    expect(codeOf(await test.stranger().get('/notice-settings'))).toEqual([401, 'not_signed_in']),
  anotherTenant: { cannotHappen: 'The answer is about the signed-in user, and names no other.' },
});

describeOperation(putNoticeSettings, {
  async success() {
    const owner = await signedIn();
    const member = await test.member(owner);
    const off = { in_app: false, mail: false };
    const { body } = await owner.put('/notice-settings', { settings: { 'credits.low': off } });
    expect(body).toEqual({ settings: { ...noticeDefaults, 'credits.low': off }, can_mail: true });
    expect((await owner.get('/notice-settings')).body).toEqual(body);
    expect((await member.get('/notice-settings')).body).toMatchObject({ settings: noticeDefaults });
    await lowCredits(owner.accountId);
    await untilTold(member, 1);
    await test.mail(member.email, 2);
    expect(await read(owner)).toEqual({ notices: [], unread: 0 });
    expect(await test.mails(owner.email)).toEqual([]);
  },
  async badInput() {
    const owner = await signedIn();
    for (const settings of [
      undefined,
      { 'credits.low': true },
      { 'credits.low': { in_app: true } },
      { 'webhook_endpoint.test': { in_app: true, mail: true } },
    ]) {
      expect(codeOf(await owner.put('/notice-settings', { settings }))).toEqual([400, 'invalid_request']);
    }
  },
  noCredentials: async () =>
    expect(codeOf(await test.stranger().put('/notice-settings', { settings: {} }))).toEqual([
      401,
      'not_signed_in',
    ]),
  anotherTenant: { cannotHappen: 'The settings are those of the signed-in user, and name no other.' },
});

describeOperation(stopNoticeMail, {
  async success() {
    const owner = await signedIn();
    await lowCredits(owner.accountId);
    const mail = await test.mail(owner.email);
    const token = stopUrlOf(mail.text);
    // As RFC 8058 says: a form, without a session and without the headers of a page.
    const answer = await fetch(`${test.house.gatewayUrls[0]}/app/v1/notice-mail/${token}`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: 'List-Unsubscribe=One-Click',
    });
    expect([answer.status, await answer.json()]).toEqual([200, { done: true }]);
    const { body } = await owner.get('/notice-settings');
    expect(body['settings']).toEqual({ ...noticeDefaults, 'credits.low': { in_app: true, mail: false } });
    await lowCredits(owner.accountId);
    await untilTold(owner, 2);
    expect(await test.mails(owner.email)).toHaveLength(1);
  },
  async badInput() {
    const stranger = test.stranger();
    for (const token of ['x', 'mp_stop_', `mp_stop_${'0'.repeat(32)}-credits.low-${'0'.repeat(64)}`]) {
      expect(codeOf(await stranger.post(`/notice-mail/${token}`, {}))).toEqual([404, 'notice_not_found']);
    }
    expect(codeOf(await stranger.post(`/notice-mail/${'x'.repeat(201)}`, {}))).toEqual([
      400,
      'invalid_request',
    ]);
  },
  noCredentials: { cannotHappen: 'The URL of the mail is the credential, and bad input shows its refusal.' },
  async anotherTenant() {
    const [owner, other] = [await signedIn(), await signedIn()];
    await lowCredits(owner.accountId);
    const token = stopUrlOf((await test.mail(owner.email)).text);
    const another = token.replace(owner.userId.slice(5), other.userId.slice(5));
    expect(codeOf(await test.stranger().post(`/notice-mail/${another}`, {}))).toEqual([
      404,
      'notice_not_found',
    ]);
    expect((await other.get('/notice-settings')).body).toMatchObject({ settings: noticeDefaults });
  },
});

describe('a notice', () => {
  it('has one mail with one id, however often its event is taken over', async () => {
    const owner = await signedIn();
    const id = await lowCredits(owner.accountId);
    await test.mail(owner.email);
    await lowCredits(owner.accountId, id);
    await until(
      'the event to be taken over',
      () => dispatcher.query('SELECT FROM dispatcher.event WHERE event_id = $1', [id]),
      ({ rowCount }) => rowCount === 0,
    );
    expect((await read(owner)).notices.map(each => each.event_id)).toEqual([id]);
    const mails = await test.mails(owner.email);
    expect(mails).toHaveLength(1);
    const [mail] = mails;
    expect(mail?.headers['message-id']).toContain(id);
    expect(mail?.headers['list-unsubscribe-post']).toBe('List-Unsubscribe=One-Click');
    expect(mail?.headers['list-unsubscribe']).toMatch(/^<https?:\S+\/app\/v1\/notice-mail\/mp_stop_\S+>$/);
    expect(mail?.text).toContain('/app/account/notices');
  });

  it('is mailed with the name of what has ended, as text, and its link', async () => {
    const owner = await signedIn();
    const jobId = newId('validationJob');
    const record = (name: string) =>
      dispatcher.query(
        "INSERT INTO dispatcher.event (event_id, account_id, type, data, happened_at) VALUES ($1, $2, 'validation_job.needs_credits', $3, now())",
        [
          newId('event'),
          owner.accountId,
          {
            account_id: owner.accountId,
            job_id: jobId,
            name,
            state: 'running',
            addresses: 2,
            done: 0,
            required: 2,
          },
        ],
      );
    // No service records such names, and the gateway tells none of them.
    await record('a\r\nBcc: eve@evil.example');
    await record('ada@ordinary.example');
    await record('<b>Käse</b>.csv');
    const mail = await test.mail(owner.email);
    expect(mail.subject).toBe('Your list “<b>Käse</b>.csv” needs credits');
    expect((await read(owner)).notices).toHaveLength(1);
    expect(mail.text).toContain(`/app/validations/${jobId}`);
    expect(mail.html).toContain('&lt;b&gt;Käse&lt;/b&gt;.csv');
    expect(mail.html).not.toContain('<b>');
  });

  it('opens a page where a program that knows no one-click stop opens its URL in a browser', async () => {
    const answer = await fetch(`${test.house.gatewayUrls[0]}/app/v1/notice-mail/mp_stop_a-b`, {
      redirect: 'manual',
    });
    expect([answer.status, answer.headers.get('location')]).toEqual([
      302,
      '/app/notices/stop#token=mp_stop_a-b',
    ]);
  });

  it('replaces the oldest of as many as are kept', async () => {
    const owner = await signedIn();
    await gateway.query(
      `INSERT INTO gateway.notice (user_id, event_id, type, data, happened_at, in_app, created_at)
       SELECT $1, 'old_' || i, 'credits.low', '{}', now(), true, now() FROM generate_series(1, $2::int) i`,
      [owner.userId, limits.noticesPerUserMax],
    );
    const id = await lowCredits(owner.accountId);
    const { rows } = await until(
      'the notice',
      () =>
        gateway.query('SELECT event_id FROM gateway.notice WHERE user_id = $1 ORDER BY notice_no', [
          owner.userId,
        ]),
      found => found.rows.at(-1)?.event_id === id,
    );
    expect(rows).toHaveLength(limits.noticesPerUserMax);
    expect(rows[0]).toEqual({ event_id: 'old_2' });
  });

  it('is exported with the account, and deleted with its user', async () => {
    const owner = await signedIn();
    const member = await test.member(owner);
    const id = await lowCredits(owner.accountId);
    await untilTold(member, 1);
    const notices = () =>
      gateway.query('SELECT user_id FROM gateway.notice WHERE event_id = $1 ORDER BY user_id', [id]);
    expect((await notices()).rows).toHaveLength(2);
    expect((await owner.delete(`/members/${member.userId}`)).status).toBe(200);
    expect((await notices()).rows).toEqual([{ user_id: owner.userId }]);
  });
});
