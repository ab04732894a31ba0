import { describe, expect, it } from '@jest/globals';
import { type ProblemCode, problemKinds } from '@mailproof/shared-types';
import { failureOfAnswer } from './tool-failure.ts';

const codes = Object.keys(problemKinds) as ProblemCode[];
const refusals = codes.filter(code => problemKinds[code].status < 500);

const details = [
  undefined,
  'there is no dot between the local part and the domain.',
  'at most 16 KiB',
  'Send it again. ',
];

describe('the message of a refusal', () => {
  it.each(refusals)('is made of sentences with one full stop each, for %s', code => {
    const { status, title } = problemKinds[code];
    for (const detail of details) {
      const body = {
        type: `http://host/docs/errors/${code}`,
        title,
        status,
        code,
        ...(detail && { detail }),
      };
      const { message } = failureOfAnswer({ status, headers: {}, body });
      expect(message).toMatch(/[^\s.]\.$/);
      expect(message).not.toMatch(/\.\s*[.:;,]/);
    }
  });

  it('repeats the detail of an address that is not valid', () => {
    const body = {
      type: 'http://host/docs/errors/invalid_email_address',
      title: problemKinds.invalid_email_address.title,
      status: 400,
      code: 'invalid_email_address',
      detail: 'There is no dot in the domain.',
    };
    expect(failureOfAnswer({ status: 400, headers: {}, body }).message).toBe(
      'The email address is not valid: There is no dot in the domain. Correct it and call again; nothing was charged.',
    );
  });
});
