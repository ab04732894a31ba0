import { expect, it } from '@jest/globals';
import { foundLists, tagsOf } from './lists.ts';

const lists = [
  { name: 'Spring campaign', tags: ['new', 'Berlin'] },
  { name: 'Autumn', tags: ['new'] },
];

it('finds lists by part of their name and by a tag', () => {
  const names = (sought: object) => foundLists(lists, sought).map(({ name }) => name);
  expect(names({})).toEqual(['Spring campaign', 'Autumn']);
  expect(names({ text: 'SPRING' })).toEqual(['Spring campaign']);
  expect(names({ tag: 'new', text: 'aut' })).toEqual(['Autumn']);
  expect(names({ tag: 'gone' })).toEqual([]);
});

it('names each tag once', () => {
  expect(tagsOf(lists)).toEqual(['Berlin', 'new']);
});
