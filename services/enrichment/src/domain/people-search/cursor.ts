import { createHash } from 'node:crypto';
import type { PeopleFilters } from '@mailproof/shared-types';

const digestOctets = 12;

/** The filters as one text, the same for the same filters in whatever order their members stand. */
export function textOfFilters(filters: PeopleFilters): string {
  const given = Object.entries(filters).filter(([, value]) => value !== undefined);
  return JSON.stringify(given.sort(([one], [other]) => (one < other ? -1 : 1)));
}

/**
 * A cursor for the page after a person, good for these filters alone. It carries a digest and no signature: all that a
 * made-up one can do is begin elsewhere in what its sender may see anyway.
 */
export function peopleCursor(filters: PeopleFilters, after: number): string {
  const place = Buffer.alloc(4);
  place.writeUInt32BE(after);
  return Buffer.concat([place, digestOf(filters, place)]).toString('base64url');
}

/** The person_no after which the page begins; undefined for a cursor that does not belong to these filters. */
export function placeOfCursor(filters: PeopleFilters, cursor: string): number | undefined {
  const octets = Buffer.from(cursor, 'base64url');
  const place = octets.subarray(0, 4);
  const belongs =
    octets.length === 4 + digestOctets &&
    octets.toString('base64url') === cursor &&
    octets.subarray(4).equals(digestOf(filters, place));
  return belongs ? place.readUInt32BE() : undefined;
}

function digestOf(filters: PeopleFilters, place: Buffer): Buffer {
  return createHash('sha256').update(place).update(textOfFilters(filters)).digest().subarray(0, digestOctets);
}
