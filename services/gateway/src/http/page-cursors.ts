import { Problem, type Sealer, SealFault } from '@mailproof/service-kit';
import { type AccountId, limits, type Operation } from '@mailproof/shared-types';

/** The cursors of one account for one list: sealed positions at which pages end. */
export interface PageCursors {
  /** @throws Problem `invalid_cursor` if the cursor was not sealed for this account and list */
  open(cursor: string): Promise<string>;
  seal(position: string): Promise<string>;
}

/**
 * Seals positions in responses and opens them in requests. A position holds numbers that our tables count across all
 * accounts. Unsealed, it would reveal how many rows there are, and a customer could probe positions to find out (ADR
 * 0057). Some lists take a position from the customer, so a cursor is valid for its own list only.
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

/** The cursors of an account for the list that an operation returns or starts. */
export function listCursorsOf(
  sealer: Sealer,
  { accountId }: { readonly accountId: AccountId },
  { id, beginsList }: Pick<Operation, 'id' | 'beginsList'>,
): PageCursors {
  return pageCursorsOf(sealer, `${accountId} ${beginsList ?? id}`);
}

/** Replaces the cursor in a list's query with its position. */
export async function withOpenCursor<Query>(query: Query, cursors: PageCursors): Promise<Query> {
  const { cursor } = query as { cursor?: string | undefined };
  return cursor === undefined ? query : { ...query, cursor: await cursors.open(cursor) };
}

/** Replaces the position in a list's answer with a cursor. */
export async function withSealedCursor<Answer>(answer: Answer, cursors: PageCursors): Promise<Answer> {
  const { next_cursor: position } = answer as { next_cursor?: string | undefined };
  return position === undefined ? answer : { ...answer, next_cursor: await cursors.seal(position) };
}

/**
 * Matches the position if it is the last member of an answer. These octets cannot occur elsewhere in JSON: the last
 * quote ends a string, the quote before it starts that string, and the two before those enclose the member's name.
 */
const lastPosition = /[{,]"next_cursor":"([\w-]+)"\}$/;
/** An upper bound on the size of such a member, in octets. */
const lastMemberBytesMax = limits.cursorCharactersMax + 32;

/**
 * Does the same in the octets of an answer. A page is not parsed (ADR 0064); any other answer is parsed if it contains
 * the member's name, which our services write without escapes.
 */
export async function withSealedCursorInside(answer: Buffer, cursors: PageCursors): Promise<Buffer> {
  const [, position] = lastPosition.exec(answer.toString('latin1', answer.length - lastMemberBytesMax)) ?? [];
  if (position !== undefined) {
    const before = answer.subarray(0, answer.length - `"${position}"}`.length);
    return Buffer.concat([before, Buffer.from(`${JSON.stringify(await cursors.seal(position))}}`)]);
  }
  return answer.includes('"next_cursor"')
    ? Buffer.from(JSON.stringify(await withSealedCursor(JSON.parse(answer.toString()), cursors)))
    : answer;
}
