import { Problem } from '@mailproof/service-kit';
import type { AccountId, pageQuery } from '@mailproof/shared-types';
import type { z } from 'zod';
import { cursorOf, type ListName, readCursor } from '../domain/cursor.ts';
import type { Page, PageRequest } from '../domain/statement.ts';

/** @throws Problem `invalid_cursor` for a cursor that this list never answered */
export function pageRequestOf(
  list: ListName,
  accountId: AccountId,
  { from, until, cursor, limit }: z.output<typeof pageQuery>,
): PageRequest {
  const below = cursor === undefined ? undefined : readCursor(list, cursor);
  if (cursor !== undefined && below === undefined) {
    throw new Problem('invalid_cursor');
  }
  return {
    accountId,
    from: from === undefined ? undefined : new Date(from),
    until: until === undefined ? undefined : new Date(until),
    below,
    limit,
  };
}

/** The cursor of the next page, where there is one. */
export function nextCursorOf(list: ListName, { endedWith }: Page<unknown>): { nextCursor?: string } {
  return endedWith === undefined ? {} : { nextCursor: cursorOf(list, endedWith) };
}
