import { newId } from '@mailproof/shared-types';
import type pg from 'pg';

/** What companies of an industry write about themselves. */
const trades = {
  banking:
    'loans deposits mortgages accounts savings lending treasury payments cards branches interest credit brokers clearing',
  airlines:
    'flights aircraft routes passengers airports crews cabins fleets boarding hangars turbines runways seats charters',
  logistics:
    'pallets warehouses freight parcels haulage forklifts customs trucks depots shipping containers docks drivers cargo',
  software:
    'databases servers compilers debugging deployments interfaces clusters telemetry queries dashboards tenants schemas releases logs',
  agriculture:
    'crops orchards tractors irrigation harvests seeds livestock dairies greenhouses vineyards soils barley poultry fertilizer',
} as const;

export type Trade = keyof typeof trades;

const countries = ['DE', 'FR', 'US', 'GB'] as const;
const cities = { DE: 'Bremen', FR: 'Lille', US: 'Boise', GB: 'Leeds' } as const;

export interface TestCompany {
  readonly domain: string;
  readonly trade: Trade;
  readonly country: (typeof countries)[number];
}

/** Company `index` of a trade: always the same, with enough words to be compared. */
function companyOf(trade: Trade, index: number): TestCompany & Record<string, unknown> {
  const words = trades[trade].split(' ');
  const some = Array.from(
    { length: 9 },
    (_, step) => words[(index * 5 + step * (1 + (index % 5))) % words.length],
  );
  const country = countries[index % countries.length] ?? 'DE';
  return {
    domain: `${trade}${index}.example`,
    trade,
    country,
    name: `Number ${index} of ${trade}`,
    description: `Works with ${some.slice(0, 4).join(', ')} and ${some[4]}. Also ${some.slice(5).join(', ')}.`,
    keywords: some.slice(2, 5),
    city: cities[country],
    // Values that are secret before payment are conspicuous, so that a leak is found.
    employee_count: 7_654_321,
    annual_revenue_usd: index % 2 === 0 ? 8_765_432 : null,
    funding_usd: index % 4 === 0 ? 9_876_543 : null,
    categories: [`secret-category-${index}`],
  };
}

const keep = `
  INSERT INTO company (company_id, domain, profile_key, profile_url, name, website, description, keywords, categories,
    industry_label, industry, company_type, employee_count, company_size, annual_revenue_usd, revenue, funding_usd,
    country, region, city, is_synthetic, source_id)
  SELECT c.company_id, c.domain, 'companies.example/company/' || c.domain, 'https://companies.example/secret/' || c.domain,
    c.name, 'https://' || c.domain || '/', c.description, c.keywords, c.categories, c.trade, c.trade, 'private',
    c.employee_count, '10001+', c.annual_revenue_usd, CASE WHEN c.annual_revenue_usd IS NULL THEN NULL ELSE '$1-10M' END,
    c.funding_usd, c.country, 'Secret Region', c.city, true, $2
  FROM jsonb_to_recordset($1) AS c (company_id text, domain text, trade text, name text, description text,
    keywords text[], categories text[], employee_count integer, annual_revenue_usd bigint, funding_usd bigint,
    country text, city text)`;

/** Values that no preview may show; each occurs in the stored companies. */
export const secrets = [
  /7654321/,
  /8765432/,
  /9876543/,
  /secret-category/,
  /companies\.example\/secret/,
  /Secret Region/,
  /Bremen|Lille|Boise|Leeds/,
  /10001\+/,
  /\$1-10M/,
];

/** Fills the profile store with `each` companies of each trade. */
export async function keepTradingCompanies(pool: pg.Pool, each: number): Promise<TestCompany[]> {
  const { rows } = await pool.query<{ source_id: number }>(
    `INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', 'test', 'none', '2026-01-01')
     RETURNING source_id`,
  );
  const companies = (Object.keys(trades) as Trade[]).flatMap(trade =>
    Array.from({ length: each }, (_, index) => companyOf(trade, index)),
  );
  await pool.query(keep, [
    JSON.stringify(companies.map(company => ({ ...company, company_id: newId('company') }))),
    rows[0]?.source_id,
  ]);
  return companies;
}
