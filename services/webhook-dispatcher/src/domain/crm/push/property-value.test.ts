import { describe, expect, it } from '@jest/globals';
import type { CrmPropertyType, ExportedValue } from '@mailproof/shared-types';
import { property } from '../testing/kept-crm.ts';
import { isSameValue, propertyValueOf } from './property-value.ts';

const size = property('size', {
  type: 'choice',
  choices: [
    { value: 'S', label: '1 to 10' },
    { value: 'L', label: 'More' },
  ],
});

describe('a cell as the value of a property', () => {
  it.each<[ExportedValue, CrmPropertyType, unknown]>([
    ['  Jane ', 'text', 'Jane'],
    [7, 'text', '7'],
    [true, 'text', 'true'],
    ['00123', 'text', '00123'],
    ['-12.5', 'number', -12.5],
    [0, 'number', 0],
    ['1e3', 'number', 1000],
    [true, 'boolean', true],
    ['Yes', 'boolean', true],
    ['0', 'boolean', false],
    ['2024-02-29', 'date', '2024-02-29'],
    ['2024-02-29T23:30:00-05:00', 'date', '2024-02-29'],
    ['2024-02-29T23:30:00-05:00', 'moment', '2024-03-01T04:30:00.000Z'],
    ['2024-02-29T23:30:00.000+0000', 'moment', '2024-02-29T23:30:00.000Z'],
    ['2024-02-29', 'moment', '2024-02-29T00:00:00.000Z'],
  ])('%j for a %s is written as %j', (cell, type, value) => {
    expect(propertyValueOf(cell, property('p', { type }))).toEqual({ kind: 'value', value });
  });

  it.each<[ExportedValue, CrmPropertyType]>([
    ['twelve', 'number'],
    ['1,234', 'number'],
    ['0x10', 'number'],
    ['1 000', 'number'],
    ['Infinity', 'number'],
    [true, 'number'],
    ['maybe', 'boolean'],
    [2, 'boolean'],
    ['2023-02-29', 'date'],
    ['3/4/2026', 'date'],
    ['2026-13-01', 'date'],
    ['yesterday', 'moment'],
    ['2024-02-29T23:30:00', 'moment'],
    ['anything', 'other'],
  ])('%j is no %s, and nothing is guessed', (cell, type) => {
    expect(propertyValueOf(cell, property('p', { type }))).toEqual({
      kind: 'fault',
      fault: 'crm_invalid_value',
    });
  });

  it.each([null, undefined, '', ' \t\n'])('%j says nothing, for any type', cell => {
    for (const type of ['text', 'number', 'boolean', 'date', 'moment', 'choice', 'other'] as const) {
      expect(propertyValueOf(cell, property('p', { type })).kind).toBe('blank');
    }
  });

  it('is a choice by its value, or by its label, in any case', () => {
    expect(['S', 's', '1 TO 10', 'more'].map(cell => propertyValueOf(cell, size))).toEqual(
      ['S', 'S', 'S', 'L'].map(value => ({ kind: 'value', value })),
    );
    expect(propertyValueOf('M', size).kind).toBe('fault');
  });

  it('is not cut where it is too long, by characters and not by their code units', () => {
    const short = property('p', { characters_max: 3 });
    expect(propertyValueOf('abcd', short)).toEqual({ kind: 'fault', fault: 'crm_too_long' });
    expect(propertyValueOf('👋👋👋', short).kind).toBe('value');
  });
});

describe('a value in a CRM', () => {
  it.each<[string | number | boolean, string | number | boolean, CrmPropertyType]>([
    ['10', 10, 'number'],
    ['10.0', 10, 'number'],
    ['true', true, 'boolean'],
    ['2026-01-02T03:04:05.678Z', '2026-01-02T03:04:05.000Z', 'moment'],
    ['2026-01-02T04:04:05.000+0100', '2026-01-02T03:04:05.000Z', 'moment'],
    ['2026-01-02T00:00:00Z', '2026-01-02', 'date'],
    [' Jane', 'Jane', 'text'],
  ])('%j says the same as %j', (current, wanted, type) => {
    expect(isSameValue(current, wanted, property('p', { type }))).toBe(true);
  });

  it('says something else where it does', () => {
    expect(isSameValue('jane', 'Jane', property('p'))).toBe(false);
    expect(isSameValue('n/a', 1, property('p', { type: 'number' }))).toBe(false);
    expect(isSameValue('A longer name', 'A longer', property('p', { characters_max: 8 }))).toBe(false);
  });
});
