import { parseProfileUrl } from '../profile-url/parse-profile-url.ts';
import { readCountry } from '../reading/country.ts';
import { isEmailAddress } from '../reading/text.ts';
import { readDomain } from '../reading/web-address.ts';
import { fieldsOf, type ImportKind } from './fields.ts';
import type { RawValues } from './raw-row.ts';

/** Field to the column that it is read from. */
export type Mapping = Readonly<Record<string, string>>;

/** A mapping that cannot be used, in a sentence for whoever asked for it. */
export class MappingFault extends Error {
  override readonly name = 'MappingFault';
}

/** What was asked for: `column=field`, and `column=` to leave a column out. */
export function parseMap(text: string): { readonly column: string; readonly field: string } {
  const at = text.lastIndexOf('=');
  if (at < 1) {
    throw new MappingFault(`“${text}” is no mapping. Write --map column=field.`);
  }
  return { column: text.slice(0, at).trim(), field: text.slice(at + 1).trim() };
}

/**
 * Finds out which column holds what: first what was asked for, then by the names of columns, then by what stands in
 * them.
 */
export function decideMapping(
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
      throw new MappingFault(`There is no field “${field}”. Fields of ${kind} are ${listed(names)}.`);
    }
    if (field !== '' && isAddressColumn(column, samples)) {
      throw new MappingFault(`The column “${column}” holds email addresses, which are never stored.`);
    }
    used.add(column);
    if (field !== '') {
      mapping[field] = column;
    }
  }
  const free = (): string[] =>
    columns.filter(column => !used.has(column) && !isAddressColumn(column, samples));
  const take = (field: string, column: string | undefined): void => {
    if (column !== undefined && mapping[field] === undefined) {
      mapping[field] = column;
      used.add(column);
    }
  };
  for (const { name } of fields)
    take(
      name,
      free().find(column => keyOf(column) === name),
    );
  for (const { name, headers } of fields) {
    const named = headers.map(header => free().find(column => keyOf(column) === header));
    take(
      name,
      named.find(column => column !== undefined),
    );
  }
  for (const [field, looksRight] of Object.entries(looks[kind])) {
    take(
      field,
      free().find(column => mostly(column, samples, looksRight)),
    );
  }
  assertUsable(kind, columns, mapping);
  return mapping;
}

/** By what stands in a column, where no name tells. */
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
  const values = samples.flatMap(sample => sample[column] ?? []);
  return values.length >= 3 && values.filter(looksRight).length >= values.length * 0.8;
}

function isAddressColumn(column: string, samples: readonly RawValues[]): boolean {
  const values = samples.flatMap(sample => sample[column] ?? []);
  return (
    /e_?mails?(?:_address(?:es)?)?$/.test(keyOf(column)) ||
    (values.length > 0 && values.filter(isEmailAddress).length >= values.length * 0.5)
  );
}

function assertUsable(kind: ImportKind, columns: readonly string[], mapping: Mapping): void {
  const has = (...fields: readonly string[]) => fields.some(field => mapping[field] !== undefined);
  const missing = [
    ...(kind === 'companies' && !has('domain', 'website', 'profile_url')
      ? ['a domain, website or profile_url, by which companies are recognised']
      : []),
    ...(kind === 'companies' && !has('name') ? ['a name'] : []),
    ...(kind === 'people' && !has('profile_url') ? ['a profile_url, by which people are recognised'] : []),
    ...(kind === 'people' && !has('full_name', 'first_name', 'last_name') ? ['a full_name'] : []),
  ];
  if (missing.length > 0) {
    throw new MappingFault(
      `No column can be used for ${missing.join(', nor for ')}. The file has ${listed(columns)}. Name columns with --map column=field, or another --delimiter.`,
    );
  }
}

/** `Company Name`, `company-name` and `companyName` are one name. */
function keyOf(column: string): string {
  return column
    .replace(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '_')
    .replace(/^_+|_+$/g, '');
}

const listedMax = 40;

function listed(names: readonly string[]): string {
  if (names.length === 0) {
    return 'none';
  }
  const shown = names.slice(0, listedMax).map(name => (name.length > 60 ? `${name.slice(0, 60)}…` : name));
  return `${shown.join(', ')}${names.length > listedMax ? ` and ${names.length - listedMax} more` : ''}`;
}
