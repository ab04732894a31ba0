import { expect, test } from '@jest/globals';
import { joinCollections } from './join-collections.ts';

test('two collections agree on what both name, and suspect what either names', () => {
  const first = new Set(['both.example', 'first.example', 'freemail.example', 'fake.edu']);
  const second = new Set([
    'both.example',
    'second.example',
    'freemail.example',
    'free.example',
    'school.edu',
  ]);
  const personal = new Set(['freemail.example', 'free.example']);
  expect(joinCollections(first, second, personal)).toEqual({
    agreed: new Set(['both.example']),
    // Free mail services and schools that only the second collection names do not count.
    suspected: new Set(['both.example', 'first.example', 'freemail.example', 'fake.edu', 'second.example']),
  });
});
