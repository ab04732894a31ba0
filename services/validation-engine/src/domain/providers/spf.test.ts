import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readSpf } from './spf.ts';

describe('an SPF record', () => {
  test.each([
    ['v=spf1 include:_spf.google.com ~all', { includes: ['_spf.google.com'] }],
    ['v=spf1', { includes: [] }],
    ['V=SPF1 mx  +Include:SPF.Protection.Outlook.com. -ALL', { includes: ['spf.protection.outlook.com'] }],
    ['v=spf1 redirect=_spf.yandex.net', { includes: [], redirect: '_spf.yandex.net' }],
    ['v=spf1 redirect=_spf.yandex.net ~all', { includes: [] }],
    ['v=spf1 -include:bad.example include:%{i}.spf.example include:nodots a -all', { includes: [] }],
  ])('%s names %o', (record, spf) => {
    expect(readSpf(['something else', record])).toEqual(spf);
  });

  test.each([
    ['none', ['google-site-verification=x']],
    ['another version', ['v=spf10 include:_spf.google.com -all']],
    ['two of them', ['v=spf1 include:_spf.google.com -all', 'v=spf1 include:zoho.com -all']],
    ['an endless one', [`v=spf1 ${'include:a.example '.repeat(1_000)}`]],
  ])('that is %s names nothing', (_what, texts) => {
    expect(readSpf(texts)).toBeUndefined();
  });

  test('of any text is read within its bounds', () => {
    const term = fc.oneof(
      fc.string(),
      fc.domain().map(name => `include:${name}`),
      fc.constant('redirect=a.example'),
    );
    fc.assert(
      fc.property(fc.array(term, { maxLength: 100 }), terms => {
        const spf = readSpf([`v=spf1 ${terms.join(' ')}`]);
        expect(spf?.includes.length ?? 0).toBeLessThan(64);
        expect(spf?.includes.every(name => name.length <= 253) ?? true).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});
