import { expect, it } from '@jest/globals';
import { filterQuery, filtersOfCompanies, filtersSet, foundLists, savedSearch, tagsOf } from './filters.ts';

it('reads the valid values from a URL', () => {
  const search = savedSearch({
    text: '  ada ',
    seniority: 'emperor',
    department: 'sales',
    company: 365,
    country: 'DE',
    sort: 'name',
    open: 'pers_1',
    other: 'x',
  });
  expect(search).toEqual({
    text: 'ada',
    seniority: undefined,
    department: 'sales',
    company: '365',
    country: 'DE',
    sort: 'name',
    open: 'pers_1',
  });
  expect(filterQuery(search)).toEqual({
    text: 'ada',
    department: 'sales',
    company: '365',
    country: 'DE',
    sort: 'name',
  });
  expect(filtersSet(search)).toBe(4);
});

it('selects companies only by what they have', () => {
  const search = savedSearch({ text: 'ada', department: 'sales', country: 'DE', sort: 'job_title' });
  expect(filterQuery(filtersOfCompanies(search))).toEqual({ text: 'ada', country: 'DE' });
  expect(filtersOfCompanies({ ...search, sort: 'company_size' }).sort).toBe('company_size');
});

it('sends no filter if none is set', () => {
  const search = savedSearch({ country: 'Germany', sort: 'saved_at', text: '' });
  expect([filterQuery(search), filtersSet(search)]).toEqual([{}, 0]);
});

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
