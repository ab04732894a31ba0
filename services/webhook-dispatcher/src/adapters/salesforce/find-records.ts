import { domainToUnicode } from 'node:url';
import type { CrmObject } from '@mailproof/shared-types';
import { CrmFault, type FoundRecord, type IdentifyingProperty } from '../../domain/crm/crm.ts';
import { domainOf } from '../../domain/crm/push/row-key.ts';
import { type Descriptions, namedField, type ObjectDescription, ownKeyField } from './object-description.ts';
import { missingOwnKeyAdvice } from './own-key.ts';
import { idKey, isIdOf, readValue } from './record-values.ts';
import type { SalesforceSession } from './salesforce-session.ts';
import { encodedLength, groupsThatFit, quoted, quotedPattern, runQuery } from './soql.ts';

export const identifyingProperties: Readonly<Record<CrmObject, IdentifyingProperty>> = {
  contact: { property: 'Email', kind: 'email' },
  lead: { property: 'Email', kind: 'email' },
  company: { property: 'Website', kind: 'domain' },
};

/** The most records in one answer to a query. */
const answeredMax = 2_000;

/** How records are searched by one property. */
interface Search {
  readonly property: string;
  /** A key that values with the same meaning share; undefined for a value that no record can have. */
  keyOf(value: string): string | undefined;
  /** The most octets of a URL that the condition for one key uses. */
  lengthOf(key: string): number;
  /** A condition that holds for records with one of the keys, and possibly for others. */
  where(keys: readonly string[]): string;
}

export async function findRecords(
  session: SalesforceSession,
  descriptions: Descriptions,
  object: CrmObject,
  by: 'record_id' | 'own_key' | 'identifying',
  values: readonly string[],
  properties: readonly string[],
  signal: AbortSignal,
): Promise<readonly FoundRecord[]> {
  const isByOwnKey = by === 'own_key';
  const named = isByOwnKey ? [ownKeyField, ...properties] : properties;
  const described = await descriptions.of(object, named, signal);
  const search = searchFor(described, object, by);
  // The user who connected the organization cannot see the field, so it is unknown whether records have one of our
  // keys.
  if (isByOwnKey && !described.fields.has(ownKeyField)) {
    throw new CrmFault('not_found', null, missingOwnKeyAdvice(object));
  }
  const asked = new Map<string, string[]>();
  for (const value of new Set(values)) {
    const key = search.keyOf(value);
    if (key !== undefined) {
      asked.set(key, [...(asked.get(key) ?? []), value]);
    }
  }
  for (const property of properties) {
    namedField(described, property);
  }
  const selected = [...new Set(['Id', search.property, ...properties])];
  const found = await findByKeys(session, described, search, [...asked.keys()], selected, signal);
  return [...found].flatMap(([key, record]) =>
    (asked.get(key) ?? []).map(foundBy => ({
      recordId: String(record['Id']),
      foundBy,
      values: Object.fromEntries(properties.map(name => [name, readValue(record[name])])),
    })),
  );
}

async function findByKeys(
  session: SalesforceSession,
  { name }: ObjectDescription,
  search: Search,
  keys: readonly string[],
  selected: readonly string[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Readonly<Record<string, unknown>>>> {
  const found = new Map<string, Readonly<Record<string, unknown>>>();
  const soqlFor = (where: string) =>
    `SELECT ${selected.join(',')} FROM ${name} WHERE ${where} ORDER BY CreatedDate, Id LIMIT ${answeredMax}`;
  let left = keys;
  // One value can have more records than an answer holds. Then the first ones count, and the other values are queried
  // again. Every full answer finds at least one value, so this terminates.
  while (left.length > 0) {
    const next: string[] = [];
    for (const group of groupsThatFit(left, soqlFor(search.where([])), search.lengthOf)) {
      const { records, done } = await runQuery(session, soqlFor(search.where(group)), signal);
      const wanted = new Set(group);
      const before = found.size;
      for (const record of records) {
        const key = search.keyOf(String(record[search.property] ?? ''));
        if (key !== undefined && wanted.has(key) && !found.has(key)) {
          found.set(key, record);
        }
      }
      if ((records.length === answeredMax || !done) && found.size > before) {
        next.push(...group.filter(key => !found.has(key)));
      }
    }
    left = next;
  }
  return found;
}

function searchFor(
  { keyPrefix }: ObjectDescription,
  object: CrmObject,
  by: 'record_id' | 'own_key' | 'identifying',
): Search {
  switch (by) {
    case 'record_id':
      return listed('Id', value => (isIdOf(keyPrefix, value) ? idKey(value) : undefined));
    case 'own_key':
      return listed(ownKeyField, textKey);
    case 'identifying':
      return object === 'company' ? byWebsite : byEmail(object);
  }
}

/** Salesforce compares text without regard to case. */
function textKey(value: string): string | undefined {
  const text = value.trim().toLowerCase();
  return text === '' || text.length > 255 || !text.isWellFormed() ? undefined : text;
}

function listed(property: string, keyOf: Search['keyOf'], condition = ''): Search {
  return {
    property,
    keyOf,
    lengthOf: key => encodedLength(`${quoted(key)},`),
    where: keys => `${property} IN (${keys.map(quoted).join(',')})${condition}`,
  };
}

/** Excludes converted leads: they can no longer be changed, and are found as contacts. */
function byEmail(object: CrmObject): Search {
  const { property } = identifyingProperties[object];
  return listed(property, textKey, object === 'lead' ? ' AND IsConverted = false' : '');
}

/**
 * Websites are written in many ways. Those without a path are compared exactly; for the others, the query matches
 * everything that starts with the host, and the answer is then filtered by domain.
 */
const byWebsite: Search = {
  property: 'Website',
  keyOf: domainOf,
  lengthOf(domain) {
    const { whole, prefixes } = websitesOf(domain);
    return encodedLength(`${whole.join(',')},${prefixes.join(' OR ')} OR `);
  },
  where(domains) {
    const websites = domains.map(websitesOf);
    const isWhole = `Website IN (${websites.flatMap(({ whole }) => whole).join(',')})`;
    return [isWhole, ...websites.flatMap(({ prefixes }) => prefixes)].join(' OR ');
  },
};

function websitesOf(domain: string): {
  readonly whole: readonly string[];
  readonly prefixes: readonly string[];
} {
  const spellings = new Set([domain, domainToUnicode(domain) || domain]);
  const hosts = [...spellings].flatMap(host => [host, `www.${host}`]);
  return {
    whole: hosts.flatMap(host => ['', 'http://', 'https://'].map(scheme => quoted(scheme + host))),
    prefixes: hosts.flatMap(host =>
      (['', '%://'] as const).map(before => `Website LIKE ${quotedPattern(before, host, '/%')}`),
    ),
  };
}
