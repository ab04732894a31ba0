import { describe, expect, it } from '@jest/globals';
import { eventSchema, nameInEvent, subscribedEventTypes } from './event.ts';
import { exampleEvent } from './event-examples.ts';
import { noticeWords } from './notice-words.ts';

describe('the words of a notice', () => {
  it.each([
    [29, 1, 30, 'The push is finished: 29 of 30 rows were delivered, and 1 failed.'],
    [1, 0, 1, 'The push is finished: 1 of 1 row was delivered.'],
  ])('count %i delivered and %i failed rows of %i as people do', (delivered, failed, total, text) => {
    const data = {
      export_id: 'exp_1',
      target: 'webhook',
      status: 'succeeded',
      rows: { delivered, failed, total },
    };
    expect(noticeWords({ type: 'export.finished', data }).text).toBe(text);
  });

  it('count one credit as one', () => {
    const data = { available: 1, held: 0, threshold: 5 };
    expect(noticeWords({ type: 'credits.low', data }).text).toBe(
      'Your account has 1 available credit and 0 held by work in progress: together less than its threshold of 5.',
    );
  });

  it('count one address as one', () => {
    const data = { job_id: 'vjob_1', state: 'succeeded', addresses: 1, done: 1, results: { ok: 1 } };
    expect(noticeWords({ type: 'validation_job.finished', data }).text).toBe(
      'The list with 1 address is finished. 1 has a result; 1 row is OK.',
    );
  });

  it('tell how many companies of a CRM are new on the list', () => {
    const { data } = exampleEvent('crm_import.finished');
    const intoList = { ...data, name: null, list_id: 'list_1', domains_added: 1 };
    expect(noticeWords({ type: 'crm_import.finished', data: intoList }).text).toBe(
      'The import of 120 records from a CRM is finished. 1 company was added to the list.',
    );
  });

  it.each(subscribedEventTypes.filter(type => type !== 'credits.low'))(
    'name what %s is about, in the subject and the text, and link to it',
    type => {
      const { data } = exampleEvent(type);
      const { name } = data as { name: string };
      const { subject, text, path } = noticeWords({ type, data });
      expect(subject).toContain(`“${name}”`);
      expect(text).toContain(`“${name}”`);
      expect(path).toMatch(/\/(?:vjob|exp|srch|crmimp|pimp)_[0-9a-f]{32}$/);
    },
  );

  it('cut a long name, so that the subject still says what happened', () => {
    const data = { ...exampleEvent('export.finished').data, name: 'n'.repeat(100) };
    expect(noticeWords({ type: 'export.finished', data }).subject).toBe(
      `Your export “${'n'.repeat(49)}…” is finished`,
    );
  });
});

describe('the name in an event', () => {
  it.each([
    ['customers.csv', 'customers.csv'],
    ['a\r\nBcc: eve@evil.example\r\n\r\n<b>', 'a Bcc: … <b>'],
    ['contacts of ada@ordinary.example', 'contacts of …'],
    ['\u202egpj.exe\u0000\u200b', 'gpj.exe'],
    ['x'.repeat(120), `${'x'.repeat(99)}…`],
    ['😀'.repeat(120), `${'😀'.repeat(99)}…`],
    [' \u2028 ', null],
    ['ada@one.example,bob@two.example.csv of May', '… of May'],
    ['a@b@c', '…'],
    ['Sales @ Berlin, @home, 5@', 'Sales @ Berlin, @home, 5@'],
    [`${'x'.repeat(98)}@ and more`, '…'],
    [`${'x'.repeat(90)} mail: y@ and more`, `${'x'.repeat(90)} mail: …`],
  ])('of %j is %j, and of that the same', (name, told) => {
    expect(nameInEvent(name)).toBe(told);
    if (told !== null) expect(nameInEvent(told)).toBe(told);
  });

  it('is one that every event takes, of any name', () => {
    const pieces = ['@', 'a', ' ', '\u00a0', '\u200b', 'e\u0301', '\u0338', '…', '😀', 'n'.repeat(40)];
    let seed = 7;
    const next = (below: number) => {
      seed = (seed * 48_271) % 2_147_483_647;
      return seed % below;
    };
    const { type, data } = exampleEvent('export.finished');
    for (let count = 0; count < 5_000; count += 1) {
      const name = nameInEvent(Array.from({ length: next(12) }, () => pieces[next(pieces.length)]).join(''));
      const event = { type, timestamp: '2026-11-30T10:00:00Z', data: { ...data, name } };
      expect([name, eventSchema(type).safeParse(event).success]).toEqual([name, true]);
    }
  });
});
