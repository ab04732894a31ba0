import { describe, expect, it } from '@jest/globals';
import {
  delimiterName,
  faultSentence,
  reasonSentence,
  sheetsToRead,
  waitSentence,
  waitTitle,
} from './job-words.ts';

describe('why, in words', () => {
  it('exists for every rule and reason, and for unknown ones', () => {
    expect(faultSentence('at_sign_missing')).toBe('The @ is missing.');
    expect(faultSentence('constructor')).toBe('Not a valid address.');
    expect(reasonSentence('mailbox_missing')).toBe(
      'Its mail server reports that the mailbox does not exist.',
    );
    expect(reasonSentence('syntax')).toBe('The cell is not a valid email address.');
    expect(reasonSentence('not_finished')).toBe(
      'The validation was finished before the address had a result.',
    );
    expect(reasonSentence('a_new_reason')).toBe('a new reason');
  });
});

it('offers the sheet that was read, also if it is none of the first', () => {
  expect(sheetsToRead({ sheet: 'Plain', sheets: ['Plain', 'Second'] })).toEqual(['Plain', 'Second']);
  expect(sheetsToRead({ sheet: 'Last', sheets: ['Plain', 'Second'] })).toEqual(['Plain', 'Second', 'Last']);
});

describe('a wait', () => {
  const time = new Date();
  time.setHours(12, 40, 0, 0);
  const until = time.toISOString();
  const wait = {
    reason: 'greylisting',
    addresses: 5,
    rows: 6,
    next_at: until,
    until,
    mail_hosts: [
      { mail_host: 'mx.a.example', addresses: 3, next_at: until },
      { mail_host: 'mx.b.example', addresses: 1, next_at: until },
    ],
  } as const;

  it('says what for and until when, with its hosts and how many addresses other hosts have', () => {
    const said = { ...wait, mail_hosts: [...wait.mail_hosts] };
    expect(waitTitle(said)).toMatch(/^6 rows wait for greylisting until 12:40\sPM$/);
    expect(waitTitle({ ...said, reason: 'retry', rows: 1 })).toMatch(/^1 row is retried by 12:40\sPM$/);
    expect(waitSentence(said)).toMatch(
      /retry later.*Next attempt: 12:40\sPM\. Addresses by mail server: mx\.a\.example \(3\), mx\.b\.example \(1\), others \(1\)\.$/,
    );
  });
});

describe('delimiters of cells', () => {
  it.each([
    [';', 'semicolons'],
    ['\t', 'tabs'],
    ['', 'one cell per line'],
    ['!', 'the character !'],
  ])('%j is called %s', (delimiter, name) => {
    expect(delimiterName(delimiter)).toBe(name);
  });
});
