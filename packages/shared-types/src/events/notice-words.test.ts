import { describe, expect, it } from '@jest/globals';
import { nameInEvent, subscribedEventTypes } from './event.ts';
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

  it('count one address as one', () => {
    const data = { job_id: 'vjob_1', state: 'succeeded', addresses: 1, done: 1, results: { ok: 1 } };
    expect(noticeWords({ type: 'validation_job.finished', data }).text).toBe(
      'The list with 1 address is finished. 1 has a result; 1 row is OK.',
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
      expect(path).toMatch(/\/(?:vjob|exp|srch|crmimp)_[0-9a-f]{32}$/);
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
  ])('of %j is %j', (name, told) => {
    expect(nameInEvent(name)).toBe(told);
  });
});
