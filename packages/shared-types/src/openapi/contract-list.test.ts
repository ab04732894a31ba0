import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { eventData } from '../events/event.ts';
import type { Operation } from '../operation.ts';
import { operations } from '../operations/index.ts';
import { contractLine, contractList, contractsFile, eventLines } from './contract-list.ts';

describe('contracts.txt', () => {
  const list = contractList();

  it('lists every contract as it is: run `pnpm contracts`, review the lines that differ, and commit them', () => {
    expect(list).toBe(readFileSync(contractsFile, 'utf8'));
  });

  it('has one line for each operation of the table, and for each event', () => {
    const lines = list.trimEnd().split('\n');
    const events = lines.filter(line => line.startsWith('EVENT '));
    const ids = lines.filter(line => !events.includes(line)).map(line => line.split(' ')[2]);
    expect(ids).toEqual(Object.values(operations).map(({ id }) => id));
    expect(new Set(ids).size).toBeGreaterThan(150);
    expect(events).toEqual(eventLines());
    expect(events.map(line => line.split(' ')[1])).toEqual(Object.keys(eventData));
    expect(new Set(events.map(line => line.split(' ')[2])).size).toBe(events.length);
  });
});

describe('the hash of a contract', () => {
  const contract: Operation = operations.validateSingleEmail;
  const answer = z.object({ description: z.string() });
  const answering = { ...contract, success: { ...contract.success, schema: answer, example: undefined } };

  it.each<[string, Operation, Operation]>([
    ['the price', contract, { ...contract, price: 'profileEnrichment' }],
    ['a problem', contract, { ...contract, problems: [...contract.problems, 'route_not_found'] }],
    ['who may call', contract, { ...contract, access: { kind: 'public' } }],
    ['the size of a body', contract, { ...contract, bodyBytesMax: contract.bodyBytesMax + 1 }],
    ['a request', contract, { ...contract, body: z.strictObject({ email: z.string(), name: z.string() }) }],
    ['an answer', contract, answering],
    [
      'the type of a property with the name of a wording',
      answering,
      { ...answering, success: { ...answering.success, schema: z.object({ description: z.int() }) } },
    ],
  ])('changes with %s', (_what, one, other) => {
    expect(contractLine(other)).not.toBe(contractLine(one));
  });

  it('stays if only the wording changes', () => {
    const reworded = {
      ...answering,
      summary: 'Other words',
      description: 'Other words.',
      tag: 'Other words',
      success: {
        ...answering.success,
        description: 'Other words.',
        schema: z.object({ description: z.string().describe('Other words.') }),
        example: { description: 'other words' },
      },
    };
    expect(contractLine(reworded)).toBe(contractLine(answering));
  });

  it('stays if only the order changes in which its parts are written', () => {
    const reordered = Object.fromEntries(Object.entries(contract).reverse()) as unknown as Operation;
    expect(Object.keys(reordered)).not.toEqual(Object.keys(contract));
    expect(contractLine(reordered)).toBe(contractLine(contract));
  });
});
