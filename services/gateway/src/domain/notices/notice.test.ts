import { describe, expect, it } from '@jest/globals';
import { limits, mailedFromSeconds, newId, type RecordedEvent } from '@mailproof/shared-types';
import { channelsFor, type Recipient, settingsOf, toldEventOf } from './notice.ts';
import { signStop, verifyStop } from './notice-mail.ts';

const accountId = newId('account');

function recorded(type: string, data: Record<string, unknown>): RecordedEvent {
  return {
    event_id: newId('event'),
    account_id: accountId,
    type,
    happened_at: '2026-11-27T10:00:00.000Z',
    data: { account_id: accountId, ...data },
  };
}

const finished = (seconds?: number) =>
  recorded('validation_job.finished', {
    job_id: newId('validationJob'),
    state: 'succeeded',
    addresses: 2,
    done: 2,
    failure: null,
    results: { ok: 2 },
    spent: 2,
    ...(seconds !== undefined && { seconds }),
  });
const low = () => recorded('credits.low', { available: 1, held: 0, threshold: 2 });
const imported = (data: Record<string, unknown>) =>
  recorded('crm_import.finished', {
    import_id: newId('crmImport'),
    job_id: newId('validationJob'),
    state: 'succeeded',
    failure: null,
    records: 3,
    rows_written: 0,
    seconds: 4_000,
    ...data,
  });
const recipient = (changed: unknown = null, mailed = 0): Recipient => ({
  userId: newId('user'),
  settings: settingsOf(changed),
  mailed,
});

function told(event: RecordedEvent, who = recipient(), canMail = true) {
  const known = toldEventOf(event);
  if (!known) throw new Error(`${event.type} is not known.`);
  return channelsFor(known, who, canMail);
}

describe('a user is told', () => {
  it.each([
    [undefined, false],
    [mailedFromSeconds - 1, false],
    [mailedFromSeconds, true],
  ])('of a list that took %s seconds in the application, and by mail: %s', (seconds, mail) => {
    expect(told(finished(seconds))).toEqual({ in_app: true, mail });
  });

  it('as the user chose, and as a type has it by default that the user has not changed', () => {
    const chosen = recipient({ 'credits.low': { in_app: false, mail: true } });
    expect(told(low(), chosen)).toEqual({ in_app: false, mail: true });
    expect(told(finished(mailedFromSeconds), chosen)).toEqual({ in_app: true, mail: true });
    const broken = recipient({ 'credits.low': { in_app: 'yes' }, 'of.a.newer.release': {} });
    expect(told(low(), broken)).toEqual({ in_app: true, mail: true });
  });

  it('in the application instead of by mail, if too many were mailed in the last hour', () => {
    const chosen = { 'credits.low': { in_app: false, mail: true } };
    expect(told(low(), recipient(chosen, limits.noticeMailsPerHourMax))).toEqual({
      in_app: true,
      mail: false,
    });
  });

  it('by no mail where none can be sent', () => {
    expect(told(low(), recipient(), false)).toEqual({ in_app: true, mail: false });
  });

  it('once of an import that ended with its job, and of every other end of an import', () => {
    expect(told(imported({}))).toEqual({ in_app: false, mail: false });
    for (const data of [
      { rows_written: 3 },
      { job_id: null, state: 'failed', failure: 'could_not_continue' },
      { state: 'cancelled' },
    ]) {
      expect(told(imported(data))).toEqual({ in_app: true, mail: true });
    }
  });

  it('of nothing that this release does not know', () => {
    expect(toldEventOf(recorded('of.a.newer.release', {}))).toBeUndefined();
    expect(toldEventOf(recorded('webhook_endpoint.test', { endpoint_id: newId('webhookEndpoint') }))).toBe(
      undefined,
    );
    expect(toldEventOf(recorded('credits.low', { available: 'many' }))).toBeUndefined();
  });
});

describe('the URL that stops mails', () => {
  const key = Buffer.alloc(32, 1);
  const userId = newId('user');
  const token = signStop(key, userId, 'credits.low');

  it('is valid for one user and one type', () => {
    expect(verifyStop(key, token)).toEqual({ userId, type: 'credits.low' });
    const forged = [
      token.replace('credits.low', 'export.finished'),
      token.replace(userId.slice(5), newId('user').slice(5)),
      signStop(Buffer.alloc(32, 2), userId, 'credits.low'),
      `${token}0`,
      token.slice(0, -1),
      '',
    ];
    expect(forged.map(each => verifyStop(key, each))).toEqual(forged.map(() => undefined));
  });
});
