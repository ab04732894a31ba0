import { z } from 'zod';
import type { CrmRecordFault, CrmValue } from '../../domain/crm/crm.ts';
import { truthOf } from '../../domain/crm/push/property-value.ts';
import { type Field, typeOf } from './object-description.ts';

/** A value in the form that Salesforce's JSON requires, nothing to write, or why it cannot be written. */
type WritableValue =
  | { readonly kind: 'value'; readonly value: CrmValue }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'fault'; readonly code: CrmRecordFault['code'] };

const invalid: WritableValue = { kind: 'fault', code: 'invalid_value' };

/**
 * Converts a value to its field's type. One invalid value makes Salesforce refuse the whole call (`JSON_PARSER_ERROR`),
 * so it is detected before.
 */
export function writableValue(field: Field, value: CrmValue): WritableValue {
  if (typeOf(field) === 'other' || !(field.createable || field.updateable)) {
    return { kind: 'fault', code: 'not_permitted' };
  }
  const plain = typeof value === 'string' ? value.trim().toWellFormed() : value;
  if (plain === null || plain === '') {
    return blankOf(field);
  }
  switch (typeOf(field)) {
    case 'number':
      return numberOf(field, plain);
    case 'boolean':
      return booleanOf(plain);
    case 'date':
      return dateOf(plain);
    case 'moment':
      return momentOf(plain);
    default:
      return textOf(field, plain);
  }
}

function blankOf(field: Field): WritableValue {
  if (field.nillable) {
    return { kind: 'value', value: null };
  }
  return field.defaultedOnCreate ? { kind: 'nothing' } : { kind: 'fault', code: 'missing_value' };
}

function textOf(field: Field, value: string | number | boolean): WritableValue {
  const text = String(value);
  return field.type === 'reference' && !isRecordId(text) ? invalid : { kind: 'value', value: text };
}

function numberOf(field: Field, value: string | number | boolean): WritableValue {
  const isNumeral = typeof value === 'string' && /^[+-]?\d{1,18}(?:\.\d{1,18})?$/.test(value);
  const number = isNumeral || typeof value === 'number' ? Number(value) : Number.NaN;
  const fits =
    field.type === 'int' || field.type === 'long' ? Number.isInteger(number) : Number.isFinite(number);
  return fits ? { kind: 'value', value: number } : invalid;
}

function booleanOf(value: string | number | boolean): WritableValue {
  const truth = truthOf(String(value));
  return truth === undefined ? invalid : { kind: 'value', value: truth };
}

const day = z.iso.date();
const moment = z.iso.datetime({ offset: true });

function dateOf(value: string | number | boolean): WritableValue {
  const text = String(value);
  const date = moment.safeParse(text).success ? text.slice(0, 10) : text;
  return day.safeParse(date).success ? { kind: 'value', value: date } : invalid;
}

function momentOf(value: string | number | boolean): WritableValue {
  const text = String(value);
  const full = day.safeParse(text).success ? `${text}T00:00:00Z` : text;
  return moment.safeParse(full).success ? { kind: 'value', value: new Date(full).toISOString() } : invalid;
}

/** Converts a value that Salesforce returned; compound fields, such as addresses, become JSON. */
export function readValue(value: unknown): CrmValue {
  if (value === null || value === undefined) {
    return null;
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? value
    : JSON.stringify(value);
}

/** Ids have fifteen case-sensitive characters, or three more that encode the case. */
const idForm = /^[0-9A-Za-z]{15}(?:[0-9A-Za-z]{3})?$/;

/** Whether a text can be the id of a record of the kind with this prefix. */
export function isIdOf(keyPrefix: string, text: string): boolean {
  return idForm.test(text) && text.startsWith(keyPrefix);
}

export function isRecordId(text: string): boolean {
  return idForm.test(text);
}

/** The part that identifies a record in both forms of an id. */
export function idKey(id: string): string {
  return id.slice(0, 15);
}
