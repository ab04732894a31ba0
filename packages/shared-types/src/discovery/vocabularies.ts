/**
 * The filter values for people and companies. Seniority and department follow the vocabulary of People Data Labs, which
 * much of the industry's data already uses.
 */
export const seniorities = [
  'cxo',
  'director',
  'entry',
  'manager',
  'owner',
  'partner',
  'senior',
  'training',
  'unpaid',
  'vp',
] as const;

export type Seniority = (typeof seniorities)[number];

/** What people read in place of the values. */
export const seniorityNames = {
  cxo: 'C-level',
  director: 'Director or head',
  entry: 'Entry level',
  manager: 'Manager',
  owner: 'Owner or founder',
  partner: 'Partner',
  senior: 'Senior',
  training: 'In training',
  unpaid: 'Unpaid',
  vp: 'Vice president',
} as const satisfies Record<Seniority, string>;

export const departments = [
  'advisory',
  'analyst',
  'creative',
  'education',
  'engineering',
  'finance',
  'fulfillment',
  'health',
  'hospitality',
  'human_resources',
  'legal',
  'manufacturing',
  'marketing',
  'operations',
  'partnerships',
  'product',
  'professional_service',
  'public_service',
  'research',
  'sales',
  'sales_engineering',
  'support',
  'trade',
] as const;

export type Department = (typeof departments)[number];

/** What people read in place of the values that are not words themselves. */
export const departmentNames: Readonly<Partial<Record<Department, string>>> = {
  professional_service: 'Professional services',
  advisory: 'Advisory and boards',
  trade: 'Skilled trades',
};

/** A value in words: `human_resources` is `Human resources`, the industry `it services` is `IT services`. */
export function valueInWords(value: string): string {
  const words = value.replaceAll('_', ' ').replace(/^it\b/, 'IT');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A range of counts or amounts; the last band of each vocabulary has no upper bound. */
interface Band {
  readonly name: string;
  /** The smallest whole number in the band. */
  readonly from: number;
}

/** Number of employees. */
export const companySizeBands = [
  { name: '1-10', from: 1 },
  { name: '11-50', from: 11 },
  { name: '51-200', from: 51 },
  { name: '201-500', from: 201 },
  { name: '501-1000', from: 501 },
  { name: '1001-5000', from: 1_001 },
  { name: '5001-10000', from: 5_001 },
  { name: '10001+', from: 10_001 },
] as const satisfies readonly Band[];

export type CompanySize = (typeof companySizeBands)[number]['name'];

export const companySizes = companySizeBands.map(({ name }) => name) as [CompanySize, ...CompanySize[]];

/** Annual revenue in US dollars; a boundary belongs to the band above it. */
export const revenueBands = [
  { name: '$0-1M', from: 0 },
  { name: '$1-10M', from: 1_000_000 },
  { name: '$10-25M', from: 10_000_000 },
  { name: '$25-50M', from: 25_000_000 },
  { name: '$50-100M', from: 50_000_000 },
  { name: '$100-250M', from: 100_000_000 },
  { name: '$250-500M', from: 250_000_000 },
  { name: '$500M-1B', from: 500_000_000 },
  { name: '$1-10B', from: 1_000_000_000 },
  { name: '$10B+', from: 10_000_000_000 },
] as const satisfies readonly Band[];

export type Revenue = (typeof revenueBands)[number]['name'];

export const revenues = revenueBands.map(({ name }) => name) as [Revenue, ...Revenue[]];

export const companyTypes = [
  'educational',
  'government',
  'nonprofit',
  'partnership',
  'private',
  'public',
  'public_subsidiary',
  'self_employed',
] as const;

export type CompanyType = (typeof companyTypes)[number];

/** The band that contains a number; undefined below the first band. */
export function bandOf<Name extends string>(
  bands: readonly { readonly name: Name; readonly from: number }[],
  value: number,
): Name | undefined {
  return bands.findLast(({ from }) => value >= from)?.name;
}

/** The sort orders of saved companies. */
export const savedCompanySorts = ['saved_at', 'name', 'industry', 'company_size', 'updated_at'] as const;

/** The sort orders of saved records of any kind. */
export const savedSorts = [
  'saved_at',
  'name',
  'job_title',
  'company',
  'industry',
  'company_size',
  'updated_at',
] as const;
