import type { Clock } from '../../domain/deadline.ts';
import type { DnsAnswer } from '../../domain/dns/mail-dns.ts';

export interface CacheLimits {
  readonly entriesMax: number;
  /** Of all records together, by a rough count: 50,000 answers of 64 KiB would fill any memory. */
  readonly octetsMax: number;
}

export interface AnswerCache {
  /** What was kept under a key, with the lifetime that it has left. */
  get(key: string): DnsAnswer<unknown> | undefined;
  keep(key: string, answer: DnsAnswer<unknown>, lifetimeSeconds: number): void;
}

interface Entry {
  readonly answer: DnsAnswer<unknown>;
  readonly endsAtMs: number;
  readonly octets: number;
}

/** What an entry costs besides its records. */
const entryOctets = 200;
const recordOctets = 50;

/** Remembers answers for their lifetimes; those that nobody has asked for the longest give way to new ones. */
export function createAnswerCache(clock: Clock, { entriesMax, octetsMax }: CacheLimits): AnswerCache {
  // A map keeps the order of insertion, and what is asked for is inserted anew.
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
