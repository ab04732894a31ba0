import { type ValidationResult, validationResults } from '@mailproof/shared-types';

/** Counts of what was said, for the summary. */
export interface Tally {
  add(result: ValidationResult): void;
  total(): number;
  /** One sentence. */
  summarise(end: RunEnd): string;
}

export interface RunEnd {
  readonly elapsedMs: number;
  readonly interrupted: boolean;
  /** Rows of the list that hold no address. */
  readonly emptyRows: number;
}

export function createTally(): Tally {
  const counts = new Map<ValidationResult, number>();
  const total = () => [...counts.values()].reduce((sum, count) => sum + count, 0);
  return {
    add: result => counts.set(result, (counts.get(result) ?? 0) + 1),
    total,
    summarise({ elapsedMs, interrupted, emptyRows }) {
      const parts = validationResults
        .filter(result => counts.has(result))
        .map(result => `${counts.get(result)} ${result}`);
      const done = `${countOf(total(), 'address', 'addresses')} in ${(elapsedMs / 1_000).toFixed(1)} s`;
      return [
        `${interrupted ? 'Interrupted after ' : ''}${done}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}.`,
        ...(emptyRows > 0 ? [`${countOf(emptyRows, 'row holds', 'rows hold')} no address.`] : []),
      ].join(' ');
    },
  };
}

function countOf(count: number, one: string, several: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? one : several}`;
}
