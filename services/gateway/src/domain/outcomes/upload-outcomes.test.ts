import { describe, expect, test } from '@jest/globals';
import { countNoOutcomes, newId, type OutcomeReport, type ReportedOutcome } from '@mailproof/shared-types';
import { type TableRow, type UploadPorts, uploadOutcomes } from './upload-outcomes.ts';

const accountId = newId('account');
const signal = new AbortController().signal;
const kinds = countNoOutcomes();

let drawn = 0;

async function* rowsOf(count: number, text = ''): AsyncGenerator<TableRow> {
  drawn = 0;
  yield { line: 1, record: ['email', 'outcome', 'text'] };
  for (let line = 2; line < count + 2; line += 1) {
    drawn += 1;
    yield { line, record: [`a${line}@a.example`, line % 10 === 0 ? 'eaten' : 'delivered', text] };
  }
}

function portsThat(report: (outcomes: readonly ReportedOutcome[]) => Promise<OutcomeReport>): UploadPorts {
  return { report: (_account, outcomes) => report(outcomes), nowMs: () => 0 };
}

describe('an upload', () => {
  test('is handed on in portions, and the tally is of all of them', async () => {
    const portions: number[] = [];
    const ports = portsThat(async outcomes => {
      portions.push(outcomes.length);
      const refused = [{ row: 0, reason: 'too_old', detail: 'Old.' }] as const;
      return {
        recorded: outcomes.length - 2,
        repeated: 1,
        kinds: { ...kinds, delivered: outcomes.length - 1 },
        refused: [...refused],
      };
    });
    const upload = await uploadOutcomes(ports, accountId, rowsOf(2_500), signal);
    expect(portions).toEqual([1_000, 1_000, 250]);
    expect(upload).toMatchObject({
      rows: 2_500,
      recorded: 2_244,
      repeated: 3,
      refused: 253,
      kinds: { ...kinds, delivered: 2_247 },
    });
    // The first hundred by line, from any source of refusals.
    expect(upload.refusals).toHaveLength(100);
    expect(upload.refusals.slice(0, 3)).toMatchObject([
      { line: 2, reason: 'too_old' },
      { line: 10, reason: 'unknown_outcome' },
      { line: 20, reason: 'unknown_outcome' },
    ]);
  });

  test('is read no further than its portion while that is being recorded', async () => {
    const drawnAt: number[] = [];
    const ports = portsThat(async outcomes => {
      await new Promise(resolve => setImmediate(resolve));
      drawnAt.push(drawn);
      return { recorded: outcomes.length, repeated: 0, kinds, refused: [] };
    });
    await uploadOutcomes(ports, accountId, rowsOf(2_000), signal);
    expect(drawnAt[0]).toBeLessThan(1_200);
    expect(drawnAt).toHaveLength(2);
  });

  test('of long rows is handed on in smaller portions', async () => {
    const portions: number[] = [];
    const ports = portsThat(async outcomes => {
      portions.push(outcomes.length);
      return { recorded: outcomes.length, repeated: 0, kinds, refused: [] };
    });
    await uploadOutcomes(ports, accountId, rowsOf(1_000, 'x'.repeat(5_000)), signal);
    expect(Math.max(...portions)).toBeLessThan(600);
  });

  test('of too many rows is refused', async () => {
    const ports = portsThat(async outcomes => ({
      recorded: outcomes.length,
      repeated: 0,
      kinds,
      refused: [],
    }));
    await expect(uploadOutcomes(ports, accountId, rowsOf(100_001), signal)).rejects.toMatchObject({
      kind: 'too_many_rows',
    });
  });
});
