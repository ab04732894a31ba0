import { describe, expect, it } from '@jest/globals';
import { isAddressOfCrm, pushSourceOf } from './crms.ts';

describe('the address of a CRM', () => {
  it.each(['https://app.hubspot.com/oauth/authorize?x=1', 'http://127.0.0.1:4310/oauth', 'http://[::1]:1/'])(
    'is gone to: %s',
    address => expect(isAddressOfCrm(address)).toBe(true),
  );

  it.each(['javascript:alert(1)', 'http://hubspot.example/', 'data:text/html,x', '/oauth', ''])(
    'is not gone to: %s',
    address => expect(isAddressOfCrm(address)).toBe(false),
  );
});

const lists = [
  { list_id: 'list_1', kind: 'people' },
  { list_id: 'list_2', kind: 'companies' },
] as const;

it('names the rows of a URL: all saved people, a list of either kind, or the good rows of a job', () => {
  const named = (rows: string) => pushSourceOf(rows, lists, true);
  expect(named('saved_people')).toEqual({ kind: 'saved_people' });
  expect(named('list_1')).toEqual({ kind: 'saved_people', list_id: 'list_1' });
  expect(named('list_2')).toEqual({ kind: 'saved_companies', list_id: 'list_2' });
  expect(named('vjob_1')).toMatchObject({ job_id: 'vjob_1', results: ['ok', 'catch_all_validated'] });
  expect(pushSourceOf('vjob_1', lists, false)).not.toHaveProperty('results');
});

it('names none for an unknown value in the URL', () => {
  for (const rows of [undefined, '', 'list_3', 'anything'])
    expect(pushSourceOf(rows, lists, true)).toBeUndefined();
});
