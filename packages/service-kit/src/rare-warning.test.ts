import { describe, expect, it } from '@jest/globals';
import type { Logger } from './log.ts';
import { createRareLine, createRareWarning } from './rare-warning.ts';

function openLog() {
  const lines: { readonly facts: Record<string, unknown>; readonly message: string }[] = [];
  const warn = ((facts: Record<string, unknown>, message: string) => {
    lines.push({ facts, message });
  }) as Logger['warn'];
  let nowMs = 0;
  return {
    lines,
    warning: createRareWarning({ warn }, 'a store failed', { everyMs: 1_000, nowMs: () => nowMs }),
    wait(ms: number) {
      nowMs += ms;
    },
  };
}

const refused = (port: number) =>
  Object.assign(new Error(`connect ECONNREFUSED 127.0.0.1:${port}`), { code: 'ECONNREFUSED' });

describe('a warning that is logged rarely', () => {
  it('logs the first fault of each kind immediately, and then how many it omitted', () => {
    const { lines, warning, wait } = openLog();
    for (let fault = 1; fault <= 500; fault += 1) {
      warning(refused(fault));
      warning(new Error(`Command ${fault} timed out`));
    }
    expect(lines.map(({ facts }) => (facts['err'] as Error).message)).toEqual([
      'connect ECONNREFUSED 127.0.0.1:1',
      'Command 1 timed out',
    ]);
    wait(999);
    warning(refused(1));
    wait(1);
    warning(refused(2), { jobType: 'x' });
    expect(lines.slice(2).map(({ facts }) => facts)).toEqual([
      { err: refused(2), jobType: 'x', leftOut: 500 },
    ]);
  });

  it('keeps few kinds, however many there are', () => {
    const { lines, warning } = openLog();
    const words = Array.from(
      { length: 300 },
      (_, at) => `fault ${'x'.repeat(at % 150)}${at >= 150 ? 'y' : ''}`,
    );
    for (const word of words) {
      warning(new Error(word));
    }
    expect(lines).toHaveLength(300);
    // The first kind has been evicted by now; the last one has not.
    warning(new Error(words.at(-1)));
    warning(new Error(words[0]));
    expect(lines).toHaveLength(301);
  });

  it('accepts values that are not errors', () => {
    const { lines, warning } = openLog();
    warning('away');
    warning('away');
    warning(null);
    expect(lines).toHaveLength(2);
  });
});

describe('a line that is logged rarely', () => {
  it('is written at intervals for each kind, regardless of its details, and counts the others', () => {
    const lines: Readonly<Record<string, unknown>>[] = [];
    let nowMs = 0;
    const tell = createRareLine(facts => void lines.push(facts), { everyMs: 1_000, nowMs: () => nowMs });
    for (let refused = 0; refused < 5_000; refused += 1) {
      tell('', { requestId: refused });
    }
    tell('other', {});
    nowMs = 1_000;
    tell('', { requestId: 'last' });
    expect(lines).toEqual([{ requestId: 0 }, {}, { requestId: 'last', leftOut: 4_999 }]);
  });
});
