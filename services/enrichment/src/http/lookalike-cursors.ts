import { Problem } from '@mailproof/service-kit';
import { discoverySearchId } from '@mailproof/shared-types';
import { z } from 'zod';
import type { DeliveredPosition } from '../domain/lookalike-search/company-rows.ts';
import type { SearchPosition } from '../domain/lookalike-search/lookalike-searches.ts';

const companyNumbers = z.tuple([
  z
    .int()
    .nonnegative()
    .max(2 ** 31 - 1),
  z
    .int()
    .nonnegative()
    .max(2 ** 31 - 1),
]);
const searchMoment = z.tuple([z.iso.datetime(), discoverySearchId]);

export function companyCursorOf({ rank, companyNo }: DeliveredPosition): string {
  return write([rank, companyNo]);
}

/** @throws Problem `invalid_cursor` */
export function readCompanyCursor(cursor: string): DeliveredPosition {
  const [rank, companyNo] = read(companyNumbers, cursor);
  return { rank, companyNo };
}

export function searchCursorOf({ createdAt, searchId }: SearchPosition): string {
  return write([createdAt.toISOString(), searchId]);
}

/** @throws Problem `invalid_cursor` */
export function readSearchCursor(cursor: string): SearchPosition {
  const [createdAt, searchId] = read(searchMoment, cursor);
  return { createdAt: new Date(createdAt), searchId };
}

function write(position: readonly unknown[]): string {
  return Buffer.from(JSON.stringify(position)).toString('base64url');
}

function read<Position>(schema: z.ZodType<Position>, cursor: string): Position {
  try {
    return schema.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()));
  } catch (cause) {
    throw new Problem('invalid_cursor', { cause });
  }
}
