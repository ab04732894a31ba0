import { describe, expect, it } from '@jest/globals';
import { describeEntry } from './describe-entry.ts';
import { statementCsv } from './statement-csv.ts';
import type { LedgerEntry } from './statement-port.ts';

function entry(entryId: number, change: Partial<LedgerEntry> = {}): LedgerEntry {
  return {
    entryId: `entry_${entryId}`,
    kind: 'settle',
    cause: 'validate-single-email',
    runId: 'run',
    requestId: null,
    grantId: null,
    holdId: null,
    refundId: null,
    availableChange: 0,
    heldChange: -1,
    availableAfter: 9,
    heldAfter: 0,
    at: '2026-03-02T09:30:00.000Z',
    ...change,
  };
}

async function csvOf(pages: readonly (readonly LedgerEntry[])[], rowsMax = 100): Promise<string[]> {
  const read = async (cursor: string | undefined) => {
    const at = Number(cursor ?? 0);
    return { entries: pages[at] ?? [], nextCursor: at + 1 < pages.length ? String(at + 1) : undefined };
  };
  let text = '';
  for await (const piece of statementCsv(read, rowsMax)) {
    text += piece;
  }
  return text.split('\r\n');
}

describe('a statement as CSV', () => {
  it('has a header and a row for each entry of every page', async () => {
    expect(await csvOf([[entry(3), entry(2)], [entry(1)]])).toEqual([
      'entry_id,at,kind,description,operation,run_id,request_id,change,held_change,balance_after,held_after',
      'entry_3,2026-03-02T09:30:00.000Z,settle,"1 credit spent, 0 returned",validate-single-email,run,,0,-1,9,0',
      'entry_2,2026-03-02T09:30:00.000Z,settle,"1 credit spent, 0 returned",validate-single-email,run,,0,-1,9,0',
      'entry_1,2026-03-02T09:30:00.000Z,settle,"1 credit spent, 0 returned",validate-single-email,run,,0,-1,9,0',
      '',
    ]);
  });

  it.each([
    ['=HYPERLINK("http://x")', `"'=HYPERLINK(""http://x"")"`],
    ['+1', '+1'],
    ['-1-A1', "'-1-A1"],
    ['a;=1+1', "a;'=1+1"],
    ['@SUM(A1)', "'@SUM(A1)"],
    ['\tx', "'\tx"],
    ['a,b', '"a,b"'],
    ['plain', 'plain'],
  ])('keeps the cell %j from being a formula or breaking the row', async (runId, cell) => {
    const rows = await csvOf([[entry(1, { runId })]]);
    expect(rows[1]).toContain(`,validate-single-email,${cell},,`);
  });

  it('says so when it ends early', async () => {
    const cut = await csvOf([[entry(3), entry(2)], [entry(1)]], 2);
    expect(cut).toHaveLength(5);
    expect(cut[3]).toContain('ends after 2 rows');
    expect((await csvOf([[entry(3), entry(2)]], 2)).join()).not.toContain('ends');
  });
});

describe('the words of an entry', () => {
  const movement = { cause: 'some-cause', refundId: null, availableChange: 0, heldChange: 0 } as const;

  it.each([
    [{ kind: 'grant', availableChange: 100 }, '100 credits added'],
    [{ kind: 'grant', availableChange: 1, refundId: 'refund_x' }, '1 credit refunded'],
    [{ kind: 'hold', availableChange: -5, heldChange: 5 }, '5 credits reserved'],
    [{ kind: 'settle', availableChange: 3, heldChange: -5 }, '2 credits spent, 3 returned'],
    [{ kind: 'settle', availableChange: 3_000, heldChange: -45_000 }, '42,000 credits spent, 3,000 returned'],
    [{ kind: 'release', availableChange: 5, heldChange: -5 }, '5 credits returned unused'],
    [
      { kind: 'expire', availableChange: 5, heldChange: -5 },
      '5 credits returned because the work did not finish in time',
    ],
    [{ kind: 'expire_credits', availableChange: -7 }, '7 credits expired'],
    [
      { kind: 'expire_credits', availableChange: -7, cause: 'delete-account' },
      '7 credits expired when the account was deleted',
    ],
  ])('of %j are %j', (change, words) => {
    expect(describeEntry({ ...movement, ...change } as Parameters<typeof describeEntry>[0])).toBe(words);
  });
});
