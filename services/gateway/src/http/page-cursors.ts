import { Problem, type Sealer, SealFault } from '@mailproof/service-kit';
import type { AccountId } from '@mailproof/shared-types';

/** The cursors that one account is given: where its pages end, sealed. */
export interface PageCursors {
  /** @throws Problem `invalid_cursor` for what was not sealed for this account */
  open(cursor: string): Promise<string>;
  seal(position: string): Promise<string>;
}

/**
 * Seals positions on their way out and opens them on their way back in. A position holds numbers that our tables count across
 * all accounts. Unsealed, it would tell how many rows there are, and a customer could try positions to find out (ADR 0057).
 */
export function pageCursorsOf(sealer: Sealer, accountId: AccountId): PageCursors {
  return {
    async open(cursor) {
      try {
        return await sealer.open(cursor, accountId);
      } catch (cause) {
        if (!(cause instanceof SealFault)) {
          throw cause;
        }
        throw new Problem('invalid_cursor', {
          detail:
            'This cursor belongs to another account or to an earlier release. Start from the first page.',
          cause,
        });
      }
    },
    seal: position => sealer.seal(position, accountId),
  };
}

/** What a list is asked for, with the position in place of the cursor. */
export async function withOpenCursor<Query>(query: Query, cursors: PageCursors): Promise<Query> {
  const { cursor } = query as { cursor?: string | undefined };
  return cursor === undefined ? query : { ...query, cursor: await cursors.open(cursor) };
}

/** What a list answers, with a cursor in place of the position. */
export async function withSealedCursor<Answer>(answer: Answer, cursors: PageCursors): Promise<Answer> {
  const { next_cursor: position } = answer as { next_cursor?: string | undefined };
  return position === undefined ? answer : { ...answer, next_cursor: await cursors.seal(position) };
}
