import { expect, it } from '@jest/globals';
import { z } from 'zod';
import type { Operation } from '../operation.ts';
import { appOperations } from './index.ts';

const operations: readonly Operation[] = appOperations;

/** Whether the JSON that a schema describes can have a member, in any of its variants. */
function has(schema: z.core.$ZodType, member: string): boolean {
  const json = JSON.stringify(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }));
  return json.includes(`"${member}":{`);
}

it('accepts every returned cursor at the list that it is encrypted for (ADR 0057)', () => {
  const givers = operations.filter(({ success }) => has(success.schema, 'next_cursor'));
  expect(givers.length).toBeGreaterThan(10);
  for (const { id, beginsList = id } of givers) {
    const list = operations.find(operation => operation.id === beginsList);
    expect([id, list !== undefined && has(list.query, 'cursor')]).toEqual([id, true]);
  }
});
