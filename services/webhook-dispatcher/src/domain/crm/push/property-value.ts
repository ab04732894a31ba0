import type { CrmProperty, CrmRowFault, ExportedValue } from '@mailproof/shared-types';
import type { CrmValue } from '../crm.ts';

/** A cell as the value of a property. A blank cell never overwrites anything. */
export type PropertyValue =
  | { readonly kind: 'value'; readonly value: Exclude<CrmValue, null> }
  | { readonly kind: 'blank' }
  | { readonly kind: 'fault'; readonly fault: Extract<CrmRowFault, 'crm_invalid_value' | 'crm_too_long'> };

const invalid = { kind: 'fault', fault: 'crm_invalid_value' } as const;
const value = (written: string | number | boolean) => ({ kind: 'value', value: written }) as const;

/**
 * Converts a cell to a value of the property's type. Nothing is guessed: an ambiguous cell, such as `1,234` or
 * `3/4/2026`, is a fault of the row, since a wrong value in a CRM costs more than a failed row.
 */
export function propertyValueOf(cell: ExportedValue | undefined, property: CrmProperty): PropertyValue {
  const text = cell === null || cell === undefined ? '' : String(cell).trim();
  if (text === '') {
    return { kind: 'blank' };
  }
  switch (property.type) {
    case 'text':
      return tooLong(text, property) ? { kind: 'fault', fault: 'crm_too_long' } : value(text);
    case 'number':
      return numberOf(text);
    case 'boolean':
      return booleanOf(text);
    case 'date':
      return dateOf(text);
    case 'moment':
      return momentOf(text);
    case 'choice':
      return choiceOf(text, property);
    case 'other':
      return invalid;
  }
}

/**
 * Whether a property's current value means the same as the value to write. Both are read as the property's type,
 * because CRMs return numbers as text and times in various formats.
 */
export function isSameValue(
  current: CrmValue | undefined,
  wanted: Exclude<CrmValue, null>,
  property: CrmProperty,
  same?: (text: string) => string,
): boolean {
  const read = propertyValueOf(current, { ...property, characters_max: null });
  if (read.kind !== 'value') {
    return false;
  }
  if (property.type === 'moment') {
    // Some CRMs store whole seconds only.
    return secondsOf(read.value) === secondsOf(wanted);
  }
  return same ? same(String(read.value)) === same(String(wanted)) : read.value === wanted;
}

function tooLong(text: string, { characters_max }: CrmProperty): boolean {
  return characters_max !== null && [...text].length > characters_max;
}

/** A decimal number with a point and no digit grouping. */
const decimal = /^[+-]?(?:\d+(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?$/i;

function numberOf(text: string): PropertyValue {
  const number = Number(text);
  return decimal.test(text) && Number.isFinite(number) ? value(number) : invalid;
}

const truths: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  '1': true,
  false: false,
  no: false,
  '0': false,
};

/** Reads a text as a boolean; undefined if it is neither. */
export function truthOf(text: string): boolean | undefined {
  return truths[text.toLowerCase()];
}

function booleanOf(text: string): PropertyValue {
  const found = truthOf(text);
  return found === undefined ? invalid : value(found);
}

/** RFC 3339 with a zone, whose colon some CRMs omit, or only a date. */
const moment =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2}))?$/i;

function readMoment(text: string): Date | undefined {
  const [, year, month, day] = moment.exec(text) ?? [];
  // A day that does not exist in its month would roll over into the next month.
  const isDay = new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day);
  const read = new Date(text.replace(' ', 'T').replace(/([+-]\d{2})(\d{2})$/, '$1:$2'));
  return isDay && !Number.isNaN(read.getTime()) ? read : undefined;
}

/** For a date and time, takes the date as written, in its own zone. */
function dateOf(text: string): PropertyValue {
  const read = readMoment(text);
  return read ? value(text.slice(0, 10)) : invalid;
}

function momentOf(text: string): PropertyValue {
  const read = readMoment(text);
  return read ? value(read.toISOString()) : invalid;
}

function secondsOf(written: CrmValue): number {
  return Math.floor(Date.parse(String(written)) / 1_000);
}

/** Finds a choice by its value, then by its label. */
function choiceOf(text: string, { choices }: CrmProperty): PropertyValue {
  const lower = text.toLowerCase();
  const found =
    choices.find(choice => choice.value === text) ??
    choices.find(choice => choice.value.toLowerCase() === lower) ??
    choices.find(choice => choice.label.toLowerCase() === lower);
  return found ? value(found.value) : invalid;
}
