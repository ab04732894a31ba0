import { addressOfCell } from './address-of-cell.ts';

/** What is known about a column before the start. */
export interface ColumnFacts {
  /** Values of the first rows in which it is not blank, truncated if they are long. */
  readonly samples: readonly string[];
  readonly filled: number;
  readonly addresses: number;
}

const samplesMax = 3;
const sampleCharactersMax = 200;

/** Examines every cell of the rows that pass. */
export function createColumnFacts() {
  const columns: { samples: string[]; filled: number; addresses: number }[] = [];
  return {
    look(cells: readonly string[]): void {
      for (const [index, cell] of cells.entries()) {
        columns[index] ??= { samples: [], filled: 0, addresses: 0 };
        const column = columns[index];
        if (cell === '' || cell.trim() === '') {
          continue;
        }
        column.filled += 1;
        if (column.samples.length < samplesMax) {
          column.samples.push(sampleOf(cell));
        }
        if (isAddress(cell)) {
          column.addresses += 1;
        }
      }
    },
    facts: (): readonly ColumnFacts[] => columns,
  };
}

/** The facts with one more cell before the others, or with that cell removed again. */
export function withFirstCell(facts: ColumnFacts, cell: string): ColumnFacts {
  return cell.trim() === ''
    ? facts
    : {
        samples: [sampleOf(cell), ...facts.samples].slice(0, samplesMax),
        filled: facts.filled + 1,
        addresses: facts.addresses + (isAddress(cell) ? 1 : 0),
      };
}

export function withoutFirstCell(facts: ColumnFacts, cell: string): ColumnFacts {
  return cell.trim() === ''
    ? facts
    : {
        samples: facts.samples.slice(1),
        filled: facts.filled - 1,
        addresses: facts.addresses - (isAddress(cell) ? 1 : 0),
      };
}

function isAddress(cell: string): boolean {
  return cell.includes('@') && 'address' in addressOfCell(cell);
}

function sampleOf(cell: string): string {
  const text = cell.trim();
  // Not half a surrogate pair, which Postgres cannot store in `jsonb`.
  return text.length > sampleCharactersMax
    ? `${text.slice(0, sampleCharactersMax - 1).toWellFormed()}…`
    : text;
}
