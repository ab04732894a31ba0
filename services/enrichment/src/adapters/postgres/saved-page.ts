/** How a page of saved records is put in order: the sort, its direction, and its SQL. */
export interface PageOrder {
  /** What rows are in order by, as text that comes back as it was written. */
  readonly key: string;
  /** The type that the text is compared as. */
  readonly type: 'text' | 'timestamptz';
  readonly direction: 'ASC' | 'DESC';
}

/** Conditions and their values, numbered in the order of their coming. */
export function createConditions(first: readonly unknown[]) {
  const values = [...first];
  const texts: string[] = [];
  return {
    values,
    /** `condition` names the value's place by `?`, as often as it likes. */
    add(condition: string, value: unknown): void {
      if (value !== undefined) {
        values.push(value);
        texts.push(condition.replaceAll('?', `$${values.length}`));
      }
    },
    toSql: () => texts.map(text => ` AND ${text}`).join(''),
  };
}

/** A pattern of `ILIKE` for part of a text. */
export function partOf(text: string | undefined): string | undefined {
  return text === undefined ? undefined : `%${text.replace(/[\\%_]/g, character => `\\${character}`)}%`;
}

/** The condition that rows come after those of the page before, whose last key and number are `$n` and `$n+1`. */
export function afterCondition(order: PageOrder, number: string, place: number): string {
  const compare = order.direction === 'ASC' ? '>' : '<';
  return ` AND (${order.key}, ${number}) ${compare} ($${place}::${order.type}, $${place + 1}::int)`;
}
