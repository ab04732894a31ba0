import { limits } from '@mailproof/shared-types';
import type { Schema } from '../../api/client.ts';
import { formatNumber } from '../../design/format.ts';

export type Filters = Schema['PeopleFilters'];
/** Companies have only some of the facets. */
export type Facets = Partial<Schema['PeopleFacets']>;
type FacetName = keyof Facets;
/** The values of filters that are chosen from a set, with their names. */
export type Vocabulary = Omit<Schema['SearchVocabulary'], 'seed_companies'> & {
  readonly saved_lists: Schema['SearchVocabulary']['seniorities'];
};

/** A filter that is more than an option of another one. */
export type FilterName = Exclude<keyof Filters, 'job_title_match' | 'keyword_match' | 'keyword_terms'>;
/** A filter with a range of numbers. */
export type RangeFilter = Extract<FilterName, `${string}company_${'founded' | 'funding'}`>;
/** A filter with a list of values. */
export type ValuesFilter = Exclude<FilterName, RangeFilter>;
/** Numbers from `min` to `max`, both included. */
export interface Range {
  readonly min?: number | undefined;
  readonly max?: number | undefined;
}

/** A field by which users filter people. */
export interface FilterField {
  readonly name: FilterName;
  readonly label: string;
  /** The filter that excludes values of the field, if there is one. */
  readonly excluded?: FilterName;
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
        excluded: 'excluded_person_names',
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
      { name: 'seniorities', label: 'Seniority', excluded: 'excluded_seniorities', facet: 'seniorities' },
      { name: 'departments', label: 'Department', excluded: 'excluded_departments', facet: 'departments' },
      {
        name: 'keywords',
        label: 'Keyword',
        excluded: 'excluded_keywords',
        facet: 'keywords',
        separator: betweenNames,
      },
    ],
  },
  {
    label: 'Location',
    fields: [
      { name: 'countries', label: 'Country', excluded: 'excluded_countries', facet: 'countries' },
      {
        name: 'regions',
        label: 'Region',
        excluded: 'excluded_regions',
        facet: 'regions',
        separator: betweenNames,
      },
      {
        name: 'cities',
        label: 'City',
        excluded: 'excluded_cities',
        facet: 'cities',
        separator: betweenNames,
      },
    ],
  },
  {
    label: 'Company',
    fields: [
      { name: 'industries', label: 'Industry', excluded: 'excluded_industries', facet: 'industries' },
      {
        name: 'company_sizes',
        label: 'Employees',
        excluded: 'excluded_company_sizes',
        facet: 'company_sizes',
      },
      { name: 'revenues', label: 'Annual revenue', excluded: 'excluded_revenues', facet: 'revenues' },
      {
        name: 'company_types',
        label: 'Company type',
        excluded: 'excluded_company_types',
        facet: 'company_types',
      },
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
        excluded: 'excluded_company_founded',
        hint: 'Companies whose year is unknown do not match.',
      },
      {
        name: 'company_funding',
        label: 'Total funding',
        excluded: 'excluded_company_funding',
        hint: 'In US dollars, such as 5m. Companies whose funding is unknown do not match.',
      },
      {
        name: 'company_names',
        label: 'Company name',
        excluded: 'excluded_company_names',
        separator: betweenNames,
        hint: 'Legal forms such as “Inc.” are ignored.',
      },
      {
        name: 'company_domains',
        label: 'Company domain',
        excluded: 'excluded_company_domains',
        separator: betweenDomains,
        hint: `Paste up to ${limits.filterValuesMax} domains, such as acme.com. For more, put up to ${formatNumber(limits.listDomainsMax)} into a list under Saved, and choose the list here under Saved list.`,
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
          'You have no lists yet. Create one under Saved, for example with the domains of your customers, or import them from your CRM under Integrations.',
      },
    ],
  },
];

export const filterFields: readonly FilterField[] = filterGroups.flatMap(({ fields }) => fields);

/** Every filter, also those that exclude values. */
export const filterNames = filterFields.flatMap(({ name, excluded }) =>
  excluded ? [name, excluded] : [name],
);

export function isRange(name: FilterName): name is RangeFilter {
  return /company_(founded|funding)$/.test(name);
}

/** What a search finds, as its screens name it, and the fields that it can be filtered by. */
export interface Finding {
  readonly kind: 'people' | 'companies';
  readonly one: string;
  readonly many: string;
  /** The title of its table. */
  readonly heading: string;
  /** The title of a search. */
  readonly title: string;
  /** Begins a sentence about no result. */
  readonly none: string;
  /** The result without filters. */
  readonly all: string;
  /** What fills an empty list of searches. */
  readonly invitation: string;
  /** What the preview does not show. */
  readonly alsoSaved: string;
  /** The screen of what is saved. */
  readonly saved: '/saved' | '/saved/companies';
  readonly groups: readonly { readonly label: string; readonly fields: readonly FilterField[] }[];
  /** The fields that are open initially, because most searches start with them. */
  readonly openFirst: readonly FilterName[];
}

export const findingPeople: Finding = {
  ...{ kind: 'people', one: 'person', many: 'people', heading: 'People', title: 'People search' },
  ...{ none: 'No one', all: 'Everyone', saved: '/saved' },
  invitation:
    'Find people by name, job, location and company. Each filter shows at once how many people match, free of charge; a preview then shows who they are, and you pay only for the people whom you save.',
  alsoSaved: 'keywords, revenue, website and profile',
  groups: filterGroups,
  openFirst: ['person_names', 'job_titles', 'seniorities'],
};

const field = (name: FilterName, change: Partial<FilterField> = {}): FilterField => ({
  ...(filterFields.find(each => each.name === name) ?? { name, label: name }),
  ...change,
});

/** Companies have the filters of people that are about companies; places and keywords are their own. */
export const findingCompanies: Finding = {
  ...{ kind: 'companies', one: 'company', many: 'companies', heading: 'Companies', title: 'Company search' },
  ...{ none: 'No company', all: 'All companies', saved: '/saved/companies' },
  invitation:
    'Find companies by industry, size, place, technology and more. Each filter shows at once how many companies match, free of charge; a preview then shows which they are, and you pay only for those that you save.',
  alsoSaved: 'location, employees, revenue, funding and profile',
  groups: [
    {
      label: 'Company',
      fields: [
        ...(
          ['industries', 'company_sizes', 'revenues', 'company_types', 'company_technologies'] as const
        ).map(name => field(name)),
        ...(['company_founded', 'company_funding', 'keywords', 'company_names'] as const).map(name =>
          field(name),
        ),
        field('company_domains'),
      ],
    },
    { label: 'Headquarters', fields: [field('countries'), field('regions'), field('cities')] },
    {
      label: 'Saved',
      fields: [
        field('saved_lists', {
          hint: 'Companies and domains on a list, or the companies of the people on it.',
          hintWithout:
            'You have no lists yet. Create one under Saved, for example with the domains of your customers, or import them from your CRM under Integrations.',
        }),
      ],
    },
  ],
  openFirst: ['industries', 'company_sizes', 'countries'],
};

const companyFilters = findingCompanies.groups.flatMap(({ fields }) =>
  fields.flatMap(({ name, excluded }) => (excluded ? [name, excluded] : [name])),
);

/** Returns the filters that a company search has, such as from a link. */
export function filtersOfCompanies({ keyword_match, keyword_terms, ...filters }: Filters): Filters {
  const kept = Object.entries(filters).filter(([name]) => companyFilters.includes(name as FilterName));
  return {
    ...(Object.fromEntries(kept) as Filters),
    ...(keyword_match && { keyword_match }),
    ...(keyword_terms && { keyword_terms }),
  };
}
