import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { limits } from '../limits.ts';
import { peopleFacetNames, peopleFilters } from './people-filters.ts';

describe('the filters of people', () => {
  it('take white space, forms of letters and of domains for the same', () => {
    expect(
      peopleFilters.parse({
        job_titles: ['  Vice \n President '],
        cities: ['Ko\u0308ln'],
        countries: ['de'],
        company_domains: ['BÜCHER.example.'],
      }),
    ).toEqual({
      job_titles: ['Vice President'],
      cities: ['Köln'],
      countries: ['DE'],
      company_domains: ['xn--bcher-kva.example'],
    });
    expect(peopleFilters.parse({})).toEqual({});
    const company_founded = { min: 2_000, max: 2_000 };
    expect(peopleFilters.parse({ company_founded })).toEqual({ company_founded });
  });

  it('change nothing when they parse their own output', () => {
    const values = fc.array(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }), {
      minLength: 1,
      maxLength: 5,
    });
    const text = fc.record({ job_titles: values, countries: values, keywords: values }, { requiredKeys: [] });
    const domains = fc.array(fc.domain(), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(text, domains, (given, company_domains) => {
        const parsed = peopleFilters.safeParse({ ...given, company_domains });
        fc.pre(parsed.success);
        expect(peopleFilters.parse(parsed.data)).toEqual(parsed.data);
      }),
    );
  });

  it.each([
    { more: ['x'] },
    { job_titles: [] },
    { job_titles: ['\t '] },
    { job_titles: ['chief\u0000executive'] },
    { keywords: ['half a pair \ud83d'] },
    { cities: ['turned \u202eround'] },
    { job_titles: Array.from({ length: limits.filterValuesMax + 1 }, () => 'x') },
    { job_titles: ['x'.repeat(limits.filterValueCharactersMax + 1)] },
    { company_domains: ['nobody@example.com'] },
    { job_title_match: 'near' },
    { company_founded: {} },
    { company_founded: { min: limits.foundedYearMin - 1 } },
    { company_founded: { max: limits.foundedYearMax + 1 } },
    { company_founded: { min: 2_001, max: 2_000 } },
    { company_founded: { min: 2_000.5 } },
    { company_founded: { min: 2_000, mid: 2_000 } },
    { person_names: ['one two three four five six seven eight nine'] },
    { person_names: Array.from({ length: limits.personNamesMax + 1 }, () => 'Ada') },
  ])('refuse %j', filters => expect(peopleFilters.safeParse(filters).success).toBe(false));

  it('have a filter for each facet', () => {
    expect(Object.keys(peopleFilters.shape)).toEqual(expect.arrayContaining([...peopleFacetNames]));
  });
});
