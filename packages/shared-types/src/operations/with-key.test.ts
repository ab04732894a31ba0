import { describe, expect, it } from '@jest/globals';
import { changePassword } from './app/change-password.ts';
import { createValidationJob } from './app/validation-jobs.ts';
import { opensByKey, withKey } from './with-key.ts';

describe('an operation of the application with an API key', () => {
  it('is the same below /api/v1', () => {
    expect(withKey(createValidationJob)).toEqual({
      ...createValidationJob,
      path: '/api/v1/validation-jobs',
      access: { kind: 'apiKey', scope: 'validation' },
    });
  });

  it('does not exist where only a person may act', () => {
    expect(opensByKey(changePassword)).toBe(false);
    expect(() => withKey(changePassword)).toThrow('change-password');
    // Already an operation for programs.
    expect(() => withKey(withKey(createValidationJob))).toThrow('create-validation-job');
  });
});
