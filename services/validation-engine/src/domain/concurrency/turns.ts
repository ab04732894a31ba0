import type { Admitted } from './in-flight.ts';

/**
 * Runs long work: that of a key one after another, in order, and that of few keys at once, so that no account keeps
 * others waiting. Work of a key with too much in line already is rejected.
 */
export type TakeTurn = <Result>(key: string, work: () => Promise<Result>) => Promise<Admitted<Result>>;

export interface TurnsOptions {
  readonly atOnceMax: number;
  /** How much work of one key can be in line. */
  readonly waitingMax: number;
}

export function createTurns({ atOnceMax, waitingMax }: TurnsOptions): TakeTurn {
  const running = new Set<string>();
  const line: { readonly key: string; readonly begin: () => void }[] = [];

  function beginNext(): void {
    const next = running.size < atOnceMax ? line.find(({ key }) => !running.has(key)) : undefined;
    if (next) {
      line.splice(line.indexOf(next), 1);
      running.add(next.key);
      next.begin();
    }
  }

  return async (key, work) => {
    if (line.filter(each => each.key === key).length >= waitingMax) {
      return { kind: 'turned_away' };
    }
    await new Promise<void>(resolve => {
      line.push({ key, begin: resolve });
      beginNext();
    });
    try {
      return { kind: 'done', result: await work() };
    } finally {
      running.delete(key);
      beginNext();
    }
  };
}
