import type { ImportKind } from './fields.ts';

/** The columns of an export of a well-known product, recognized by their names. */
interface Layout {
  readonly name: string;
  readonly kind: ImportKind;
  /** Columns that together occur only in this layout, as keys (see `columnKey`). */
  readonly signature: readonly string[];
  /** The field of each column whose name alone would mislead; an empty field leaves the column out. */
  readonly fields: Readonly<Record<string, string>>;
}

const salesforceEmployer = {
  website: 'company_domain',
  account_website: 'company_domain',
  industry: 'company_industry',
  employees: 'company_employees',
  no_of_employees: 'company_employees',
  number_of_employees: 'company_employees',
  annual_revenue: 'company_revenue',
  billing_city: 'company_city',
  billing_state: 'company_region',
  billing_state_province: 'company_region',
  billing_country: 'company_country',
  ownership: 'company_type',
  // Whether it is a customer.
  type: '',
  description: '',
};

const hubspotContact = {
  company_name: 'company_name',
  associated_company: 'company_name',
  website_url: 'company_domain',
  linkedin_url: 'profile_url',
  linkedin_bio: '',
  employment_seniority: 'seniority',
  employment_role: 'department',
  industry: 'company_industry',
  company_industry: 'company_industry',
  number_of_employees: 'company_employees',
  company_size: 'company_employees',
  annual_revenue: 'company_revenue',
  state_region: 'region',
  country_region: 'country',
};

/** The more specific layout comes first. */
const layouts: readonly Layout[] = [
  {
    name: 'Apollo',
    kind: 'people',
    signature: ['person_linkedin_url', 'company_linkedin_url', 'employees'],
    fields: {
      person_linkedin_url: 'profile_url',
      departments: 'department',
      website: 'company_domain',
      company_linkedin_url: 'company_profile_url',
      employees: 'company_employees',
      industry: 'company_industry',
      keywords: 'company_keywords',
      annual_revenue: 'company_revenue',
      total_funding: 'company_funding',
      seo_description: 'company_description',
      company_name_for_emails: '',
      company_address: '',
      technologies: 'company_technologies',
    },
  },
  {
    name: 'Apollo',
    kind: 'companies',
    signature: ['company_linkedin_url', 'employees', 'seo_description'],
    fields: {
      company_linkedin_url: 'profile_url',
      employees: 'employees',
      seo_description: 'description',
      company_city: 'city',
      company_state: 'region',
      company_country: 'country',
      company_name_for_emails: '',
      technologies: 'technologies',
    },
  },
  {
    name: 'People Data Labs',
    kind: 'people',
    signature: ['job_company_name', 'job_title_role', 'job_title_levels'],
    fields: {
      job_title_sub_role: '',
      job_company_employee_count: 'company_employees',
      job_company_inferred_revenue: 'company_revenue',
      job_company_total_funding_raised: 'company_funding',
      job_company_location_name: 'company_location',
      industry: '',
      summary: '',
    },
  },
  {
    name: 'Crunchbase',
    kind: 'people',
    signature: ['primary_job_title', 'primary_organization'],
    fields: {
      linkedin: 'profile_url',
      primary_job_title: 'job_title',
      primary_organization: 'company_name',
      primary_organization_website: 'company_domain',
      primary_organization_industries: 'company_keywords',
      primary_organization_number_of_employees: 'company_employees',
      primary_organization_estimated_revenue_range: 'company_revenue',
      primary_organization_total_funding_amount_in_usd: 'company_funding',
      primary_organization_founded_date: 'company_founded',
      primary_organization_headquarters_location: 'company_location',
      primary_organization_url: '',
      full_name_url: '',
      url: '',
    },
  },
  {
    name: 'Crunchbase',
    kind: 'companies',
    signature: ['organization_name', 'organization_name_url'],
    fields: {
      organization_name: 'name',
      organization_name_url: '',
      url: '',
      linkedin: 'profile_url',
      full_description: 'description',
      industries: 'keywords',
      industry_groups: 'categories',
      founded_date: 'founded',
      number_of_employees: 'employees',
      estimated_revenue_range: 'revenue',
      total_funding_amount_in_usd: 'funding',
      total_funding_amount_currency_in_usd: 'funding',
      total_funding_amount: '',
      company_type: 'company_type',
    },
  },
  {
    name: 'LinkedIn',
    kind: 'people',
    signature: ['url', 'position', 'connected_on'],
    fields: { url: 'profile_url', position: 'job_title', company: 'company_name', connected_on: '' },
  },
  {
    name: 'LinkedIn Sales Navigator',
    kind: 'people',
    signature: ['sales_navigator_url'],
    fields: {
      linkedin_url: 'profile_url',
      prospect_linkedin_url: 'profile_url',
      current_job: 'job_title',
      job: 'job_title',
      prospect_position: 'job_title',
      company_linkedin_url: 'company_profile_url',
      company_website: 'company_domain',
      company_domain: 'company_domain',
      company_employee_count: 'company_employees',
      company_employee_range: 'company_employees',
      company_year_founded: 'company_founded',
      company_specialities: 'company_keywords',
      company_specialties: 'company_keywords',
      company_hq_location: 'company_location',
      sales_navigator_url: '',
    },
  },
  {
    name: 'LinkedIn Sales Navigator',
    kind: 'people',
    signature: ['vmid', 'regular_company_url'],
    fields: {
      linkedin_profile_url: 'profile_url',
      default_profile_url: 'profile_url',
      regular_company_url: 'company_profile_url',
      company_location: 'company_location',
      industry: 'company_industry',
      profile_url: '',
      company_url: '',
      company_id: '',
      summary: '',
    },
  },
  {
    name: 'HubSpot',
    kind: 'people',
    signature: ['record_id', 'associated_company'],
    fields: hubspotContact,
  },
  {
    name: 'HubSpot',
    kind: 'people',
    signature: ['record_id', 'first_name', 'last_name'],
    fields: hubspotContact,
  },
  {
    name: 'HubSpot',
    kind: 'companies',
    signature: ['record_id', 'company_domain_name'],
    fields: {
      company_name: 'name',
      company_domain_name: 'domain',
      website_url: 'website',
      linkedin_company_page: 'profile_url',
      total_money_raised: 'funding',
      state_region: 'region',
      country_region: 'country',
      type: '',
    },
  },
  {
    name: 'Salesforce',
    kind: 'people',
    signature: ['lead_source', 'company_account'],
    fields: { ...salesforceEmployer, company_account: 'company_name', state_province: 'region' },
  },
  {
    name: 'Salesforce',
    kind: 'people',
    signature: ['account_name', 'mailing_country'],
    fields: {
      ...salesforceEmployer,
      account_name: 'company_name',
      mailing_city: 'city',
      mailing_state: 'region',
      mailing_state_province: 'region',
      mailing_country: 'country',
    },
  },
  {
    // As Data Loader writes it: the names of fields in upper case.
    name: 'Salesforce',
    kind: 'people',
    signature: ['account_name', 'mailingcountry'],
    fields: {
      ...salesforceEmployer,
      account_name: 'company_name',
      account_industry: 'company_industry',
      account_numberofemployees: 'company_employees',
      account_annualrevenue: 'company_revenue',
      account_ownership: 'company_type',
      mailingcity: 'city',
      mailingstate: 'region',
      mailingcountry: 'country',
    },
  },
  {
    name: 'Salesforce',
    kind: 'people',
    signature: ['lead_source', 'company', 'number_of_employees'],
    fields: { ...salesforceEmployer, state_province: 'region' },
  },
  {
    name: 'Salesforce',
    kind: 'companies',
    signature: ['account_name', 'billing_country'],
    fields: {
      account_name: 'name',
      billing_city: 'city',
      billing_state: 'region',
      billing_state_province: 'region',
      billing_country: 'country',
      year_started: 'founded',
      employees: 'employees',
    },
  },
];

/** Returns the layout of a file, if one of the known products wrote it. */
export function layoutOf(kind: ImportKind, columns: readonly string[]): Layout | undefined {
  const keys = new Set(columns.map(columnKey));
  return layouts.find(layout => layout.kind === kind && layout.signature.every(key => keys.has(key)));
}

/** The names of the products whose files are recognized. */
export const layoutNames: readonly string[] = [...new Set(layouts.map(({ name }) => name))];

/** `Company Name`, `company-name` and `companyName` are the same name. */
export function columnKey(column: string): string {
  return column
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '')
    .replace('linked_in', 'linkedin');
}
