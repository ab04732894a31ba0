import { describe, expect, test } from '@jest/globals';
import { findOutcomeColumns } from './outcome-columns.ts';

describe('the columns of a file of outcomes', () => {
  test.each([
    ['email,outcome', { email: 0, outcome: 1 }],
    ['Status,E-Mail', { email: 1, outcome: 0 }],
    ['email,event,timestamp,reason,status', { email: 0, outcome: 4, date: 2, text: 3 }],
    [
      'Recipient Address,Event Type,Event Time,SMTP Code,Diagnostic-Code',
      { email: 0, outcome: 1, date: 2, code: 3, text: 4 },
    ],
    [
      'email_address,result,date,enhanced_status_code,dsn_text',
      { email: 0, outcome: 1, date: 2, code: 3, text: 4 },
    ],
    ['to,state', { email: 0, outcome: 1 }],
  ])('%s', (header, columns) => {
    const nothing = { date: undefined, code: undefined, text: undefined };
    expect(findOutcomeColumns(header.split(','))).toEqual({ columns: { ...nothing, ...columns } });
  });

  test.each([
    ['name,outcome', 'no column for the address'],
    ['email,color', 'no column for the outcome'],
    ['ada@a.example,delivered', 'Its columns are: "ada@a.example", "delivered".'],
    [',', 'Its columns are: "", "".'],
  ])('%s: %s', (header, words) => {
    expect(findOutcomeColumns(header.split(','))).toEqual({ fault: expect.stringContaining(words) });
  });

  test('are not repeated at length', () => {
    const found = findOutcomeColumns(Array.from({ length: 10_000 }, () => 'x'.repeat(1_000)));
    expect('fault' in found && found.fault.length).toBeLessThan(1_100);
  });
});
