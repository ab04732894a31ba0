import { z } from 'zod';
import type { CrmFilter } from '../../domain/crm/crm.ts';
import { CrmFault } from '../../domain/crm/crm-fault.ts';
import { type Field, typeOf } from './object-description.ts';
import { isRecordId } from './record-id.ts';
import { quoted, quotedPattern } from './soql.ts';

const signs = { is: '=', is_not: '!=', above: '>', below: '<' } as const;

/** A filter as a condition of SOQL. Refuses a value that is not of the field's type. */
export function filterCondition(field: Field, { operator, values }: CrmFilter): string {
  if (!field.filterable || typeOf(field) === 'other') {
    throw refused(field, 'cannot be filtered by');
  }
  const { name } = field;
  const [first] = values;
  switch (operator) {
    case 'is_known':
      return `${name} != null`;
    case 'is_unknown':
      return `${name} = null`;
    default:
  }
  if (first === undefined) {
    throw refused(field, 'needs a value to filter by');
  }
  switch (operator) {
    case 'is_one_of':
      return field.type === 'multipicklist'
        ? `${name} INCLUDES (${values.map(quoted).join(',')})`
        : `${name} IN (${values.map(value => literalOf(field, value)).join(',')})`;
    case 'contains':
      return containsCondition(field, first);
    default:
      return `${name} ${signs[operator]} ${literalOf(field, first)}`;
  }
}

function containsCondition(field: Field, value: string): string {
  if (field.type === 'multipicklist') {
    return `${field.name} INCLUDES (${quoted(value)})`;
  }
  if (!isText(field)) {
    throw refused(field, 'is no text, so that nothing can be contained in it');
  }
  return `${field.name} LIKE ${quotedPattern('%', value, '%')}`;
}

/** Ids are compared as a whole alone. */
function isText(field: Field): boolean {
  const type = typeOf(field);
  return (type === 'text' || type === 'choice') && field.type !== 'id' && field.type !== 'reference';
}

const forms = {
  number: z.string().regex(/^-?\d{1,18}(?:\.\d{1,18})?$/),
  boolean: z.enum(['true', 'false']),
  date: z.iso.date(),
  moment: z.iso.datetime({ offset: true }).transform(text => new Date(text).toISOString()),
} as const;

function literalOf(field: Field, value: string): string {
  if (isText(field)) {
    return quoted(value);
  }
  const type = typeOf(field);
  if (type === 'text' || type === 'choice' || type === 'other') {
    if (!isRecordId(value)) {
      throw refused(field, 'holds an id of Salesforce');
    }
    return quoted(value);
  }
  const parsed = forms[type].safeParse(value.trim());
  if (!parsed.success) {
    throw refused(field, `is compared with a ${type}`);
  }
  return parsed.data;
}

function refused({ label }: Field, why: string): CrmFault {
  return new CrmFault('refused', null, `The field ${label} ${why}.`);
}
