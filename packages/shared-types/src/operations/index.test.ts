import { describe, expect, it } from '@jest/globals';
import * as contracts from '../index.ts';
import type { Operation } from '../operation.ts';
import { operations } from './index.ts';

const all: readonly Operation[] = Object.values(operations);

const isOperation = (value: unknown): value is Operation =>
  typeof value === 'object' && value !== null && 'access' in value && 'path' in value;

describe('the table of operations', () => {
  it('has every operation that is declared, by its id in camel case', () => {
    const declared = Object.values(contracts as Record<string, unknown>).filter(isOperation);
    expect(declared.length).toBeGreaterThan(100);
    expect(new Set(declared)).toEqual(new Set(all));
    for (const [name, { id }] of Object.entries(operations)) {
      expect(name).toBe(id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase()));
    }
  });

  it('says a price where credits can run out, and only there', () => {
    const { createHold, ...others } = operations;
    // The caller decides the amount of a hold.
    expect(createHold.price).toBeUndefined();
    for (const { id, price, problems } of Object.values(others) as Operation[]) {
      expect([id, price !== undefined]).toEqual([id, problems.includes('credits_exhausted')]);
    }
  });
});
