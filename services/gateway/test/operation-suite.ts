import { describe, expect, it } from '@jest/globals';
import type { Operation } from '@mailproof/shared-types';
import { aspects } from './operation-aspects.ts';

export { aspects };

type Check = () => Promise<void>;

/** A sentence that says why an operation cannot have a test of an aspect. */
export interface CannotHappen {
  readonly cannotHappen: string;
}

/**
 * The aspects that every operation of the public interfaces is tested for; a case that cannot happen gives its reason.
 */
export interface OperationChecks {
  readonly success: Check;
  readonly badInput: Check | CannotHappen;
  readonly noCredentials: Check | CannotHappen;
  /** With credentials of another account: its objects are not found, or the answer is the caller's own. */
  readonly anotherTenant: Check | CannotHappen;
}

const titles: Readonly<Record<(typeof aspects)[number], string>> = {
  success: 'answers as its contract says',
  badInput: 'refuses bad input',
  noCredentials: 'refuses a request without credentials',
  anotherTenant: 'shows nothing of another account',
};

/**
 * Declares the tests of one operation. Call it at the top level of a file in `test/operations/` with the contract and
 * the checks written out, so that `pnpm coverage:operations` can see which operations lack one.
 */
export function describeOperation(operation: Operation, checks: OperationChecks): void {
  describe(operation.id, () => {
    for (const aspect of aspects) {
      const check = checks[aspect];
      if (typeof check === 'function') {
        it(titles[aspect], check);
      } else {
        it(`has no case of this: ${titles[aspect]}`, () =>
          expect(check.cannotHappen).toMatch(/^[A-Z].{20,}\.$/s));
      }
    }
  });
}
