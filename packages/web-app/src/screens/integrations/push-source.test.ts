import { expect, it } from '@jest/globals';
import { pushSourceOf } from './push-source.ts';

const lists = [
  { list_id: 'list_1', kind: 'people' },
  { list_id: 'list_2', kind: 'companies' },
] as const;

it('names the rows of an address: everybody, a list of either kind, or the good rows of a job', () => {
  const named = (rows: string) => pushSourceOf(rows, lists, true);
  expect(named('saved_people')).toEqual({ kind: 'saved_people' });
  expect(named('list_1')).toEqual({ kind: 'saved_people', list_id: 'list_1' });
  expect(named('list_2')).toEqual({ kind: 'saved_companies', list_id: 'list_2' });
  expect(named('vjob_1')).toMatchObject({ job_id: 'vjob_1', results: ['ok', 'catch_all_validated'] });
  expect(pushSourceOf('vjob_1', lists, false)).not.toHaveProperty('results');
});

it('names none where an address says nothing that there is', () => {
  for (const rows of [undefined, '', 'list_3', 'anything'])
    expect(pushSourceOf(rows, lists, true)).toBeUndefined();
});
