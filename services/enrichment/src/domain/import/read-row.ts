import {
  type CompanyType,
  companyTypes,
  type Department,
  departments,
  type Seniority,
  seniorities,
} from '@mailproof/shared-types';
import { readDomain, readWebsite } from '@mailproof/shared-types/web-address';
import {
  type CompanyRecord,
  type PersonRecord,
  unknownCompany,
  unknownPerson,
} from '../profile-store/profile-records.ts';
import { type ProfileUrl, parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import { readCountry } from '../reading/country.ts';
import { industryOf } from '../reading/industry.ts';
import { readLocation } from '../reading/location.ts';
import { readAmount, readCount, readEmployees, readRevenue, readYear } from '../reading/numbers.ts';
import { hasEmail, isEmailAddress, readLine, readText, readWords } from '../reading/text.ts';
import { departmentOf } from '../titles/department-of.ts';
import { seniorityOf } from '../titles/seniority-of.ts';
import { companyFields, employerField } from './fields.ts';
import type { Mapping } from './mapping.ts';
import { cellOf, type RawValues } from './table-file.ts';

export const rowRefusals = [
  'no_name',
  'no_domain_or_profile',
  'no_profile_url',
  'not_a_profile_url',
  'profile_of_a_person',
  'profile_of_an_organisation',
  'email_address',
] as const;

export type RowRefusal = (typeof rowRefusals)[number];

export type ReadRow<Record_> =
  | {
      readonly record: Record_;
      /** Fields whose text was not understood and is omitted. */
      readonly ignored: readonly string[];
    }
  | { readonly refused: RowRefusal; readonly column?: string };

/** The longest profile key that the store's index accepts, in bytes. */
const profileKeyOctetsMax = 1_000;
const wordLimits = { words: 50, characters: 80 };

/** Reads the fields of one row, each once. */
class RowReader {
  readonly ignored: string[] = [];
  private readonly values: RawValues;
  private readonly mapping: Mapping;

  constructor(values: RawValues, mapping: Mapping) {
    this.values = values;
    this.mapping = mapping;
  }

  /** Returns the column of a mapped field with an email address, which is not allowed. */
  addressColumn(): string | undefined {
    return Object.values(this.mapping).find(column =>
      [cellOf(this.values, column) ?? []].flat().some(isEmailAddress),
    );
  }

  text(field: string, charactersMax = 200): string | null {
    return readText(this.joined(field), charactersMax);
  }

  /** Returns the unchanged text, for a URL, a number or a word of a vocabulary. */
  line(field: string): string | null {
    return readLine(this.joined(field), 2_048);
  }

  words(field: string): string[] {
    return readWords(cellOf(this.values, this.mapping[field] ?? '') ?? '', wordLimits);
  }

  /** Reads a field that must be understood; otherwise it is omitted and reported. */
  understood<Value>(field: string, read: (text: string) => Value | undefined): Value | null {
    const text = this.line(field);
    if (text === null) {
      return null;
    }
    const value = hasEmail(text) ? undefined : read(text);
    if (value === undefined) {
      this.ignored.push(field);
    }
    return value ?? null;
  }

  /** Reads a word of a vocabulary, or what another product calls it, alone or in a list. */
  word<Word extends string>(
    field: string,
    vocabulary: readonly Word[],
    otherWords: Readonly<Record<string, Word>> = {},
  ): Word | null {
    return this.understood(field, text => {
      const words = text
        .toLowerCase()
        .split(/[;|,]/)
        // A list can be written as `['vp', 'cxo']`.
        .map(word => word.replace(/^[\s["']+/, '').replace(/(?<![\s\]"'])[\s\]"']+$/, ''))
        .map(word => word.replace(/[\s-]+/g, '_'))
        .map(word => otherWords[word] ?? word);
      return vocabulary.find(each => words.includes(each));
    });
  }

  private joined(field: string): string {
    const value = cellOf(this.values, this.mapping[field] ?? '') ?? '';
    return typeof value === 'string' ? value : value.join(', ');
  }
}

export function readCompanyRow(values: RawValues, mapping: Mapping): ReadRow<CompanyRecord> {
  const row = new RowReader(values, mapping);
  const addressColumn = row.addressColumn();
  if (addressColumn !== undefined) {
    return { refused: 'email_address', column: addressColumn };
  }
  const name = row.text('name', 300);
  if (name === null) {
    return { refused: 'no_name' };
  }
  const record = readCompany(row, name);
  return typeof record === 'string' ? { refused: record } : { record, ignored: row.ignored };
}

/** Returns why the row does not identify a company, if it must and does not. */
function readCompany(row: RowReader, name: string | null, isIdentified = true): CompanyRecord | RowRefusal {
  const website = row.understood('website', readWebsite);
  const domain = row.understood('domain', readDomain) ?? (website && readDomain(website)) ?? null;
  const profile = row.understood('profile_url', readProfile);
  if (profile?.kind === 'person') {
    return 'profile_of_a_person';
  }
  if (isIdentified && domain === null && profile === null) {
    return 'no_domain_or_profile';
  }
  const industryLabel = row.text('industry');
  const employees = row.understood('employees', readEmployees);
  const revenue = row.understood('revenue', readRevenue);
  const known = industryLabel === null ? undefined : industryOf(industryLabel);
  return {
    ...unknownCompany,
    domain,
    profileKey: profile?.profileKey ?? null,
    profileUrl: profile?.profileUrl ?? null,
    name: name ?? domain ?? '',
    website,
    description: row.text('description', 5_000),
    keywords: row.words('keywords'),
    categories: row.words('categories'),
    technologies: row.words('technologies'),
    industryLabel,
    industry: known?.industry ?? null,
    naics: row.understood('naics', text => /^\d{2,6}(?:-\d{2})?$/.exec(text)?.[0]) ?? known?.naics ?? null,
    companyType: row.word('company_type', companyTypes, otherCompanyTypes),
    employeeCount: employees?.employeeCount ?? null,
    companySize: employees?.companySize ?? null,
    annualRevenueUsd: revenue?.annualRevenueUsd ?? null,
    revenue: revenue?.revenue ?? null,
    fundingUsd: row.understood('funding', readAmount),
    foundedYear: row.understood('founded', readYear),
    ...locationOf(row),
    followerCount: row.understood('followers', readCount),
  };
}

/** What other products call our types of companies. */
const otherCompanyTypes: Readonly<Record<string, CompanyType>> = {
  privately_held: 'private',
  private_company: 'private',
  public_company: 'public',
  publicly_held: 'public',
  non_profit: 'nonprofit',
  nonprofit_organization: 'nonprofit',
  educational_institution: 'educational',
  government_agency: 'government',
  self_owned: 'self_employed',
  sole_proprietorship: 'self_employed',
};

/** What other products call our seniorities and departments. */
const otherSeniorities: Readonly<Record<string, Seniority>> = {
  c_suite: 'cxo',
  c_level: 'cxo',
  executive: 'cxo',
  founder: 'owner',
  vice_president: 'vp',
  head: 'director',
  intern: 'training',
};
const otherDepartments: Readonly<Record<string, Department>> = {
  'engineering_&_technical': 'engineering',
  information_technology: 'engineering',
  product_management: 'product',
  design: 'creative',
  media: 'creative',
  consulting: 'professional_service',
  'medical_&_health': 'health',
  public_relations: 'marketing',
  customer_service: 'support',
  customer_success: 'support',
};

/** The columns of a person's row that describe the company, as the columns of a company's row. */
function employerMapping(mapping: Mapping): Mapping {
  const columns = companyFields.map(({ name }) => [name, mapping[employerFieldOf(name)]] as const);
  return Object.fromEntries(
    columns.flatMap(([name, column]) => (column === undefined ? [] : [[name, column]])),
  );
}

/** A people file has one column for the company's site, which gives both the website and the domain. */
function employerFieldOf(companyField: string): string {
  return employerField(companyField === 'website' ? 'domain' : companyField);
}

/**
 * Reads a row of a person.
 *
 * @param companyIsIdentified false if what the row says about the company is stored with the person, so that it can be a
 * company without a domain and a profile
 */
export function readPersonRow(
  values: RawValues,
  mapping: Mapping,
  { companyIsIdentified = true } = {},
): ReadRow<PersonRecord> {
  const row = new RowReader(values, mapping);
  const addressColumn = row.addressColumn();
  if (addressColumn !== undefined) {
    return { refused: 'email_address', column: addressColumn };
  }
  const profileText = row.line('profile_url');
  if (profileText === null) {
    return { refused: 'no_profile_url' };
  }
  if (hasEmail(profileText)) {
    return { refused: 'email_address' };
  }
  const profile = readProfile(profileText);
  if (profile === undefined) {
    return { refused: 'not_a_profile_url' };
  }
  if (profile.kind === 'organisation') {
    return { refused: 'profile_of_an_organisation' };
  }
  const firstName = row.text('first_name', 100);
  const lastName = row.text('last_name', 100);
  const fullName = row.text('full_name', 200) ?? ([firstName, lastName].filter(Boolean).join(' ') || null);
  if (fullName === null) {
    return { refused: 'no_name' };
  }
  const jobTitle = row.text('job_title', 200);
  const employer = readEmployer(values, mapping, companyIsIdentified);
  const companyDomain = employer.record?.domain ?? null;
  const website = row.understood('website', readWebsite);
  const record: PersonRecord = {
    ...unknownPerson,
    profileKey: profile.profileKey,
    profileUrl: profile.profileUrl,
    fullName,
    firstName,
    lastName,
    headline: row.text('headline', 300),
    jobTitle,
    seniority:
      row.word('seniority', seniorities, otherSeniorities) ??
      (jobTitle === null ? null : seniorityOf(jobTitle)),
    department:
      row.word('department', departments, otherDepartments) ??
      (jobTitle === null ? null : departmentOf(jobTitle)),
    companyName: row.text('company_name', 300),
    companyDomain,
    employer: employer.record,
    ...locationOf(row),
    keywords: row.words('keywords'),
    // The site of the employer is not the person's own.
    website:
      website !== null && companyDomain !== null && readDomain(website) === companyDomain ? null : website,
    followerCount: row.understood('followers', readCount),
    connectionCount: row.understood('connections', readCount),
    profileBadges: row.words('badges'),
  };
  return { record, ignored: [...row.ignored, ...employer.ignored] };
}

interface StatedEmployer {
  /** Null if the row does not identify a company. */
  readonly record: CompanyRecord | null;
  readonly ignored: readonly string[];
}

/** Reads what a person's row states about the company. */
function readEmployer(values: RawValues, mapping: Mapping, isIdentified: boolean): StatedEmployer {
  const row = new RowReader(values, employerMapping(mapping));
  const company = readCompany(row, row.text('name', 300), isIdentified);
  if (company === 'profile_of_a_person') {
    // The other columns describe the company all the same.
    const { company_profile_url: _profile, ...others } = mapping;
    const { record, ignored } = readEmployer(values, others, isIdentified);
    return { record, ignored: [...ignored, 'company_profile_url'] };
  }
  const isStated = /^https?:/i.test(row.line('website') ?? '');
  return {
    record:
      typeof company === 'string' ? null : { ...company, website: isStated ? homePageOf(company) : null },
    ignored: [...new Set(row.ignored.map(employerFieldOf))],
  };
}

/** The website of a company if it is the home page: people's sources also name pages of departments and of people. */
function homePageOf({ website, domain }: CompanyRecord): string | null {
  const url = URL.parse(website ?? '');
  const isHome = url?.pathname === '/' && url.search === '' && url.hash === '';
  return isHome && [domain, `www.${domain}`].includes(url.hostname) ? website : null;
}

function locationOf(row: RowReader) {
  const whole = row.understood('location', readLocation);
  return {
    country: row.understood('country', readCountry) ?? whole?.country ?? null,
    region: row.text('region', 100) ?? readText(whole?.region ?? '', 100),
    city: row.text('city', 100) ?? readText(whole?.city ?? '', 100),
  };
}

function readProfile(text: string): ProfileUrl | undefined {
  const profile = parseProfileUrl(text);
  return profile && Buffer.byteLength(profile.profileKey) <= profileKeyOctetsMax ? profile : undefined;
}
