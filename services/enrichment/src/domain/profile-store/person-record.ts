import type { Department, Seniority } from '@mailproof/shared-types';

/** What is known of a person besides the profile; never an email address. */
export interface PersonFields {
  readonly profileUrl: string;
  readonly fullName: string;
  readonly firstName: string | null;
  readonly lastName: string | null;
  readonly headline: string | null;
  readonly jobTitle: string | null;
  readonly seniority: Seniority | null;
  readonly department: Department | null;
  /** As the source writes it. */
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

/** A person as they are loaded. They are recognised by the key of their profile alone. */
export interface PersonRecord extends PersonFields {
  /** The normalised profile URL. */
  readonly profileKey: string;
  /** Registrable domain of the company; it is joined to the company of that domain, which is made where there is none. */
  readonly companyDomain: string | null;
}

/** The column of each field, which is also its name in `field_sources` and in the history. */
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

/** A person of whom nothing is known but the name. */
export const unknownPerson = {
  firstName: null,
  lastName: null,
  headline: null,
  jobTitle: null,
  seniority: null,
  department: null,
  companyName: null,
  companyDomain: null,
  country: null,
  region: null,
  city: null,
  keywords: [],
  website: null,
  followerCount: null,
  connectionCount: null,
  profileBadges: [],
} as const satisfies Omit<PersonRecord, 'fullName' | 'profileUrl' | 'profileKey'>;
