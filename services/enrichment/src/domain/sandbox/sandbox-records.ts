import {
  bandOf,
  type CompanyType,
  companySizeBands,
  type Department,
  isSandboxHost,
  revenueBands,
  type Seniority,
  sandboxDomain,
} from '@mailproof/shared-types';

/**
 * The invented companies and people that test keys find (docs/sandbox.md). They are rows of the store, so that a run, a
 * list and an export are the same for them. Their numbers and change numbers are below zero: everything that follows the
 * store begins at zero, so no search, ranking or model of a live account contains them (ADR 0085).
 */

/** The number of the first record; the others follow it. */
const firstNo = -1_000_000;

type CompanyLine = readonly [
  label: string,
  name: string,
  industry: string,
  type: CompanyType,
  employees: number,
  revenueUsd: number,
  fundingUsd: number | null,
  foundedYear: number,
  technologies: readonly string[],
  place: readonly [country: string, region: string, city: string],
  description: string,
];

const companyLines: readonly CompanyLine[] = [
  [
    ...([
      'harbor',
      'Harbor Software',
      'software',
      'private',
      60,
      8_000_000,
      12_000_000,
      2016,
      ['React', 'PostgreSQL'],
    ] as const),
    ['DE', 'Hamburg', 'Hamburg'],
    'Builds scheduling software for ports.',
  ],
  [
    ...([
      'meadow',
      'Meadow Systems',
      'it services',
      'private',
      240,
      30_000_000,
      null,
      2004,
      ['Salesforce'],
    ] as const),
    ['FR', 'Brittany', 'Rennes'],
    'Operates networks of hospitals.',
  ],
  [
    ...([
      'quarry',
      'Quarry Analytics',
      'software',
      'public',
      1_200,
      180_000_000,
      95_000_000,
      1998,
      ['Salesforce', 'React'],
    ] as const),
    ['US', 'Colorado', 'Denver'],
    'Develops and hosts analytics of materials.',
  ],
  [
    ...([
      'lantern',
      'Lantern Media',
      'marketing and advertising',
      'private',
      18,
      1_500_000,
      null,
      2020,
      ['WordPress'],
    ] as const),
    ['GB', 'Scotland', 'Edinburgh'],
    'Plans search advertising for small shops.',
  ],
];

interface Role {
  readonly jobTitle: string;
  readonly seniority: Seniority;
  readonly department: Department | null;
  readonly keywords: readonly string[];
}

/** Each company has a person in each role. */
const roles: readonly Role[] = [
  { jobTitle: 'Chief Executive Officer', seniority: 'cxo', department: null, keywords: ['strategy'] },
  { jobTitle: 'Head of Sales', seniority: 'director', department: 'sales', keywords: ['negotiation'] },
  { jobTitle: 'Software Engineer', seniority: 'senior', department: 'engineering', keywords: ['api', 'sql'] },
  { jobTitle: 'Marketing Manager', seniority: 'manager', department: 'marketing', keywords: ['seo'] },
  { jobTitle: 'Accountant', seniority: 'entry', department: 'finance', keywords: ['audit'] },
];

const names = [
  ...['Ada Birch', 'Boris Cedar', 'Carla Dogwood', 'Dmitri Elm', 'Elena Fir'],
  ...['Farid Ginkgo', 'Greta Hazel', 'Hugo Ironwood', 'Ines Juniper', 'Jonas Kapok'],
  ...['Kira Larch', 'Leon Maple', 'Mona Nutmeg', 'Nils Oak', 'Olga Pine'],
  ...['Paul Quince', 'Rita Rowan', 'Sam Spruce', 'Tara Teak', 'Uwe Umbu'],
];

export const sandboxCompanies = companyLines.map(
  (
    [
      label,
      name,
      industry,
      companyType,
      employeeCount,
      annualRevenueUsd,
      fundingUsd,
      foundedYear,
      technologies,
      [country, region, city],
      description,
    ],
    at,
  ) => ({
    companyNo: firstNo + at,
    companyId: `comp_f${String(at).padStart(2, '0')}${'0'.repeat(29)}`,
    domain: `${label}.${sandboxDomain}`,
    name,
    website: `https://${label}.${sandboxDomain}/`,
    description,
    keywords: [industry],
    industry,
    companyType,
    employeeCount,
    companySize: bandOf(companySizeBands, employeeCount) ?? null,
    annualRevenueUsd,
    revenue: bandOf(revenueBands, annualRevenueUsd) ?? null,
    fundingUsd,
    foundedYear,
    technologies,
    country,
    region,
    city,
  }),
);

export const sandboxPeople = names.map((fullName, at) => {
  const company = sandboxCompanies[Math.floor(at / roles.length)];
  const role = roles[at % roles.length];
  if (!company || !role) {
    throw new Error('Every person of the sandbox needs a company and a role.');
  }
  const [firstName = '', lastName = ''] = fullName.split(' ');
  const key = `people.${sandboxDomain}/${fullName.toLowerCase().replace(' ', '-')}`;
  return {
    ...role,
    personNo: firstNo + at,
    personId: `pers_f${String(at).padStart(2, '0')}${'0'.repeat(29)}`,
    profileKey: key,
    profileUrl: `https://${key}`,
    fullName,
    firstName,
    lastName,
    headline: `${role.jobTitle} at ${company.name}`,
    companyNo: company.companyNo,
    companyName: company.name,
    country: company.country,
    region: company.region,
    city: company.city,
  };
});

/** Whether a company is one of the sandbox, by its number. */
export const isSandboxCompany = (companyNo: number): boolean => companyNo < 0;

/** Whether a profile is one of the sandbox, by its key. */
export function isSandboxProfile(profileKey: string): boolean {
  const [host = ''] = profileKey.split('/');
  return isSandboxHost(host);
}

/** The profile of the sandbox that no source knows. */
export const unknownSandboxProfile = `people.${sandboxDomain}/not-found`;

/** People on the first page of a search: few, so that a program has to ask for the next page. */
export const sandboxPageRows = 10;

/** The number of a record in an index, which counts from 1: 0 is the place before the first. */
export const toIndexNo = (recordNo: number): number => (recordNo === 0 ? 0 : recordNo - firstNo + 1);

/** The number in the store of a record of an index. */
export const toRecordNo = (indexNo: number): number => indexNo + firstNo - 1;
