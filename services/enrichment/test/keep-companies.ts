import { newId } from '@mailproof/shared-types';
import type { ClientBase, Pool } from 'pg';
import { type CompanyRecord, unknownCompany } from '../src/domain/profile-store/profile-records.ts';

const keep = `
  INSERT INTO company (company_id, domain, profile_key, profile_url, name, website, description, keywords, categories,
    industry_label, industry, naics, company_type, employee_count, company_size, annual_revenue_usd, revenue, funding_usd,
    founded_year, country, region, city, follower_count, is_synthetic, source_id)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, true, $24)
  RETURNING company_no`;

/** Inserts companies unchanged into the store; returns their numbers. */
export async function keepCompanies(
  client: ClientBase | Pool,
  records: readonly (Partial<CompanyRecord> & Pick<CompanyRecord, 'domain'>)[],
): Promise<number[]> {
  const { rows } = await client.query<{ source_id: number }>(
    `INSERT INTO source (kind, name, licence, retrieved_on) VALUES ('synthetic', 'test', 'none', '2026-01-01')
     ON CONFLICT (kind, name, licence, retrieved_on, fingerprint) DO UPDATE SET name = EXCLUDED.name RETURNING source_id`,
  );
  const numbers: number[] = [];
  for (const record of records) {
    const c = { ...unknownCompany, profileKey: null, name: record.domain ?? '', ...record };
    const kept = await client.query<{ company_no: number }>(keep, [
      newId('company'),
      c.domain,
      c.profileKey,
      c.profileUrl,
      c.name,
      c.website,
      c.description,
      c.keywords,
      c.categories,
      c.industryLabel,
      c.industry,
      c.naics,
      c.companyType,
      c.employeeCount,
      c.companySize,
      c.annualRevenueUsd,
      c.revenue,
      c.fundingUsd,
      c.foundedYear,
      c.country,
      c.region,
      c.city,
      c.followerCount,
      rows[0]?.source_id,
    ]);
    numbers.push(kept.rows[0]?.company_no ?? 0);
  }
  return numbers;
}
