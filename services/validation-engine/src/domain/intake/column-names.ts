import { exportedVerdictFields } from '@mailproof/shared-types';

const nameCharactersMax = 200;

/** Names for so many columns: those of the header, made different from one another, and `column_1` and so on. */
export function nameColumns(header: readonly string[], width: number): string[] {
  const taken = new Set<string>();
  return Array.from({ length: width }, (_, place) => {
    const title = (header[place] ?? '')
      .replace(/\s+/gu, ' ')
      .trim()
      .slice(0, nameCharactersMax)
      .toWellFormed();
    const name = freeName(title || `column_${place + 1}`, taken);
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
 * What the columns are called in exports, in their order: one that bears a name of ours moves to `input_<name>`. The
 * address column itself is not repeated where its name is `email`, which is ours with the same content: null.
 */
export function exportedColumnNames(
  columns: readonly string[],
  addressColumn: number | null,
  ours: readonly string[] = exportedVerdictFields,
): (string | null)[] {
  const reserved = new Set(ours);
  const taken = new Set([...ours, ...columns.filter(column => !reserved.has(column))]);
  return columns.map((column, place) => {
    if (place === addressColumn && column === 'email') {
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
