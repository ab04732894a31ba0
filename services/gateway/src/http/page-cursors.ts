import { Problem, type Sealer, SealFault } from '@mailproof/service-kit';

/** The cursors that one account is given for one list: where its pages end, sealed. */
export interface PageCursors {
  /** @throws Problem `invalid_cursor` for what was not sealed for this account and list */
  open(cursor: string): Promise<string>;
  seal(position: string): Promise<string>;
}

/**
 * Seals positions on their way out and opens them on their way back in. A position holds numbers that our tables count across
 * all accounts. Unsealed, it would tell how many rows there are, and a customer could try positions to find out (ADR 0057).
 * Some lists take a position from the customer, so a cursor is good for its own list alone.
 *
 * @param subject the account and the list
 */
export function pageCursorsOf(sealer: Sealer, subject: string): PageCursors {
  return {
    async open(cursor) {
      try {
        return await sealer.open(cursor, subject);
      } catch (cause) {
        if (!(cause instanceof SealFault)) {
          throw cause;
        }
        throw new Problem('invalid_cursor', {
          detail:
            'This cursor belongs to another account, another list or an earlier release. Start from the first page.',
          cause,
        });
      }
    },
    seal: position => sealer.seal(position, subject),
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
