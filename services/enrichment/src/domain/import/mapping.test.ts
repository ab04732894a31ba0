import { describe, expect, it } from '@jest/globals';
import { decideMapping } from './mapping.ts';
import { readPersonRow } from './read-row.ts';

const profile = 'https://www.linkedin.com/in/ada-example';

/** Three rows with the same columns; `#` in a value is the number of the row. */
function rowsOf(row: Readonly<Record<string, string>>): Record<string, string>[] {
  return [1, 2, 3].map(n =>
    Object.fromEntries(Object.entries(row).map(([column, value]) => [column, value.replaceAll('#', `${n}`)])),
  );
}

function mappingOf(
  kind: 'companies' | 'people',
  row: Readonly<Record<string, string>>,
  asked: { column: string; field: string }[] = [],
) {
  return decideMapping(kind, Object.keys(row), rowsOf(row), asked);
}

describe('the mapping of columns', () => {
  const personWithSite = {
    Name: 'Ada Example',
    LinkedIn: `${profile}-#`,
    Company: 'Firm #',
    Website: 'https://firm#.test/',
  };

  it('keeps what the user has mapped, even if a website looks like the employer’s', () => {
    expect(mappingOf('people', personWithSite)).toMatchObject({ company_domain: 'Website' });
    const asked = [{ column: 'Website', field: 'website' }];
    expect(mappingOf('people', personWithSite, asked)).toMatchObject({ website: 'Website' });
    expect(mappingOf('people', personWithSite, asked)).not.toHaveProperty('company_domain');
  });

  it('takes headquarters in a file of people for the company’s, not for the person’s place', () => {
    const { Website: _site, ...person } = personWithSite;
    const row = { ...person, 'Company Domain': 'firm#.test', 'HQ City': 'Berlin', 'HQ Country': 'Germany' };
    const mapping = mappingOf('people', row);
    expect(mapping).toMatchObject({ company_city: 'HQ City', company_country: 'HQ Country' });
    expect(mapping).not.toHaveProperty('country');
    expect(mapping).not.toHaveProperty('city');
  });

  it('loads a file that shares some columns with an export of Crunchbase', () => {
    const row = {
      'Organization Name': 'Firm #',
      URL: 'https://firm#.test/',
      'Headquarters Location': 'Berlin, Germany',
    };
    expect(mappingOf('companies', row)).toEqual({
      name: 'Organization Name',
      website: 'URL',
      location: 'Headquarters Location',
    });
  });

  it('is decided within a second of CPU for hundreds of columns', () => {
    const others = Array.from({ length: 300 }, (_, n) => [`Other ${n}`, `Text ${n} of row #`]);
    const startedAt = process.cpuUsage();
    mappingOf('people', { ...personWithSite, ...Object.fromEntries(others) });
    expect(process.cpuUsage(startedAt).user).toBeLessThan(1_000_000);
  });
});

describe('the company in a row of a person', () => {
  const columns = ['profile_url', 'full_name', 'company_name', 'company_domain', 'company_profile_url'];
  const mapping = Object.fromEntries(columns.map(column => [column, column]));
  const employerOf = (values: Readonly<Record<string, string>>) => {
    const read = readPersonRow({ profile_url: profile, full_name: 'Ada Example', ...values }, mapping);
    return 'record' in read
      ? { employer: read.record.employer, domain: read.record.companyDomain, ignored: read.ignored }
      : read;
  };

  it('keeps its domain if its profile is that of a person', () => {
    expect(employerOf({ company_domain: 'firm.test', company_profile_url: profile })).toMatchObject({
      domain: 'firm.test',
      employer: { domain: 'firm.test', profileKey: null },
      ignored: ['company_profile_url'],
    });
  });

  it.each([
    ['https://www.firm.test', 'https://www.firm.test/'],
    ['http://firm.test/', 'http://firm.test/'],
    // Pages of a person, of a department, and a domain: none is the company's home page.
    ['https://people.firm.test/~ada', null],
    ['https://firm.test/team/ada', null],
    ['https://firm.test/?utm_source=ada', null],
    ['https://labs.firm.test/', null],
    ['firm.test', null],
  ])('has %s as its domain, and %s as its website', (text, website) => {
    expect(employerOf({ company_domain: text })).toMatchObject({
      employer: { domain: 'firm.test', website },
      ignored: [],
    });
  });

  it.each(['gmail.com', 'https://ada.wordpress.com', 'https://www.facebook.com/firm'])(
    'is not identified by %s',
    text => {
      expect(employerOf({ company_domain: text })).toMatchObject({ employer: null, domain: null });
    },
  );
});
