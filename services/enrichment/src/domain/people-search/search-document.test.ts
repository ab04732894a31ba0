import { describe, expect, it } from '@jest/globals';
import { wordsOfName } from '@mailproof/shared-types/name-words';
import fc from 'fast-check';
import { documentOf, startsAsked, startsOfName } from './search-document.ts';

/** Whether each asked word begins another word of the name, by trying every choice. */
function canPlace([asked, ...others]: readonly string[], held: readonly string[]): boolean {
  return (
    asked === undefined ||
    held.some((word, at) => word.startsWith(asked) && canPlace(others, held.toSpliced(at, 1)))
  );
}

describe('the beginnings of names', () => {
  it('decide whether each asked word begins another word of a name', () => {
    const name = fc
      .array(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '𝒳', ' ', '-'), maxLength: 4 }), {
        maxLength: 4,
      })
      .map(words => words.join(' '));
    fc.assert(
      fc.property(name, name, (held, asked) => {
        const starts = new Set(startsOfName(held));
        const needed = startsAsked(asked);
        const expected = wordsOfName(asked).length > 0 && canPlace(wordsOfName(asked), wordsOfName(held));
        expect(needed.length > 0 && needed.every(each => starts.has(each))).toBe(expected);
      }),
      { numRuns: 1_000 },
    );
  });
});

it('has the parts of keywords that are not whole ones', () => {
  const person = {
    ...{ personNo: 7, fullName: 'Zoë', jobTitle: null, seniority: null, department: null, companyNo: null },
    ...{ companyName: null, country: null, region: null, city: null },
    keywords: ['Applied machine learning', 'Learning', 'one two three four five six seven'],
  };
  const { keyword_parts: parts } = documentOf(person, undefined);
  expect(parts.filter(part => /machine|applied|learning/.test(part))).toEqual([
    ...['applied', 'applied machine', 'machine', 'machine learning'],
  ]);
  expect(parts.filter(part => part.split(' ').length === 6)).toEqual([
    'one two three four five six',
    'two three four five six seven',
  ]);
  expect(new Set(parts).size).toBe(parts.length);
});

describe('a document', () => {
  it('has one key for spellings of a value, and no value that a facet could not show', () => {
    const document = documentOf(
      {
        ...{
          personNo: 7,
          fullName: 'Zoë Straßer',
          jobTitle: 'C.E.O.',
          seniority: 'cxo',
          department: 'magic',
        },
        ...{ companyNo: 3, companyName: 'ignored', country: 'DE', region: null, city: ' ' },
        keywords: ['Node.js', 'node js', 'C++'],
      },
      undefined,
    );
    expect(document).toMatchObject({
      ...{
        seniorities: 'cxo',
        departments: undefined,
        countries: 'de',
        cities: undefined,
        regions: undefined,
      },
      ...{ keywords: ['node js', 'cplusplus'], company_no: 3, company_name: undefined },
      known_lists: 'keywords',
      spelled: { keywords: ['Node.js', 'node js', 'C++'], job_titles: ['C.E.O.'] },
    });
  });
});
