import { exportedVerdictFields } from '@mailproof/shared-types';

const nameCharactersMax = 200;

/** Names `width` columns: those of the header, made unique, and `column_1` and so on. */
export function nameColumns(header: readonly string[], width: number): string[] {
  const taken = new Set<string>();
  return Array.from({ length: width }, (_, index) => {
    const title = (header[index] ?? '')
      .replace(/\s+/gu, ' ')
      .trim()
      .slice(0, nameCharactersMax)
      .toWellFormed();
    const name = freeName(title || `column_${index + 1}`, taken);
    taken.add(name);
    return name;
  });
}

function freeName(wanted: string, taken: ReadonlySet<string>): string {
  for (let times = 1; ; times += 1) {
    const name = times === 1 ? wanted : `${wanted} (${times})`;
    if (!taken.has(name)) {
      return name;
    }
  }
}

/**
 * The names of the columns in exports, in their order: a column with one of our names becomes `input_<name>`. An
 * address column named `email` is not repeated, since our own `email` has the same content: null.
 */
export function exportedColumnNames(
  columns: readonly string[],
  addressColumn: number | null,
  ours: readonly string[] = exportedVerdictFields,
): (string | null)[] {
  const reserved = new Set(ours);
  const taken = new Set([...ours, ...columns.filter(column => !reserved.has(column))]);
  return columns.map((column, index) => {
    if (index === addressColumn && column === 'email') {
      return null;
    }
    if (!reserved.has(column)) {
      return column;
    }
    const name = freeName(`input_${column}`, taken);
    taken.add(name);
    return name;
  });
}
