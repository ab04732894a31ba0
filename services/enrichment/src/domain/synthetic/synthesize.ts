import {
  type LoadOutcome,
  type ProfileStore,
  recordsPerBatchMax,
  type SourceLoad,
} from '../profile-store/profile-store.ts';
import { syntheticCompany } from './synthetic-company.ts';
import { syntheticPerson } from './synthetic-person.ts';

export interface SynthesizeRequest {
  readonly seed: number;
  readonly companies: number;
  readonly people: number;
  readonly now: () => Date;
  readonly onProgress: (done: number, total: number) => void;
  readonly signal?: AbortSignal;
}

export interface Synthesized {
  readonly added: number;
  readonly changed: number;
  readonly unchanged: number;
}

/** The source of all invented records of a seed: the same seed again is the same load. */
export function syntheticLoad(seed: number): SourceLoad {
  return {
    kind: 'synthetic',
    name: `Generator, seed ${seed}`,
    licence: 'CC0-1.0',
    retrievedOn: '2026-01-01',
    fingerprint: '',
  };
}

/** Puts invented companies and then invented people into the store; the same seed again changes nothing. */
export async function synthesize(store: ProfileStore, request: SynthesizeRequest): Promise<Synthesized> {
  const { seed, companies, people, now, onProgress, signal } = request;
  const load = syntheticLoad(seed);
  const counts = { added: 0, changed: 0, unchanged: 0 };
  let done = 0;
  async function keep(count: number, loadBatch: (from: number, to: number) => Promise<LoadOutcome[]>) {
    for (let from = 0; from < count; from += recordsPerBatchMax) {
      signal?.throwIfAborted();
      const to = Math.min(from + recordsPerBatchMax, count);
      for (const { kind } of await loadBatch(from, to)) {
        counts[kind === 'added' || kind === 'unchanged' ? kind : 'changed'] += 1;
      }
      done += to - from;
      onProgress(done, companies + people);
    }
  }
  await keep(companies, (from, to) =>
    store.loadCompanies(
      load,
      range(from, to, index => syntheticCompany(seed, index)),
      now(),
    ),
  );
  await keep(people, (from, to) =>
    store.loadPeople(
      load,
      range(from, to, index => syntheticPerson(seed, index, companies)),
      now(),
    ),
  );
  return counts;
}

function range<Item>(from: number, to: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: to - from }, (_, place) => make(from + place));
}
