/** What a column of a file of people can be imported as, with its label in the application. */
export const peopleImportFields = {
  profile_url: 'Profile URL',
  full_name: 'Full name',
  first_name: 'First name',
  last_name: 'Last name',
  headline: 'Headline',
  job_title: 'Job title',
  seniority: 'Seniority',
  department: 'Department',
  company_name: 'Company name',
  company_domain: 'Company domain or website',
  company_industry: 'Company industry',
  company_type: 'Company type',
  company_employees: 'Company employees',
  company_revenue: 'Company revenue',
  country: 'Country',
  region: 'Region',
  city: 'City',
  location: 'Location',
  keywords: 'Keywords',
  website: 'Personal website',
  followers: 'Followers',
  connections: 'Connections',
  badges: 'Profile badges',
} as const;

export type PeopleImportField = keyof typeof peopleImportFields;
