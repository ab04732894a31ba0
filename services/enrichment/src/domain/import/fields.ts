/** A field that a column of a file can be loaded as. */
export interface ImportField {
  readonly name: string;
  readonly meaning: string;
  /** Column names in known files, in addition to the field's own name; in lower case with underscores. */
  readonly headers: readonly string[];
}

export type ImportKind = 'companies' | 'people';

function field(name: string, meaning: string, headers = ''): ImportField {
  return { name, meaning, headers: headers.split(' ').filter(header => header !== '') };
}

const countryHeaders = 'location_country country_code country_name';
const regionHeaders = 'state province location_region';
const cityHeaders = 'locality location_locality town';

function locationFields(headers: readonly [country: string, region: string, city: string]): ImportField[] {
  return [
    field('country', 'name or ISO 3166-1 code', headers[0]),
    field('region', 'state or province', headers[1]),
    field('city', 'city', headers[2]),
  ];
}

const location = 'city, region and country in one text, such as Austin, Texas, United States';

export const companyFields: readonly ImportField[] = [
  field('domain', 'the company’s domain', 'company_domain domain_name primary_domain'),
  field(
    'website',
    'website URL; the domain is derived from it',
    'url web homepage homepage_url website_url company_website',
  ),
  field(
    'name',
    'the company’s name',
    'company company_name organization organisation organization_name security legal_name',
  ),
  field(
    'profile_url',
    'the company’s profile',
    'linkedin_url linkedin linkedin_profile company_linkedin_url',
  ),
  field(
    'description',
    'a description of the company',
    'summary about blurb overview short_description long_description',
  ),
  field('keywords', 'words, separated by ; | or ,', 'tags specialties specialities'),
  field('categories', 'words, separated by ; | or ,', 'category category_list category_groups_list sector'),
  field(
    'technologies',
    'words, separated by ; | or ,',
    'technology tech_stack technology_names web_technologies',
  ),
  field('industry', 'the source’s industry label', 'industry_label gics_sub_industry'),
  field('naics', 'code of NAICS 2022', 'naics_code'),
  field('company_type', 'private, public, nonprofit …', 'type ownership'),
  field(
    'employees',
    'a number or a range',
    'employee_count employees_count number_of_employees headcount company_size size size_text current_employee_estimate',
  ),
  field(
    'revenue',
    'an amount in dollars or a range',
    'annual_revenue estimated_revenue revenue_range inferred_revenue',
  ),
  field(
    'funding',
    'total funding in dollars',
    'funding_usd total_funding total_funding_usd total_funding_raised',
  ),
  field('founded', 'the year', 'founded_year year_founded founded_on'),
  ...locationFields([
    `${countryHeaders} hq_country headquarters_country`,
    `${regionHeaders} hq_state hq_region headquarters_state headquarters_region`,
    `${cityHeaders} hq_city headquarters_city`,
  ]),
  field('location', location, 'headquarters headquarters_location hq_location'),
  field('followers', 'a number', 'follower_count followers_count linkedin_follower_count'),
];

/**
 * The field of a people file that holds a field of the person's company: `company_employees` for `employees`. Its
 * columns are also found under `job_company_` and `employer_`.
 */
export function employerField(companyField: string): string {
  return companyField.startsWith('company_') ? companyField : `company_${companyField}`;
}

/** Fields that a person does not have: in a people file they are the company's even without a prefix. */
const companyOnly = new Set(['employees', 'revenue', 'funding', 'founded', 'industry', 'technologies']);

/** People have no headquarters. */
function isOfCompany(header: string): boolean {
  return /^(?:hq|headquarters)(?:_|$)/.test(header);
}

const employerFields = companyFields
  .filter(({ name }) => !['domain', 'name', 'website', 'categories', 'naics'].includes(name))
  .map(({ name, meaning, headers }) => {
    const names = [name, ...headers].map(header => header.replace(/^company_/, ''));
    const prefixed = ['company', 'job_company', 'employer'].flatMap(owner =>
      names.map(each => `${owner}_${each}`),
    );
    const bare = companyOnly.has(name) ? [name, ...headers] : headers.filter(isOfCompany);
    return field(
      employerField(name),
      `of the person’s company: ${meaning}`,
      [...prefixed, ...bare].join(' '),
    );
  });

export const personFields: readonly ImportField[] = [
  field('profile_url', 'the person’s profile', 'linkedin_url linkedin linkedin_profile url profile'),
  field('full_name', 'the full name', 'name person_name'),
  field('first_name', 'given name', 'firstname given_name'),
  field('last_name', 'family name', 'lastname surname family_name'),
  field('headline', 'the person’s own headline', 'linkedin_headline'),
  field('job_title', 'the job title', 'title position role current_title'),
  field('seniority', 'a vocabulary value; otherwise derived from the job title', 'job_title_levels level'),
  field('department', 'a vocabulary value; otherwise derived from the job title', 'job_title_role function'),
  field(
    'company_name',
    'the name of the person’s company',
    'company organization organisation organization_name employer job_company_name current_company primary_organization',
  ),
  field(
    'company_domain',
    'domain or website of that company',
    'company_website organisation_domain organization_domain job_company_website job_company_domain employer_domain employer_website',
  ),
  ...employerFields,
  ...locationFields([countryHeaders, regionHeaders, cityHeaders]),
  field('location', location, 'person_location prospect_location'),
  field('keywords', 'words, separated by ; | or ,', 'skills tags interests'),
  field('website', 'the person’s own website', 'personal_website homepage'),
  field('followers', 'a number', 'follower_count followers_count'),
  field('connections', 'a number', 'connection_count linkedin_connections connections_count'),
  field('badges', 'words, separated by ; | or ,', 'profile_badges'),
];

export function fieldsOf(kind: ImportKind): readonly ImportField[] {
  return kind === 'companies' ? companyFields : personFields;
}
