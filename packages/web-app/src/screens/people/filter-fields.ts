import type { Schema } from '../../api/client.ts';

export type Filters = Schema['PeopleFilters'];
export type Facets = Schema['PeopleFacets'];
type FacetName = keyof Facets;
/** The values of filters that are chosen from a set, with their names. */
export type Vocabulary = Omit<Schema['SearchVocabulary'], 'seed_companies'> & {
  readonly saved_lists: Schema['SearchVocabulary']['seniorities'];
};

/** A filter that is more than an option of another one. */
export type FilterName = Exclude<keyof Filters, 'job_title_match' | 'keyword_match'>;
/** A filter with a range of years. */
export type YearsFilter = 'company_founded';
/** A filter with a list of values. */
export type ValuesFilter = Exclude<FilterName, YearsFilter>;
export interface Years {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** A field by which users filter people. */
export interface FilterField {
  readonly name: FilterName;
  readonly label: string;
  /** The filter that excludes values of the field, if there is one. */
  readonly excluded?: ValuesFilter;
  /** The facet that counts its values. */
  readonly facet?: FacetName;
  /** If the field takes free text, the separator between several pasted values. */
  readonly separator?: RegExp;
  readonly hint?: string;
  /** The hint if there is no value to choose. */
  readonly hintWithout?: string;
}

/** A name of a person can contain a comma: `Lovelace, Ada`. */
const betweenPeople = /[;\n\t]+/;
/** Titles and names can contain spaces, domains cannot. */
const betweenNames = /[;,\n\t]+/;
const betweenDomains = /[\s;,]+/;

/** All filter fields for people, in a natural order for users. */
export const filterGroups: readonly { readonly label: string; readonly fields: readonly FilterField[] }[] = [
  {
    label: 'Person',
    fields: [
      {
        name: 'person_names',
        label: 'Name',
        separator: betweenPeople,
        hint: 'A whole name, or how its words begin: “ada l”.',
      },
      {
        name: 'job_titles',
        label: 'Job title',
        excluded: 'excluded_job_titles',
        facet: 'job_titles',
        separator: betweenNames,
      },
      { name: 'seniorities', label: 'Seniority', facet: 'seniorities' },
      { name: 'departments', label: 'Department', facet: 'departments' },
      { name: 'keywords', label: 'Keyword', facet: 'keywords', separator: betweenNames },
    ],
  },
  {
    label: 'Location',
    fields: [
      { name: 'countries', label: 'Country', facet: 'countries' },
      { name: 'regions', label: 'Region', facet: 'regions', separator: betweenNames },
      { name: 'cities', label: 'City', facet: 'cities', separator: betweenNames },
    ],
  },
  {
    label: 'Company',
    fields: [
      { name: 'industries', label: 'Industry', facet: 'industries' },
      { name: 'company_sizes', label: 'Employees', facet: 'company_sizes' },
      { name: 'revenues', label: 'Annual revenue', facet: 'revenues' },
      { name: 'company_types', label: 'Company type', facet: 'company_types' },
      {
        name: 'company_technologies',
        label: 'Technology',
        excluded: 'excluded_company_technologies',
        facet: 'company_technologies',
        separator: betweenNames,
      },
      {
        name: 'company_founded',
        label: 'Founded',
        hint: 'Companies whose year is unknown do not match.',
      },
      {
        name: 'company_names',
        label: 'Company name',
        separator: betweenNames,
        hint: 'Legal forms such as “Inc.” are ignored.',
      },
      {
        name: 'company_domains',
        label: 'Company domain',
        excluded: 'excluded_company_domains',
        separator: betweenDomains,
        hint: 'Paste any number of domains, for example acme.com.',
      },
    ],
  },
  {
    label: 'Saved',
    fields: [
      {
        name: 'saved_lists',
        label: 'Saved list',
        excluded: 'excluded_saved_lists',
        hint: 'People on a list, or at the companies and domains on a list.',
        hintWithout:
          'You have no lists yet. Create one under Saved, for example with the domains of your customers.',
      },
    ],
  },
];

export const filterFields: readonly FilterField[] = filterGroups.flatMap(({ fields }) => fields);

/** Every filter, also those that exclude values. */
export const filterNames = filterFields.flatMap(({ name, excluded }) =>
  excluded ? [name, excluded] : [name],
);

export function isYears(name: FilterName): name is YearsFilter {
  return name === 'company_founded';
}
