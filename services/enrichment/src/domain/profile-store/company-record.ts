import type { CompanySize, CompanyType, Revenue } from '@mailproof/shared-types';

/** What is known of a company besides what it is recognised by. Null and the empty list say that nothing is known. */
export interface CompanyFields {
  readonly name: string;
  readonly profileUrl: string | null;
  readonly website: string | null;
  readonly description: string | null;
  readonly keywords: readonly string[];
  readonly categories: readonly string[];
  /** As the source calls it. */
  readonly industryLabel: string | null;
  /** The word by which people filter. */
  readonly industry: string | null;
  /** Code of NAICS 2022. */
  readonly naics: string | null;
  readonly companyType: CompanyType | null;
  readonly employeeCount: number | null;
  readonly companySize: CompanySize | null;
  readonly annualRevenueUsd: number | null;
  readonly revenue: Revenue | null;
  readonly fundingUsd: number | null;
  readonly foundedYear: number | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly followerCount: number | null;
}

/** A company as it is loaded. It is recognised by its domain or else by the key of its profile; one of them is there. */
export interface CompanyRecord extends CompanyFields {
  /** Registrable domain, lower case, ASCII. */
  readonly domain: string | null;
  readonly profileKey: string | null;
}

/** The column of each field, which is also its name in `field_sources` and in the history. */
export const companyColumns = {
  name: 'name',
  profileUrl: 'profile_url',
  website: 'website',
  description: 'description',
  keywords: 'keywords',
  categories: 'categories',
  industryLabel: 'industry_label',
  industry: 'industry',
  naics: 'naics',
  companyType: 'company_type',
  employeeCount: 'employee_count',
  companySize: 'company_size',
  annualRevenueUsd: 'annual_revenue_usd',
  revenue: 'revenue',
  fundingUsd: 'funding_usd',
  foundedYear: 'founded_year',
  country: 'country',
  region: 'region',
  city: 'city',
  followerCount: 'follower_count',
} as const satisfies Record<keyof CompanyFields, string>;

/** A company of which nothing is known but what it is called. */
export const unknownCompany = {
  profileUrl: null,
  website: null,
  description: null,
  keywords: [],
  categories: [],
  industryLabel: null,
  industry: null,
  naics: null,
  companyType: null,
  employeeCount: null,
  companySize: null,
  annualRevenueUsd: null,
  revenue: null,
  fundingUsd: null,
  foundedYear: null,
  country: null,
  region: null,
  city: null,
  followerCount: null,
} as const satisfies Omit<CompanyFields, 'name'>;
