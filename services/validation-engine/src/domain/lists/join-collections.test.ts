import { expect, test } from '@jest/globals';
import { joinCollections } from './join-collections.ts';

test('two collections agree on what both name, and suspect what either names', () => {
  const first = ['both.example', 'fake.edu', 'first.example', 'freemail.example'];
  const second = [
    'a.example',
    'both.example',
    'free.example',
    'freemail.example',
    'school.edu',
    'second.example',
    'z.example',
  ];
  const personal = new Set(['freemail.example', 'free.example']);
  expect(joinCollections(first, second, personal)).toEqual({
    agreed: ['both.example'],
    // Free mail services and schools that only the second collection names do not count.
    suspected: [
      'a.example',
      'both.example',
      'fake.edu',
      'first.example',
      'freemail.example',
      'second.example',
      'z.example',
    ],
  });
  expect(joinCollections(first, [], personal)).toEqual({ agreed: [], suspected: first });
});
