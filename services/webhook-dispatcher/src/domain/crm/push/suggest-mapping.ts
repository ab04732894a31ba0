import {
  type CrmFieldMapping,
  type CrmObject,
  type CrmProperty,
  type ExportedValue,
  type ExportSource,
  isWriteBackProperty,
  writtenBackColumns,
} from '@mailproof/shared-types';
import { isOwnKey, requiredOf } from './mapping-faults.ts';
import { propertyValueOf } from './property-value.ts';

/** A column of a source with the values of its first rows. */
interface SampledColumn {
  readonly column: string;
  readonly samples: readonly ExportedValue[];
}

interface SuggestedField {
  readonly field: CrmFieldMapping;
  readonly property: CrmProperty;
  readonly samples: readonly ExportedValue[];
}

export interface MappingSuggestion {
  readonly fields: readonly SuggestedField[];
  readonly unmatched: readonly SampledColumn[];
  readonly missing: readonly CrmProperty[];
}

/** How well a column fits a property; higher is better. */
const fits = { sameName: 4, sameLabel: 3, sameMeaning: 2, wholeName: 1, none: 0 } as const;

/** Our columns whose values change with each validation. */
const verdictColumns: readonly string[] = [
  'result_status',
  'valid',
  'mx_domain',
  'mx_provider',
  'email_type',
];

/**
 * Suggests which column fills which property: first by the same name or label in any spelling, then by the meaning of
 * names, if the values fit the type. Each property gets one column and each column one property, best fits first.
 */
export function suggestMapping({
  columns,
  properties,
  source,
  object,
}: {
  readonly columns: readonly SampledColumn[];
  readonly properties: readonly CrmProperty[];
  readonly source: ExportSource;
  readonly object: CrmObject;
}): MappingSuggestion {
  const writable = properties.filter(each => each.is_writable && each.type !== 'other' && !isOwnKey(each));
  const offered = columns.filter(({ column }) => isAboutObject(column, source, object));
  const candidates = offered
    .flatMap(column => writable.map(property => ({ column, property, fit: fitOf(column, property, object) })))
    .filter(({ fit }) => fit > fits.none)
    // Sorting keeps the order of equal items: columns in their order, properties as the CRM lists them.
    .sort((a, b) => b.fit - a.fit);
  const byColumn = new Map<string, SuggestedField>();
  const taken = new Set<string>();
  for (const { column, property } of candidates) {
    if (!byColumn.has(column.column) && !taken.has(property.name)) {
      taken.add(property.name);
      byColumn.set(column.column, {
        field: { column: column.column, property: property.name, policy: policyOf(column.column) },
        property,
        samples: column.samples,
      });
    }
  }
  return {
    fields: columns.flatMap(({ column }) => byColumn.get(column) ?? []),
    unmatched: columns.filter(({ column }) => !byColumn.has(column)),
    missing: requiredOf(properties).filter(({ name }) => !taken.has(name)),
  };
}

/** If the companies of people are pushed, only columns about the company qualify. */
function isAboutObject(column: string, { kind }: ExportSource, object: CrmObject): boolean {
  return (
    kind !== 'saved_people' ||
    object !== 'company' ||
    /^(?:company_|industry$|annual_revenue|revenue$)/.test(column)
  );
}

function fitOf({ column, samples }: SampledColumn, property: CrmProperty, object: CrmObject): number {
  const fit = nameFit(column, property, object);
  return fit > fits.none && canHold(property, samples) ? fit : fits.none;
}

function nameFit(column: string, { name, label }: CrmProperty, object: CrmObject): number {
  const words = wordsOf(column);
  if (words === '') {
    return fits.none;
  }
  if (words === wordsOf(name)) {
    return fits.sameName;
  }
  const result = writtenBackColumns.find(each => each === column);
  if (words === wordsOf(label) || (result && isWriteBackProperty(result, { name }))) {
    return fits.sameLabel;
  }
  const meaning = meaningOf(column, object);
  return meaning !== undefined &&
    (meaning === meaningOf(name, object) || meaning === meaningOf(label, object))
    ? fits.sameMeaning
    : wholeNameFit(column, name, object);
}

/** If rows have only full names, the last name takes them: CRMs have no other field for them, and some require it. */
function wholeNameFit(column: string, name: string, object: CrmObject): number {
  const isWhole = object !== 'company' && wholeNames.includes(wordsOf(column));
  return isWhole && meaningOf(name, object) === 'lastname' ? fits.wholeName : fits.none;
}

/** Whether the property accepts the sampled values; without values, the name decides. */
function canHold(property: CrmProperty, samples: readonly ExportedValue[]): boolean {
  const said = samples.map(sample => propertyValueOf(sample, property).kind).filter(kind => kind !== 'blank');
  return said.length === 0 || said.includes('value');
}

/** Users entered most values in a CRM, so these are kept. Verdicts become outdated and are overwritten. */
function policyOf(column: string): CrmFieldMapping['policy'] {
  return verdictColumns.includes(column) ? 'overwrite' : 'fill_blank';
}

/**
 * Names with the same meaning, without separators. The first of each line is the meaning; the others are names of list
 * columns and CRM properties.
 */
const meanings: readonly (readonly string[])[] = [
  ['firstname', 'givenname', 'forename', 'first', 'vorname', 'prenom', 'fname'],
  ['lastname', 'surname', 'familyname', 'last', 'nachname', 'nom', 'lname'],
  ['email', 'emailaddress', 'mail', 'workemail', 'businessemail', 'primaryemail', 'contactemail'],
  ['phone', 'phonenumber', 'telephone', 'tel', 'telephonenumber', 'workphone', 'businessphone', 'telefon'],
  ['mobilephone', 'mobile', 'mobilenumber', 'mobilephonenumber', 'cell', 'cellphone', 'handy'],
  ['fax', 'faxnumber'],
  ['jobtitle', 'title', 'position', 'role', 'jobposition', 'function'],
  ['salutation', 'courtesytitle'],
  ['seniority', 'hsseniority', 'employmentseniority', 'senioritylevel'],
  ['department', 'jobdepartment', 'employmentrole', 'hsrole'],
  [
    'linkedinurl',
    'linkedin',
    'linkedinprofile',
    'linkedinprofileurl',
    'hslinkedinurl',
    'linkedinbio',
    'linkedincompanypage',
    'profileurl',
  ],
  ['website', 'url', 'web', 'homepage', 'websiteurl', 'companywebsite', 'site'],
  ['domain', 'companydomain', 'companydomainname', 'domainname', 'websitedomain'],
  ['street', 'address', 'streetaddress', 'mailingstreet', 'billingstreet', 'addressline1'],
  ['city', 'town', 'locality', 'mailingcity', 'billingcity', 'ort', 'ville'],
  ['state', 'region', 'stateregion', 'province', 'stateprovince', 'mailingstate', 'billingstate'],
  ['zip', 'zipcode', 'postalcode', 'postcode', 'mailingpostalcode', 'billingpostalcode', 'plz'],
  ['country', 'countryregion', 'mailingcountry', 'billingcountry', 'land', 'pays'],
  ['industry', 'branche', 'sector'],
  ['numberofemployees', 'employees', 'employeecount', 'headcount', 'noofemployees'],
  ['annualrevenue', 'annualrevenueusd', 'revenueusd'],
  ['companysize', 'sizeofcompany'],
  ['description', 'about', 'summary', 'bio'],
  ['followercount', 'followers', 'linkedinfollowers'],
];

/** On a contact or a lead, these name the employer; a company's own property is called `name`. */
const companyNames = [
  'company',
  'companyname',
  'organisation',
  'organization',
  'organisationname',
  'organizationname',
  'employer',
  'accountname',
  'firma',
  'entreprise',
];

/** Names of columns with a person's full name. */
const wholeNames: readonly string[] = ['name', 'fullname', 'contactname', 'personname', 'vollername'];

const meaningByWords: ReadonlyMap<string, string> = new Map(
  meanings.flatMap(([meaning = '', ...others]) => [meaning, ...others].map(words => [words, meaning])),
);

/** `First Name`, `first_name`, `FirstName` and `First_Name__c` are all `firstname`. */
function wordsOf(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/__c$/i, '')
    .toLowerCase()
    .replace(/^input_/, '')
    .replace(/[^\p{L}\p{N}]/gu, '');
}

function meaningOf(name: string, object: CrmObject): string | undefined {
  const words = wordsOf(name);
  if (companyNames.includes(words) || (object === 'company' && words === 'name')) {
    return 'company';
  }
  return meaningByWords.get(words);
}
