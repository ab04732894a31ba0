import { ApiError, invalidField, malformedQuery } from './api-error.ts';
import { type FieldDescription, isNumber, isText } from './fields.ts';
import { isRecordId, momentText, type StoredRecord, shortId } from './organization.ts';
import type { Comparison, Condition } from './soql-parse.ts';
import type { Token } from './soql-tokens.ts';

export type Holds = (record: StoredRecord) => boolean;
/** Throws INVALID_FIELD for a field that the user cannot see. */
export type FieldOf = (name: string) => FieldDescription;

/** Compiles a condition to a predicate. Literals must have their field's type, as in Salesforce. */
export function conditionOf(condition: Condition, fieldOf: FieldOf, now: Date): Holds {
  if (condition.kind === 'compare') {
    return comparisonOf(condition, fieldOf(condition.field), now);
  }
  if (condition.kind === 'not') {
    const holds = conditionOf(condition.of, fieldOf, now);
    return record => !holds(record);
  }
  const all = condition.of.map(each => conditionOf(each, fieldOf, now));
  return condition.kind === 'all'
    ? record => all.every(holds => holds(record))
    : record => all.some(holds => holds(record));
}

function comparisonOf(
  { operator, values }: { readonly operator: Comparison; readonly values: readonly Token[] },
  field: FieldDescription,
  now: Date,
): Holds {
  if (!field.filterable) {
    throw invalidField(`field '${field.name}' can not be filtered in a query call`);
  }
  const [first] = values;
  if (first === undefined) {
    throw malformedQuery('no value to compare with');
  }
  if (operator === 'LIKE') {
    return like(field, first);
  }
  if (operator === 'INCLUDES') {
    const wanted = values.map(value => String(meaningOf(value, field, now)));
    return record => valuesOfChoice(record[field.name]).some(each => wanted.includes(each));
  }
  if (operator === 'IN' || operator === 'NOT IN') {
    const wanted = new Set(values.map(value => comparable(meaningOf(value, field, now), field)));
    return record => wanted.has(comparable(record[field.name] ?? null, field)) === (operator === 'IN');
  }
  return ordered(operator, comparable(meaningOf(first, field, now), field), field);
}

function like(field: FieldDescription, value: Token): Holds {
  if (value.kind !== 'string' || !isText(field.type)) {
    throw new ApiError(400, 'INVALID_QUERY_FILTER_OPERATOR', `invalid operator on ${field.name}`);
  }
  return record => value.pattern.test(String(record[field.name] ?? ''));
}

function ordered(operator: Comparison, wanted: Comparable, field: FieldDescription): Holds {
  const read: (record: StoredRecord) => Comparable = record => comparable(record[field.name] ?? null, field);
  switch (operator) {
    case '=':
      return record => read(record) === wanted;
    case '!=':
      return record => read(record) !== wanted;
    default:
      return record => {
        const value = read(record);
        if (value === null || wanted === null) {
          return false;
        }
        return operator.startsWith('<')
          ? value < wanted || (operator === '<=' && value === wanted)
          : value > wanted || (operator === '>=' && value === wanted);
      };
  }
}

type Comparable = string | number | boolean | null;

/** Text is compared without regard to case, and ids by their first fifteen characters. */
export function comparable(value: unknown, field: FieldDescription): Comparable {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean') {
    return value ?? null;
  }
  const text = String(value);
  if (field.type === 'id' || field.type === 'reference') {
    return shortId(text);
  }
  return isText(field.type) && !field.caseSensitive ? text.toLowerCase() : text;
}

function meaningOf(token: Token, field: FieldDescription, now: Date): Comparable {
  if (token.kind === 'word' && token.text.toLowerCase() === 'null') {
    return null;
  }
  if (field.type === 'id' || field.type === 'reference') {
    if (token.kind !== 'string' || (field.type === 'id' && !isRecordId(token.text))) {
      throw new ApiError(400, 'INVALID_QUERY_FILTER_OPERATOR', `invalid ID field: ${token.text}`);
    }
    return token.text;
  }
  const meaning = literalOf(token, field, now);
  if (meaning === undefined) {
    throw invalidField(
      `value of filter criterion for field '${field.name}' must be of type ${field.type}, not '${token.text}'`,
    );
  }
  return meaning;
}

function literalOf(token: Token, field: FieldDescription, now: Date): Comparable | undefined {
  if (isText(field.type)) {
    return token.kind === 'string' ? token.text : undefined;
  }
  if (isNumber(field.type)) {
    return token.kind === 'number' ? Number(token.text) : undefined;
  }
  if (field.type === 'boolean') {
    return token.kind === 'word' && /^(?:true|false)$/i.test(token.text)
      ? token.text.toLowerCase() === 'true'
      : undefined;
  }
  const moment = token.kind === 'moment' ? token.text : dateLiteral(token, now);
  if (moment === undefined || (field.type === 'date') === moment.includes('T')) {
    return undefined;
  }
  return field.type === 'date' ? moment : momentText(new Date(moment));
}

/** `LAST_N_DAYS:n`, which list views use, as the time when those days started. */
function dateLiteral(token: Token, now: Date): string | undefined {
  const days = token.kind === 'word' ? /^LAST_N_DAYS:(\d+)$/i.exec(token.text)?.[1] : undefined;
  return days === undefined ? undefined : new Date(now.getTime() - Number(days) * 86_400_000).toISOString();
}

function valuesOfChoice(value: unknown): readonly string[] {
  return typeof value === 'string' ? value.split(';') : [];
}
