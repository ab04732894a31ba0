import { expect, it } from '@jest/globals';
import { outcomeOf, progressSentence } from './run-words.ts';

it('says how many records a run has delivered', () => {
  expect(outcomeOf({ kind: 'people', delivered: 1, spent: 1 })).toBe('1 person saved for 1 credit');
  expect(outcomeOf({ kind: 'lookalikes', delivered: 1_200, spent: 6_000 })).toBe(
    '1,200 companies fetched for 6,000 credits',
  );
  expect(outcomeOf({ kind: 'companies', delivered: 2, spent: 10 })).toBe('2 companies saved for 10 credits');
  expect(outcomeOf({ kind: 'people', delivered: 0, spent: null })).toBe('0 people saved for 0 credits');
});

it('shows the progress of a run, even before it has started', () => {
  const run = { kind: 'people', delivered: 0, requested: 1 } as const;
  expect(progressSentence({ ...run, state: 'queued' })).toBe('1 person queued.');
  expect(progressSentence({ ...run, state: 'running' })).toBe('0 of 1 person saved.');
});
