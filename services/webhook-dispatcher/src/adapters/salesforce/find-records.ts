import { domainToUnicode } from 'node:url';
import type { CrmObject } from '@mailproof/shared-types';
import type { FoundRecord, IdentifyingProperty } from '../../domain/crm/crm.ts';
import { CrmFault } from '../../domain/crm/crm-fault.ts';
import { domainOf } from '../../domain/crm/domain-of.ts';
import { type Descriptions, namedField, type ObjectDescription, ownKeyField } from './object-description.ts';
import { missingOwnKeyAdvice } from './own-key.ts';
import { idKey, isIdOf } from './record-id.ts';
import { readValue } from './record-values.ts';
import { runQuery } from './run-query.ts';
import type { SalesforceSession } from './salesforce-session.ts';
import { encodedLength, groupsThatFit, quoted, quotedPattern } from './soql.ts';

export const identifyingProperties: Readonly<Record<CrmObject, IdentifyingProperty>> = {
  contact: { property: 'Email', kind: 'email' },
  lead: { property: 'Email', kind: 'email' },
  company: { property: 'Website', kind: 'domain' },
};

/** Records of one answer to a query. */
const answeredMax = 2_000;

/** How records are looked for by one property. */
interface Search {
  readonly property: string;
  /** What two values have in common that mean the same; undefined for one that nobody can have. */
  keyOf(value: string): string | undefined;
  /** What the condition for one key costs in an address, at most. */
  lengthOf(key: string): number;
  /** The condition that holds for records with one of the keys, and perhaps for others. */
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
  // Who has connected us does not see the field: whether there are records with a key of ours nobody can say.
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
  // One value can have more records than an answer: whoever comes first counts, and the others are asked for again. Every
  // full answer finds one value at least, so this ends.
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

/** Salesforce compares texts without regard to capital letters. */
function textKey(value: string): string | undefined {
  const text = value.trim().toLowerCase();
  return text === '' || text.length > 255 || !text.isWellFormed() ? undefined : text;
}

function listed(property: string, keyOf: Search['keyOf'], besides = ''): Search {
  return {
    property,
    keyOf,
    lengthOf: key => encodedLength(`${quoted(key)},`),
    where: keys => `${property} IN (${keys.map(quoted).join(',')})${besides}`,
  };
}

/** A lead that has become a contact can no longer be changed, and is found as that contact. */
function byEmail(object: CrmObject): Search {
  const { property } = identifyingProperties[object];
  return listed(property, textKey, object === 'lead' ? ' AND IsConverted = false' : '');
}

/**
 * People write websites in many ways. Those without a path are compared as they are, for the others everything that
 * begins with the name is asked for; what of it is of the domain is told from the answer.
 */
const byWebsite: Search = {
  property: 'Website',
  keyOf: domainOf,
  lengthOf(domain) {
    const { whole, begun } = websitesOf(domain);
    return encodedLength(`${whole.join(',')},${begun.join(' OR ')} OR `);
  },
  where(domains) {
    const websites = domains.map(websitesOf);
    const isWhole = `Website IN (${websites.flatMap(({ whole }) => whole).join(',')})`;
    return [isWhole, ...websites.flatMap(({ begun }) => begun)].join(' OR ');
  },
};

function websitesOf(domain: string): {
  readonly whole: readonly string[];
  readonly begun: readonly string[];
} {
  const spellings = new Set([domain, domainToUnicode(domain) || domain]);
  const hosts = [...spellings].flatMap(host => [host, `www.${host}`]);
  return {
    whole: hosts.flatMap(host => ['', 'http://', 'https://'].map(scheme => quoted(scheme + host))),
    begun: hosts.flatMap(host =>
      (['', '%://'] as const).map(before => `Website LIKE ${quotedPattern(before, host, '/%')}`),
    ),
  };
}
