import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@mailproof/dev-house';
import pg from 'pg';
import { runCommand } from '../src/ops/program.ts';

/*
 * Files with the headers that each product documents or writes, 200 people at 40 companies. What a file has is loaded
 * without --map.
 */

const people = 200;
const employers = 40;

let database: TestDatabase;
let pool: pg.Pool;
let folder: string;

beforeAll(async () => {
  database = await createTestDatabase('enrichment');
  pool = new pg.Pool({ connectionString: database.ownerUrl, options: '-c search_path=enrichment' });
  folder = await mkdtemp(join(tmpdir(), 'mailproof-layouts-'));
});
afterAll(async () => {
  await pool.end();
  await database.drop();
  await rm(folder, { recursive: true, force: true });
});

type Cells = Readonly<Record<string, string>>;

interface Product {
  readonly layout: string;
  readonly row: (n: number) => Cells | object;
  readonly person?: object;
  /** Fields of the first company; null for what the file does not have. */
  readonly company: object;
}

const company = (n: number) => n % employers;
const profile = (n: number) => `https://www.linkedin.com/in/ada-${n}`;
const site = (n: number) => `https://www.firm-${company(n)}.test`;
const known = { name: 'Firm 0', domain: 'firm-0.test' };
const sized = { employee_count: 75, company_size: '51-200' };

const products: Readonly<Record<string, Product>> = {
  apollo: {
    layout: 'Apollo',
    row: n => ({
      'First Name': 'Ada',
      'Last Name': `Example ${n}`,
      Title: 'VP of Sales',
      'Company Name': `Firm ${company(n)}`,
      'Company Name for Emails': 'Firm',
      Email: `ada${n}@firm.test`,
      'Email Status': 'Verified',
      Seniority: 'C suite',
      Departments: 'C-Suite, Engineering & Technical',
      'Corporate Phone': '+1 555 0100',
      '# Employees': '75',
      Industry: 'computer software',
      Keywords: 'pumps, valves',
      'Person Linkedin Url': `http://www.linkedin.com/in/ada-${n}`,
      Website: site(n),
      'Company Linkedin Url': `http://www.linkedin.com/company/firm-${company(n)}`,
      City: 'Austin',
      State: 'Texas',
      Country: 'United States',
      'Company Address': '1 Main St, Berlin',
      'Company City': 'Berlin',
      'Company State': 'Berlin',
      'Company Country': 'Germany',
      'Company Phone': '+49 30 0100',
      'SEO Description': 'Makes pumps.',
      Technologies: 'Postgres',
      'Annual Revenue': '12500000',
      'Total Funding': '3000000',
      'Latest Funding': 'Series A',
    }),
    person: {
      full_name: 'Ada Example 0',
      seniority: 'cxo',
      department: 'engineering',
      country: 'US',
      region: 'Texas',
      city: 'Austin',
      website: null,
    },
    company: {
      ...known,
      ...sized,
      profile_key: 'linkedin.com/company/firm-0',
      website: 'https://www.firm-0.test/',
      description: 'Makes pumps.',
      keywords: ['pumps', 'valves'],
      technologies: ['Postgres'],
      industry: 'software',
      annual_revenue_usd: '12500000',
      funding_usd: '3000000',
      country: 'DE',
      region: 'Berlin',
      city: 'Berlin',
    },
  },
  pdl: {
    layout: 'People Data Labs',
    row: n => ({
      full_name: `Ada Example ${n}`,
      first_name: 'Ada',
      last_name: `Example ${n}`,
      linkedin_url: `linkedin.com/in/ada-${n}`,
      industry: 'computer software',
      job_title: 'chief technology officer',
      job_title_role: 'engineering',
      job_title_sub_role: 'software',
      job_title_levels: ['cxo'],
      job_company_name: `Firm ${company(n)}`,
      job_company_website: `firm-${company(n)}.test`,
      job_company_size: '51-200',
      job_company_employee_count: 75,
      job_company_founded: 1999,
      job_company_industry: 'computer software',
      job_company_type: 'private',
      job_company_inferred_revenue: '$10M-$25M',
      job_company_total_funding_raised: 3_000_000,
      job_company_linkedin_url: `linkedin.com/company/firm-${company(n)}`,
      job_company_location_country: 'germany',
      job_company_location_region: 'berlin',
      job_company_location_locality: 'berlin',
      job_company_location_name: 'berlin, berlin, germany',
      location_country: 'united states',
      location_region: 'texas',
      location_locality: 'austin',
      skills: ['pumps', 'sales'],
      linkedin_connections: 500,
      work_email: `ada${n}@firm.test`,
      experience: [{ company: { name: 'Firm' }, is_primary: true }],
    }),
    person: {
      seniority: 'cxo',
      department: 'engineering',
      country: 'US',
      region: 'texas',
      city: 'austin',
      keywords: ['pumps', 'sales'],
      connection_count: 500,
    },
    company: {
      ...known,
      ...sized,
      profile_key: 'linkedin.com/company/firm-0',
      founded_year: 1999,
      industry: 'software',
      company_type: 'private',
      funding_usd: '3000000',
      country: 'DE',
      region: 'berlin',
      city: 'berlin',
    },
  },
  crunchbase: {
    layout: 'Crunchbase',
    row: n => ({
      'Full Name': `Ada Example ${n}`,
      'Full Name URL': `https://www.crunchbase.com/person/ada-${n}`,
      'First Name': 'Ada',
      'Last Name': `Example ${n}`,
      'Primary Job Title': 'CEO',
      'Primary Organization': `Firm ${company(n)}`,
      'Primary Organization URL': `https://www.crunchbase.com/organization/firm-${company(n)}`,
      'Primary Organization Website': site(n),
      'Primary Organization Number of Employees': '51-200',
      'Primary Organization Estimated Revenue Range': 'Less than $1M',
      'Primary Organization Founded Date': 'May 1, 1999',
      'Primary Organization Headquarters Location': 'Austin, Texas, United States',
      LinkedIn: profile(n),
      Location: 'Austin, Texas, United States',
      'CB Rank (Person)': '1,200',
    }),
    person: { seniority: 'cxo', country: 'US', region: 'Texas', city: 'Austin' },
    company: {
      ...known,
      company_size: '51-200',
      revenue: '$0-1M',
      founded_year: 1999,
      country: 'US',
      region: 'Texas',
      city: 'Austin',
    },
  },
  salesNavigator: {
    layout: 'LinkedIn Sales Navigator',
    row: n => ({
      'First Name': 'Ada',
      'Last Name': `Example ${n}`,
      'Full Name': `Ada Example ${n}`,
      'Current Job': 'Head of Engineering',
      'Prospect Location': 'Berlin, Germany',
      'LinkedIn URL': profile(n),
      'Sales Navigator URL': `https://www.linkedin.com/sales/lead/ACwAABcDeFgHiJkLmNoPqRsTuVwX${n},NAME,x`,
      'Company Name': `Firm ${company(n)}`,
      'Company Website': site(n),
      'Company Domain': `firm-${company(n)}.test`,
      'Company Employee Count': '75',
      'Company Industry': 'Computer Software',
      'Company HQ Location': 'Berlin, Germany',
      'Company Year Founded': '1999',
      'Company Description': 'Makes pumps.',
      'Company Specialities': 'pumps, valves',
      'Company LinkedIn URL': `https://www.linkedin.com/company/firm-${company(n)}/`,
    }),
    person: { seniority: 'director', department: 'engineering', country: 'DE', city: 'Berlin' },
    company: {
      ...known,
      ...sized,
      profile_key: 'linkedin.com/company/firm-0',
      industry: 'software',
      founded_year: 1999,
      description: 'Makes pumps.',
      keywords: ['pumps', 'valves'],
      country: 'DE',
      city: 'Berlin',
    },
  },
  hubspot: {
    layout: 'HubSpot',
    row: n => ({
      'Record ID': String(1_000 + n),
      'First Name': 'Ada',
      'Last Name': `Example ${n}`,
      Email: `ada${n}@firm.test`,
      'Phone Number': '+1 555 0100',
      'Contact owner': 'Sales (sales@seller.test)',
      'Lead Status': 'Open',
      'Associated Company': `Firm ${company(n)}`,
      'Company Name': `Firm ${company(n)}`,
      'Job Title': 'Engineering Manager',
      'LinkedIn URL': profile(n),
      'Website URL': site(n),
      Industry: 'COMPUTER_SOFTWARE',
      'Number of Employees': '75',
      'Annual Revenue': '12500000',
      City: 'Austin',
      'State/Region': 'Texas',
      'Country/Region': 'United States',
    }),
    person: {
      seniority: 'manager',
      department: 'engineering',
      country: 'US',
      region: 'Texas',
      website: null,
    },
    company: { ...known, ...sized, industry: 'software', annual_revenue_usd: '12500000' },
  },
  salesforce: {
    layout: 'Salesforce',
    row: n => ({
      'First Name': 'Ada',
      'Last Name': `Example ${n}`,
      Title: 'Engineering Manager',
      'Company / Account': `Firm ${company(n)}`,
      Email: `ada${n}@firm.test`,
      Phone: '+1 555 0100',
      Website: site(n),
      Industry: 'Computer Software',
      'No. of Employees': '75',
      'Annual Revenue': '$12,500,000.00',
      Street: '1 Main St',
      City: 'Austin',
      'State/Province': 'Texas',
      Country: 'United States',
      'Lead Source': 'Web',
      'Lead Owner': 'Bob Seller',
      LinkedIn: profile(n),
    }),
    person: {
      seniority: 'manager',
      department: 'engineering',
      country: 'US',
      region: 'Texas',
      website: null,
    },
    company: { ...known, ...sized, industry: 'software', annual_revenue_usd: '12500000' },
  },
};

function csvOf(rows: readonly Cells[]): string {
  const header = Object.keys(rows[0] ?? {});
  const lines = [header, ...rows.map(row => header.map(column => row[column] ?? ''))];
  return lines.map(line => line.map(cell => `"${cell.replaceAll('"', '""')}"`).join(',')).join('\n');
}

async function load(name: string, content: string, date = '2026-01-01'): Promise<Record<string, unknown>> {
  await writeFile(join(folder, name), content);
  const terms = ['--source', name, '--licence', 'own data', '--date', date, '--json'];
  let output = '';
  const spies = [
    jest.spyOn(process.stdout, 'write').mockImplementation(chunk => {
      output += String(chunk);
      return true;
    }),
    jest.spyOn(process.stderr, 'write').mockReturnValue(true),
  ];
  try {
    await runCommand(['import', 'people', name, ...terms], {
      DATABASE_URL: database.databaseUrl,
      SUPPRESSION_HASH_KEY: 'a key for tests alone, 32 characters',
      INIT_CWD: folder,
    });
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
  return JSON.parse(output) as Record<string, unknown>;
}

async function forget(): Promise<void> {
  for (const table of ['person', 'company', 'import_run', 'removed_record', 'record_history', 'source']) {
    await pool.query(`DELETE FROM ${table}`);
  }
}

async function firstPersonAndCompany() {
  const { rows } = await pool.query(
    `SELECT row_to_json(person) AS person, row_to_json(company) AS company
     FROM person JOIN company USING (company_no) WHERE person.profile_key = 'linkedin.com/in/ada-0'`,
  );
  return rows[0] as { person: object; company: object };
}

describe('an export of people', () => {
  it.each(Object.entries(products))(
    'of %s brings its companies along, without --map',
    async (name, product) => {
      await forget();
      const rows = Array.from({ length: people }, (_, n) => product.row(n));
      const text =
        name === 'pdl' ? rows.map(row => JSON.stringify(row)).join('\n') : csvOf(rows as readonly Cells[]);
      const report = await load(name === 'pdl' ? `${name}.ndjson` : `${name}.csv`, text);
      expect(report).toMatchObject({
        layout: product.layout,
        added: people,
        refused: {},
        ignored: {},
        companies: { added: employers },
      });
      const stored = await firstPersonAndCompany();
      expect(stored.person).toMatchObject({ company_name: 'Firm 0', ...product.person });
      expect(bigintsAsText(stored.company)).toMatchObject(product.company);
      expect(JSON.stringify((await pool.query('SELECT * FROM person, company')).rows)).not.toMatch(
        /@(?:firm|seller)/,
      );
    },
  );

  it('keeps what is better known of a company: later values, and its name', async () => {
    await forget();
    const row = (n: number) => products['apollo']?.row(n) as Cells;
    await load('later.csv', csvOf([row(0)]), '2026-02-01');
    const older = { ...row(1), Website: site(0), '# Employees': '12', 'Company Name': 'FIRM ZERO' };
    const { companies } = await load('older.csv', csvOf([older]), '2026-01-15');
    expect(companies).toEqual({ added: 0, merged: 0 });
    const newer = { ...row(2), Website: site(0), '# Employees': '90', 'Company Name': 'Firm Zero Inc' };
    expect((await load('newer.csv', csvOf([newer]), '2026-03-01'))['companies']).toEqual({
      added: 0,
      merged: 1,
    });
    expect((await firstPersonAndCompany()).company).toMatchObject({ name: 'Firm 0', employee_count: 90 });
  });

  it('does not take the site of the employer for the person’s own, in a file of no known product', async () => {
    await forget();
    const rows = Array.from({ length: 5 }, (_, n) => ({
      Name: `Ada Example ${n}`,
      LinkedIn: profile(n),
      Company: `Firm ${n} GmbH`,
      Website: `https://firm${n}.test/about`,
      Employees: '12',
    }));
    const report = await load('plain.csv', csvOf(rows));
    expect(report).toMatchObject({ added: 5, companies: { added: 5 } });
    const stored = await firstPersonAndCompany();
    expect(stored.person).toMatchObject({ website: null });
    expect(stored.company).toMatchObject({ domain: 'firm0.test', name: 'Firm 0 GmbH', employee_count: 12 });
  });

  it('loads a company that only its profile identifies, and names it once a row does', async () => {
    await forget();
    const row = (n: number, name: string) => ({
      'First Name': 'Ada',
      'Last Name': `Example ${n}`,
      'LinkedIn URL': profile(n),
      'Sales Navigator URL': `https://www.linkedin.com/sales/lead/ACwAABcDeFgHiJkLmNoPqRsTuVwX${n}`,
      'Company Name': name,
      'Company LinkedIn URL': 'https://www.linkedin.com/company/firm-0/',
    });
    const unnamed = await load('unnamed.csv', csvOf([row(0, ''), row(1, '')]));
    expect(unnamed).toMatchObject({ added: 2, refused: {}, companies: { added: 1 } });
    expect((await firstPersonAndCompany()).company).toMatchObject({ name: 'linkedin.com/company/firm-0' });
    await load('named.csv', csvOf([row(0, 'Firm 0')]), '2026-02-01');
    expect((await firstPersonAndCompany()).company).toMatchObject({ name: 'Firm 0' });
  });

  it('leaves a person’s own site alone', async () => {
    await forget();
    const rows = Array.from({ length: 5 }, (_, n) => ({
      Name: `Ada Example ${n}`,
      LinkedIn: profile(n),
      Company: 'University of Elsewhere',
      Website: `https://ada-example-${n}.test/`,
    }));
    await load('researchers.csv', csvOf(rows));
    const { rows: stored } = await pool.query(
      'SELECT website, company_no FROM person ORDER BY person_no LIMIT 1',
    );
    expect(stored).toEqual([{ website: 'https://ada-example-0.test/', company_no: null }]);
  });
});

/** Amounts are bigints, which JSON holds as numbers. */
function bigintsAsText(row: object): object {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      name.endsWith('_usd') && value !== null ? String(value) : value,
    ]),
  );
}
