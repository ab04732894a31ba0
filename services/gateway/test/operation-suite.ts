import { describe, it } from '@jest/globals';
import type { Operation } from '@mailproof/shared-types';

type Check = () => Promise<void>;

/** Why an operation cannot have a test of an aspect, in a sentence. */
export interface CannotHappen {
  readonly cannotHappen: string;
}

/** What every operation of the public interfaces is tested for; what cannot happen is said with its reason. */
export interface OperationChecks {
  readonly success: Check;
  readonly badInput: Check | CannotHappen;
  readonly noCredentials: Check | CannotHappen;
  /** With credentials of another account: its objects are not found, or the answer is the caller's own. */
  readonly anotherTenant: Check | CannotHappen;
}

/** Names of the aspects in their order. */
export const aspects = ['success', 'badInput', 'noCredentials', 'anotherTenant'] as const;

const titles: Readonly<Record<(typeof aspects)[number], string>> = {
  success: 'answers as its contract says',
  badInput: 'refuses bad input',
  noCredentials: 'refuses a request without credentials',
  anotherTenant: 'shows nothing of another account',
};

/** Declares the tests of one operation. The list of operations that no file declares is generated, and is empty. */
export function describeOperation(operation: Operation, checks: OperationChecks): void {
  describe(operation.id, () => {
    for (const aspect of aspects) {
      const check = checks[aspect];
      if (typeof check === 'function') {
        it(titles[aspect], check);
      }
    }
  });
}
