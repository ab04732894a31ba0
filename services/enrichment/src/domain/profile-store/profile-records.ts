import type { CompanySize, CompanyType, Department, Revenue, Seniority } from '@mailproof/shared-types';

/** The fields of a person in addition to the profile key; never an email address. */
interface PersonFields {
  readonly profileUrl: string;
  readonly fullName: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly headline: string | null;
  readonly jobTitle: string | null;
  readonly seniority: Seniority | null;
  readonly department: Department | null;
  /** As written by the source. */
  readonly companyName: string | null;
  /** ISO 3166-1 alpha-2. */
  readonly country: string | null;
  readonly region: string | null;
  readonly city: string | null;
  readonly keywords: readonly string[];
  readonly website: string | null;
  readonly followerCount: number | null;
  readonly connectionCount: number | null;
  readonly profileBadges: readonly string[];
}

/** A person to load. People are identified only by their profile key. */
export interface PersonRecord extends PersonFields {
  /** The normalized profile URL. */
  readonly profileKey: string;
  /**
   * Registrable domain of the company; links the person to the company of that domain, which is created if it does not
   * exist.
   */
  readonly companyDomain: string | null;
  /**
   * What the same source states about that company. Its domain is `companyDomain`; without a domain, its profile key
   * identifies it. Its name fills a gap only: people's sources spell names of companies freely.
   */
  readonly employer: CompanyRecord | null;
}

/** The database column of each field; `field_sources` and the history use the same name. */
export const personColumns = {
  profileUrl: 'profile_url',
  fullName: 'full_name',
  firstName: 'first_name',
  lastName: 'last_name',
  headline: 'headline',
  jobTitle: 'job_title',
  seniority: 'seniority',
  department: 'department',
  companyName: 'company_name',
  country: 'country',
  region: 'region',
  city: 'city',
  keywords: 'keywords',
  website: 'website',
  followerCount: 'follower_count',
  connectionCount: 'connection_count',
  profileBadges: 'profile_badges',
} as const satisfies Record<keyof PersonFields, string>;

/** A person with only a name known. */
export const unknownPerson = {
  firstName: null,
  lastName: null,
  headline: null,
  jobTitle: null,
  seniority: null,
  department: null,
  companyName: null,
  companyDomain: null,
  employer: null,
  country: null,
  region: null,
  city: null,
  keywords: [],
  website: null,
  followerCount: null,
  connectionCount: null,
  profileBadges: [],
} as const satisfies Omit<PersonRecord, 'fullName' | 'profileUrl' | 'profileKey'>;

/** The fields of a company in addition to its keys. Null and the empty list mean unknown. */
interface CompanyFields {
  readonly name: string;
  readonly profileUrl: string | null;
  readonly website: string | null;
  readonly description: string | null;
  readonly keywords: readonly string[];
  readonly categories: readonly string[];
  /** As named by the source. */
  readonly technologies: readonly string[];
  /** As named by the source. */
  readonly industryLabel: string | null;
  /** The normalized industry, used by filters. */
  readonly industry: string | null;
  /** NAICS 2022 code. */
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

/** A company to load. It is identified by its domain, or else by its profile key; at least one of them is present. */
export interface CompanyRecord extends CompanyFields {
  /** Registrable domain, lower case, ASCII. */
  readonly domain: string | null;
  readonly profileKey: string | null;
}

/** The database column of each field; `field_sources` and the history use the same name. */
export const companyColumns = {
  name: 'name',
  profileUrl: 'profile_url',
  website: 'website',
  description: 'description',
  keywords: 'keywords',
  categories: 'categories',
  technologies: 'technologies',
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

/** A company with only a name known. */
export const unknownCompany = {
  profileUrl: null,
  website: null,
  description: null,
  keywords: [],
  categories: [],
  technologies: [],
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
