import type { Schema } from '../api/client.ts';

type Result = Schema['AddressCheck']['result'];

/** What one wants to know, around the address: what stands ahead of it and what behind. */
const headlines: Readonly<Record<Result, readonly [before: string, after: string]>> = {
  ok: ['Mail to', 'will arrive'],
  catch_all_validated: ['Mail to', 'will very likely arrive'],
  catch_all: ['Mail to', 'will be taken, but perhaps read by nobody'],
  invalid: ['Mail to', 'will not arrive'],
  unknown: ['Nobody can tell yet whether mail to', 'will arrive'],
};

/** The plain answer, in the parts around the address. */
export function headlineOf(result: Result): readonly [before: string, after: string] {
  return headlines[result];
}

/** The same as one sentence. */
export function sentenceOf(result: Result, email: string): string {
  const [before, after] = headlines[result];
  return `${before} ${email} ${after}.`;
}
