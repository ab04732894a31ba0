import { readDomain } from '@mailproof/shared-types/web-address';
import { parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import { readCountry } from '../reading/country.ts';
import { isEmailAddress } from '../reading/text.ts';
import { fieldsOf, type ImportKind } from './fields.ts';
import { columnKey, layoutOf } from './layouts.ts';
import { cellOf, type RawValues } from './table-file.ts';

/** The source column of each field. */
export type Mapping = Readonly<Record<string, string>>;

/** A mapping that cannot be used; the message is for its author. */
export class MappingFault extends Error {
  override readonly name = 'MappingFault';
}

/** Parses a mapping option: `column=field`, or `column=` to omit a column. */
export function parseMap(text: string): { readonly column: string; readonly field: string } {
  const at = text.lastIndexOf('=');
  if (at < 1) {
    throw new MappingFault(`“${text}” is not a valid mapping. Use --map column=field.`);
  }
  return { column: text.slice(0, at).trim(), field: text.slice(at + 1).trim() };
}

/**
 * Determines which column holds which field: first by the given mapping, then by column names, then by values.
 *
 * @throws MappingFault if a given column or field does not exist, or if no column identifies the records
 */
export function decideMapping(
  kind: ImportKind,
  columns: readonly string[],
  samples: readonly RawValues[],
  asked: readonly { readonly column: string; readonly field: string }[],
): Mapping {
  const mapping = suggestMapping(kind, columns, samples, asked);
  const missing = missingFields(kind, mapping);
  if (missing.length > 0) {
    throw new MappingFault(
      `No column can be used for ${missing.join(', nor for ')}. The file has ${listed(columns)}. Map columns with --map column=field, or change the --delimiter.`,
    );
  }
  return mapping;
}

/** The same, also if no column identifies the records. */
export function suggestMapping(
  kind: ImportKind,
  columns: readonly string[],
  samples: readonly RawValues[],
  asked: readonly { readonly column: string; readonly field: string }[],
): Mapping {
  const fields = fieldsOf(kind);
  const names = fields.map(({ name }) => name);
  const mapping: Record<string, string> = {};
  const used = new Set<string>();
  for (const { column, field } of asked) {
    if (!columns.includes(column)) {
      throw new MappingFault(`The file has no column “${column}”. It has ${listed(columns)}.`);
    }
    if (field !== '' && !names.includes(field)) {
      throw new MappingFault(`There is no field “${field}”. The fields of ${kind} are ${listed(names)}.`);
    }
    if (field !== '' && isAddressColumn(column, samples)) {
      throw new MappingFault(`The column “${column}” contains email addresses, which are never stored.`);
    }
    used.add(column);
    if (field !== '') {
      mapping[field] = column;
    }
  }
  // Computed once: a file can have hundreds of columns, and there are hundreds of names to compare them with.
  const loadable = columns.filter(column => !isAddressColumn(column, samples));
  const byKey = Map.groupBy(loadable, columnKey);
  const isFree = (column: string) => !used.has(column);
  const free = (key: string) => byKey.get(key)?.find(isFree);
  const take = (field: string, column: string | undefined): void => {
    if (column !== undefined && mapping[field] === undefined) {
      mapping[field] = column;
      used.add(column);
    }
  };
  const layout = layoutOf(kind, columns);
  for (const [key, field] of Object.entries(layout?.fields ?? {})) {
    const column = free(key);
    if (field !== '') {
      take(field, column);
    } else if (column !== undefined) {
      used.add(column);
    }
  }
  for (const { name } of fields) {
    take(name, free(name));
  }
  for (const { name, headers } of fields) {
    const header = headers.find(each => free(each) !== undefined);
    take(name, header && free(header));
  }
  for (const [field, looksRight] of Object.entries(looks[kind])) {
    take(
      field,
      loadable.find(column => isFree(column) && mostly(column, samples, looksRight)),
    );
  }
  const isAsked = asked.some(({ field }) => field === 'website');
  if (kind === 'people' && layout === undefined && !isAsked && isEmployersWebsite(mapping, samples)) {
    const { website, ...others } = mapping;
    return { ...others, ...(website !== undefined && { company_domain: website }) };
  }
  return mapping;
}

/** In lists of people, a column `Website` usually holds the employer's: its domains resemble the names of companies. */
function isEmployersWebsite(mapping: Mapping, samples: readonly RawValues[]): boolean {
  const { website, company_name: companyName, company_domain: companyDomain } = mapping;
  if (website === undefined || companyName === undefined || companyDomain !== undefined) {
    return false;
  }
  const pairs = samples.flatMap(sample => {
    const domain = readDomain([cellOf(sample, website) ?? ''].flat().join());
    const name = lettersOf([cellOf(sample, companyName) ?? ''].flat().join());
    return domain === undefined || name === ''
      ? []
      : [{ label: lettersOf(domain.split('.')[0] ?? ''), name }];
  });
  const alike = pairs.filter(({ label, name }) => label.startsWith(name.slice(0, 4)) || name.includes(label));
  return pairs.length > 0 && alike.length >= pairs.length * 0.5;
}

function lettersOf(text: string): string {
  return text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
}

/** Recognizes fields by the values of a column whose name is unknown. */
const looks: Readonly<Record<ImportKind, Readonly<Record<string, (text: string) => boolean>>>> = {
  companies: {
    profile_url: text => parseProfileUrl(text)?.kind === 'organisation',
    website: text => /^https?:\/\//i.test(text) && readDomain(text) !== undefined,
    domain: text => /^[\w-]+(?:\.[\w-]+)+$/.test(text) && readDomain(text) !== undefined,
    country: text => readCountry(text) !== undefined,
  },
  people: {
    profile_url: text => parseProfileUrl(text)?.kind === 'person',
    country: text => readCountry(text) !== undefined,
  },
};

function mostly(
  column: string,
  samples: readonly RawValues[],
  looksRight: (text: string) => boolean,
): boolean {
  const values = samples.flatMap(sample => cellOf(sample, column) ?? []);
  return values.length >= 3 && values.filter(looksRight).length >= values.length * 0.8;
}

/** Whether a column has email addresses, by its name or its values. */
export function isAddressColumn(column: string, samples: readonly RawValues[]): boolean {
  const values = samples.flatMap(sample => cellOf(sample, column) ?? []);
  return (
    /e_?mails?(?:_address(?:es)?)?$/.test(columnKey(column)) ||
    (values.length > 0 && values.filter(isEmailAddress).length >= values.length * 0.5)
  );
}

/** Returns what a mapping lacks to identify records, in words. */
export function missingFields(kind: ImportKind, mapping: Mapping): string[] {
  const has = (...fields: readonly string[]) => fields.some(field => mapping[field] !== undefined);
  return [
    ...(kind === 'companies' && !has('domain', 'website', 'profile_url')
      ? ['a domain, website or profile_url, to identify companies']
      : []),
    ...(kind === 'companies' && !has('name') ? ['a name'] : []),
    ...(kind === 'people' && !has('profile_url') ? ['a profile_url, to identify people'] : []),
    ...(kind === 'people' && !has('full_name', 'first_name', 'last_name') ? ['a full_name'] : []),
  ];
}

const listedMax = 40;

function listed(names: readonly string[]): string {
  if (names.length === 0) {
    return 'none';
  }
  const shown = names.slice(0, listedMax).map(name => (name.length > 60 ? `${name.slice(0, 60)}…` : name));
  return `${shown.join(', ')}${names.length > listedMax ? ` and ${names.length - listedMax} more` : ''}`;
}
