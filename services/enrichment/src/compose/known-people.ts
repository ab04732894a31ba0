import { type Recurring, startRecurring } from '@mailproof/service-kit';
import type { Pool } from 'pg';
import {
  createMatchKnownPeople,
  createNameKeyWriter,
  createOwnNameKeyWriter,
} from '../adapters/postgres/known-people.ts';
import type { Events } from '../events.ts';
import { knownPeopleHandlers } from '../http/known-people.ts';

/** How long a new person may be missing from evidence, in milliseconds. */
const writeEveryMs = 1_000;

/** Composes the matching of local parts with known people. */
export function composeKnownPeople(
  pool: Pool,
  events: Pick<Events, 'nameKeysFailed'>,
  now: () => Date,
): {
  readonly handlers: ReturnType<typeof knownPeopleHandlers>;
  start(): void;
  close(): Promise<void>;
} {
  const writers = [createNameKeyWriter(pool), createOwnNameKeyWriter(pool)];
  let writing: Recurring | undefined;
  let isClosing = false;
  return {
    handlers: knownPeopleHandlers(createMatchKnownPeople(pool, now)),
    start() {
      writing = startRecurring({
        everyMs: writeEveryMs,
        async work() {
          for (const writer of writers) {
            while (!isClosing && (await writer.writeNext()) > 0);
          }
        },
        onFailed: events.nameKeysFailed,
      });
    },
    async close() {
      isClosing = true;
      await writing?.close();
    },
  };
}
