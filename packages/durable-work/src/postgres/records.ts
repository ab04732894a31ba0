/** The column of a member has the same name in snake case. */
function columnOf(member: string): string {
  return member.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

const members = new Map<string, string>();

function memberOf(column: string): string {
  let member = members.get(column);
  if (member === undefined) {
    member = column.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());
    members.set(column, member);
  }
  return member;
}

/** Converts a row to the domain's record. */
export function recordOf<Item>(row: object): Item {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [memberOf(column), value])) as Item;
}

/**
 * Builds the assignments of a change, including the increment of the version, and their values. Placeholders are
 * numbered after the first `taken` ones. `expressionOf` can replace a placeholder by an expression.
 */
export function assignmentsOf(
  change: object,
  taken: number,
  expressionOf: (column: string, placeholder: string) => string = (_column, placeholder) => placeholder,
): { readonly assignments: string; readonly values: readonly unknown[] } {
  const columns = Object.keys(change).map(columnOf);
  const each = columns.map((column, at) => `${column} = ${expressionOf(column, `$${taken + at + 1}`)}`);
  return { assignments: [...each, 'version = version + 1'].join(', '), values: Object.values(change) };
}

/** Builds the statement that inserts a record and returns its row. */
export function insertOf(
  table: string,
  record: object,
): { readonly text: string; readonly values: readonly unknown[] } {
  const columns = Object.keys(record).map(columnOf);
  return {
    text: `INSERT INTO ${table} (${columns.join(', ')}) VALUES (${columns.map((_column, at) => `$${at + 1}`).join(', ')}) RETURNING *`,
    values: Object.values(record),
  };
}
