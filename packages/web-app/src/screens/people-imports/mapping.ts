import { type PeopleImportField, peopleImportFields } from '@mailproof/shared-types';
import type { Schema } from '../../api/client.ts';

export type PeopleImport = Schema['PeopleImport'];

/** The field that each column is imported as; columns that are left out are not in it. */
export type Choices = Readonly<Record<string, PeopleImportField>>;

export const fieldLabels: Readonly<Record<PeopleImportField, string>> = peopleImportFields;

/** The choices to begin with: the mapping that was used last, or what was detected. */
export function choicesOf({ mapping, columns }: Pick<PeopleImport, 'mapping' | 'columns'>): Choices {
  const pairs =
    mapping === null
      ? columns.map(({ name, field }) => [name, field] as const)
      : Object.entries(mapping).map(([field, name]) => [name, field] as const);
  return Object.fromEntries(pairs.filter(([, field]) => field !== null)) as Choices;
}

/** The field of a column, if it is imported. A column can have the name of what every object has, like `constructor`. */
export function choiceOf(choices: Choices, column: string): PeopleImportField | undefined {
  return Object.hasOwn(choices, column) ? choices[column] : undefined;
}

/** Chooses another field for a column; an empty one leaves it out. */
export function changed(choices: Choices, column: string, field: PeopleImportField | ''): Choices {
  const { [column]: _before, ...others } = choices;
  return field === '' ? others : { ...others, [column]: field };
}

/** The columns whose field another column has too. */
export function doubled(choices: Choices): ReadonlySet<string> {
  const entries = Object.entries(choices);
  return new Set(
    entries
      .filter(([column, field]) => entries.some(([other, same]) => other !== column && same === field))
      .map(([column]) => column),
  );
}

/** What the choices lack before they can be previewed, in words; undefined if nothing. */
export function lackOf(choices: Choices): string | undefined {
  const fields = Object.values(choices);
  const hasName = (['full_name', 'first_name', 'last_name'] as const).some(name => fields.includes(name));
  if (!fields.includes('profile_url')) {
    return 'Choose the column with the profile URLs: it identifies people.';
  }
  return hasName ? undefined : 'Choose the column with the names.';
}

/** The mapping of the API: the column of each field. */
export function mappingOf(choices: Choices): NonNullable<PeopleImport['mapping']> {
  return Object.fromEntries(Object.entries(choices).map(([column, field]) => [field, column]));
}

/** Whether the last preview was made with these choices. */
export function isPreviewed(record: Pick<PeopleImport, 'state' | 'mapping'>, choices: Choices): boolean {
  const inOrder = (mapping: object) => JSON.stringify(Object.entries(mapping).sort());
  return (
    record.state === 'previewed' &&
    record.mapping !== null &&
    inOrder(record.mapping) === inOrder(mappingOf(choices))
  );
}
