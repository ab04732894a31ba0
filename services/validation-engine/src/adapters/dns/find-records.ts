import { isIPv4, isIPv6 } from 'node:net';
import type { Answer } from 'dns-packet';
import type { MxRecord } from '../../domain/dns/mail-dns.ts';
import { positiveLifetime } from './lifetime.ts';
import { normaliseName, printableName } from './name.ts';
import { packetTypes, type Query } from './query.ts';
import type { RecordContents, RecordType } from './record-lookup.ts';

/** What an answer section holds for a question. */
export type Found<Type extends RecordType> =
  | {
      readonly kind: 'answer';
      readonly records: readonly RecordContents[Type][];
      readonly ttlSeconds: number;
    }
  /** Aliases whose last target has no records here. */
  | { readonly kind: 'alias'; readonly target: string; readonly ttlSeconds: number }
  | { readonly kind: 'nothing'; readonly ttlSeconds: number }
  | { readonly kind: 'failure'; readonly failure: 'malformed' };

/** Longer chains than any resolver follows; whoever builds them wants something else than mail. */
export const aliasesMax = 8;

interface PlainRecord {
  readonly type: string;
  readonly data: unknown;
  readonly ttl: number;
}

const malformed = { kind: 'failure', failure: 'malformed' } as const;

/** Follows the aliases from the name that was asked about to its records (RFC 1034 section 3.6.2). */
export function findRecords<Type extends RecordType>(
  answers: readonly Answer[],
  query: Query & { readonly type: Type },
): Found<Type> {
  const byOwner = groupByOwner(answers);
  const ttls: number[] = [];
  const seen = new Set<string>();
  let owner = query.name;
  while (seen.size <= aliasesMax && !seen.has(owner)) {
    seen.add(owner);
    const here = byOwner.get(owner) ?? [];
    const matching = here.filter(({ type }) => type === packetTypes[query.type]);
    if (matching.length > 0) {
      ttls.push(...matching.map(({ ttl }) => ttl));
      return readContents(matching, query.type, positiveLifetime(ttls));
    }
    const alias = here.find(({ type }) => type === 'CNAME');
    if (alias === undefined) {
      const ttlSeconds = positiveLifetime(ttls);
      return ttls.length === 0
        ? { kind: 'nothing', ttlSeconds }
        : { kind: 'alias', target: owner, ttlSeconds };
    }
    if (typeof alias.data !== 'string') {
      return malformed;
    }
    ttls.push(alias.ttl);
    owner = normaliseName(printableName(alias.data));
  }
  return malformed;
}

function groupByOwner(answers: readonly Answer[]): ReadonlyMap<string, PlainRecord[]> {
  const byOwner = new Map<string, PlainRecord[]>();
  for (const record of answers) {
    if (record.type !== 'OPT' && record.class === 'IN') {
      const owner = normaliseName(printableName(record.name));
      const here = byOwner.get(owner) ?? [];
      here.push({ type: record.type, data: record.data, ttl: record.ttl ?? 0 });
      byOwner.set(owner, here);
    }
  }
  return byOwner;
}

function readContents<Type extends RecordType>(
  records: readonly PlainRecord[],
  type: Type,
  ttlSeconds: number,
): Found<Type> {
  const contents: RecordContents[Type][] = [];
  for (const { data } of records) {
    const content = readers[type](data);
    if (content === undefined) {
      return malformed;
    }
    contents.push(content);
  }
  return { kind: 'answer', records: contents, ttlSeconds };
}

/** dns-packet trusts the lengths in a packet, so that what it gives is not always what it should be. */
const readers: { readonly [Type in RecordType]: (data: unknown) => RecordContents[Type] | undefined } = {
  A: data => (typeof data === 'string' && isIPv4(data) ? data : undefined),
  AAAA: data => (typeof data === 'string' && isIPv6(data) ? data : undefined),
  MX: readMx,
  TXT: readText,
  OPENPGPKEY: readBare,
  SMIMEA: readBare,
};

function readMx(data: unknown): MxRecord | undefined {
  const { preference, exchange } = data as Partial<MxRecord>;
  return typeof preference === 'number' && typeof exchange === 'string'
    ? { preference, exchange: printableName(exchange) }
    : undefined;
}

/** The strings of one record are one text, without anything between them (RFC 7208 section 3.3). */
function readText(data: unknown): string | undefined {
  return Array.isArray(data) && data.every(part => Buffer.isBuffer(part))
    ? Buffer.concat(data).toString()
    : undefined;
}

/** A copy, because what dns-packet gives is a window on the whole packet and would keep it in memory. */
function readBare(data: unknown): Uint8Array | undefined {
  return Buffer.isBuffer(data) ? Uint8Array.from(data) : undefined;
}
