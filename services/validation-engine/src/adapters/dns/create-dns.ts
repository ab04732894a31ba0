import type { Clock, Deadline } from '../../domain/concurrency/deadline.ts';
import { createSingleFlight } from '../../domain/concurrency/in-flight.ts';
import type { DnsAnswer, EvidenceDns, MailDns } from '../../domain/dns/mail-dns.ts';
import { askServers, type NameServer, nameServers } from './ask-servers.ts';
import { isAskable, normalizeName } from './query.ts';
import { aliasesMax } from './read-response.ts';
import type { RecordContents, RecordLookup, RecordType } from './record-lookup.ts';

/** Queries TXT records without a cache. */
export function createFreshDns(
  servers: readonly string[] | undefined,
  clock: Clock,
): Pick<EvidenceDns, 'resolveText'> {
  const client = createDnsClient(nameServers(servers), clock);
  return { resolveText: (name, deadline) => client.lookUp(name, 'TXT', deadline) };
}

/** Queries the given name servers, or the machine's own if none are given, and caches the answers. */
export function createDns(servers: readonly string[] | undefined, clock: Clock): MailDns & EvidenceDns {
  const lookup = createCachingLookup(createDnsClient(nameServers(servers), clock), clock);
  return {
    resolveMx: (name, deadline) => lookup.lookUp(name, 'MX', deadline),
    resolveAddresses: (name, family, deadline) => lookup.lookUp(name, family === 4 ? 'A' : 'AAAA', deadline),
    resolveText: (name, deadline) => lookup.lookUp(name, 'TXT', deadline),
    resolveKey: (name, type, deadline) => lookup.lookUp(name, type, deadline),
  };
}

const malformed = { kind: 'failure', failure: 'malformed' } as const;

/** Queries recursive name servers. They follow most aliases themselves; if one did not, its target is queried. */
export function createDnsClient(servers: () => readonly NameServer[], clock: Clock): RecordLookup {
  return {
    async lookUp(name, type, deadline): Promise<DnsAnswer<RecordContents[typeof type]>> {
      const asked = new Set<string>();
      let owner = normalizeName(name);
      let ttlSeconds = Number.POSITIVE_INFINITY;
      while (asked.size <= aliasesMax && !asked.has(owner) && isAskable(owner)) {
        asked.add(owner);
        const finding = await askServers(servers(), owner, type, clock, deadline);
        if (finding.kind === 'failure') {
          return finding;
        }
        // The target's records are valid no longer than the alias itself.
        ttlSeconds = Math.min(ttlSeconds, finding.ttlSeconds ?? ttlSeconds);
        if (finding.kind !== 'alias') {
          return { ...finding, ttlSeconds };
        }
        owner = finding.target;
      }
      return malformed;
    },
  };
}

const limitsDefault: CacheLimits = { entriesMax: 50_000, octetsMax: 32 * 1_024 * 1_024 };

/** Time limit for a shared query, in milliseconds, well above all tries of any client. */
const questionTimeoutMs = 60_000;

/**
 * How long failures are cached, in seconds: long enough to avoid more queries (RFC 9520 section 3.2), too short to
 * count as facts.
 */
const failureLifetimeSeconds = { timeout: 1, malformed: 1, servfail: 5, refused: 5 } as const;

const timedOut = { kind: 'failure', failure: 'timeout' } as const;

/**
 * Answers from its cache if it can, and sends one query for all concurrent callers with the same question. Each caller
 * keeps its own deadline; the query is canceled only when no caller waits for it.
 */
export function createCachingLookup(
  lookup: RecordLookup,
  clock: Clock,
  limits: CacheLimits = limitsDefault,
): RecordLookup {
  const cache = createAnswerCache(clock, limits);
  const questions = createSingleFlight<DnsAnswer<unknown>>(clock, questionTimeoutMs);

  async function ask(key: string, name: string, type: RecordType, deadline: Deadline) {
    const answer = await lookup.lookUp(name, type, deadline);
    // A canceled query says nothing about the name.
    if (!deadline.signal.aborted) {
      cache.keep(key, answer, lifetimeOf(answer));
    }
    return answer;
  }

  return {
    async lookUp(name, type, deadline) {
      const plain = normalizeName(name);
      // The type is part of the key, so a cached answer has records of this type.
      const key = `${type} ${plain}`;
      type Answer = DnsAnswer<RecordContents[typeof type]>;
      const kept = cache.get(key) as Answer | undefined;
      if (kept !== undefined) {
        return kept;
      }
      const answer = await questions.join(key, deadline, shared => ask(key, plain, type, shared));
      return (answer ?? timedOut) as Answer;
    },
  };
}

function lifetimeOf(answer: DnsAnswer<unknown>): number {
  return answer.kind === 'failure' ? failureLifetimeSeconds[answer.failure] : (answer.ttlSeconds ?? 0);
}

export interface CacheLimits {
  readonly entriesMax: number;
  /** Limit on all records together, by a rough count: 50,000 answers of 64 KiB would fill any memory. */
  readonly octetsMax: number;
}

interface AnswerCache {
  /** The cached answer, with its remaining lifetime. */
  get(key: string): DnsAnswer<unknown> | undefined;
  keep(key: string, answer: DnsAnswer<unknown>, lifetimeSeconds: number): void;
}

interface Entry {
  readonly answer: DnsAnswer<unknown>;
  readonly endsAtMs: number;
  readonly octets: number;
}

/** Octets of an entry, excluding its records. */
const entryOctets = 200;
const recordOctets = 50;

/** Caches answers for their lifetimes, and evicts the least recently used. */
function createAnswerCache(clock: Clock, { entriesMax, octetsMax }: CacheLimits): AnswerCache {
  // A map keeps insertion order, so a read reinserts its entry.
  const entries = new Map<string, Entry>();
  let octets = 0;

  function drop(key: string): void {
    octets -= entries.get(key)?.octets ?? 0;
    entries.delete(key);
  }

  return {
    get(key) {
      const entry = entries.get(key);
      if (entry === undefined) {
        return undefined;
      }
      const leftMs = entry.endsAtMs - clock.nowMs();
      if (leftMs <= 0) {
        drop(key);
        return undefined;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry.answer.kind === 'failure'
        ? entry.answer
        : { ...entry.answer, ttlSeconds: Math.ceil(leftMs / 1_000) };
    },
    keep(key, answer, lifetimeSeconds) {
      drop(key);
      const entry = {
        answer,
        endsAtMs: clock.nowMs() + lifetimeSeconds * 1_000,
        octets: entryOctets + 2 * key.length + weigh(answer),
      };
      entries.set(key, entry);
      octets += entry.octets;
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax && octets <= octetsMax) {
          break;
        }
        drop(oldest);
      }
    },
  };
}

function weigh(answer: DnsAnswer<unknown>): number {
  if (answer.kind !== 'answer') {
    return 0;
  }
  return answer.records.reduce<number>((sum, record) => sum + recordOctets + weighRecord(record), 0);
}

function weighRecord(record: unknown): number {
  if (typeof record === 'string') {
    return 2 * record.length;
  }
  if (record instanceof Uint8Array) {
    return record.length;
  }
  return Object.values(record as object).reduce<number>((sum, part) => sum + 2 * String(part).length, 0);
}
