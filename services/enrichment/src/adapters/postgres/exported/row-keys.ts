import { Problem } from '@mailproof/service-kit';

/**
 * Rows are known by the value that they are in order by and their number. A moment stands there in microseconds since
 * 1970, which is all that Postgres knows of it, so that a key says where its row is even when the row is gone.
 */
export const keyOfMoment = (column: string, number: string) =>
  `(extract(epoch FROM ${column}) * 1000000)::bigint || '.' || ${number}`;

export const momentOfKey = (place: string) =>
  `'epoch'::timestamptz + ${place}::bigint * interval '1 microsecond'`;

/** The value and the number of a key; of none, what is ahead of every row. */
export function partsOfKey(key: string | undefined): readonly [order: string, number: string] {
  const [, order, number] = /^(\d{1,16})\.(\d{1,9})$/.exec(key ?? '0.0') ?? [];
  if (order === undefined || number === undefined) {
    throw new Problem('invalid_request', { detail: 'There is a key that no row of this source has.' });
  }
  return [order, number];
}

export function numbersOfKeys(keys: readonly string[]): number[] {
  return keys.map(key => Number(partsOfKey(key)[1]));
}
