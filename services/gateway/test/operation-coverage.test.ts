import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { aspects } from './operation-aspects.ts';
import { coverageOf, declarationsIn, textOf, uncoveredFile } from './operation-coverage.ts';

describe('the list of uncovered operations', () => {
  it('is up to date, was made of something, and is empty', () => {
    const coverage = coverageOf();
    expect(coverage.examined).toBeGreaterThan(3);
    expect(readFileSync(uncoveredFile, 'utf8')).toBe(textOf(coverage));
    expect(coverage.uncovered).toEqual([]);
  });

  it('names an undeclared operation, with all that it lacks', () => {
    const strange = { ...coverageOperation(), id: 'never-declared' };
    expect(coverageOf([strange]).uncovered).toEqual([{ operation: 'never-declared', missing: [...aspects] }]);
  });
});

describe('a declaration', () => {
  it('counts for the checks that are written out, and for reasons in words', () => {
    const source = `describeOperation(getMe, {
      async success() { expect(1).toBe(1); },
      badInput: async () => refuse(),
      noCredentials: {},
      anotherTenant: { cannotHappen: 'No data here belongs to an account.' },
    });`;
    expect(declarationsIn(source)).toEqual([
      { id: 'get-me', covered: ['success', 'badInput', 'anotherTenant'] },
    ]);
  });

  it('counts for nothing where it is empty, has no reason, is commented out or wrapped', () => {
    expect(
      declarationsIn(`describeOperation(getMe, { async success() {}, badInput: { cannotHappen: '' } });`),
    ).toEqual([{ id: 'get-me', covered: [] }]);
    expect(declarationsIn(`// describeOperation(getMe, { success });`)).toEqual([]);
    expect(declarationsIn(`describe.skip('x', () => { describeOperation(getMe, { success }); });`)).toEqual(
      [],
    );
  });

  it('has to name a contract and to write its checks out', () => {
    expect(() => declarationsIn('describeOperation(getYou, { success });')).toThrow('Name a contract');
    expect(() => declarationsIn('describeOperation(getMe, checks);')).toThrow('Name a contract');
  });
});

function coverageOperation() {
  return { path: '/api/v1/nothing' } as unknown as Parameters<typeof coverageOf>[0] extends
    | readonly (infer Op)[]
    | undefined
    ? Op
    : never;
}
