import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { newId } from '../ids.ts';
import { deleteAccount } from './app/account-life.ts';
import { startValidationJob } from './app/validation-job-runs.ts';
import { forAssistant } from './for-assistant.ts';
import { getMe } from './public/get-me.ts';
import { requestDoNotProbe } from './public/request-do-not-probe.ts';
import { validateSingleEmail } from './public/validate-single-email.ts';

describe('the twin of an operation for assistants', () => {
  const twin = forAssistant(validateSingleEmail);

  it('names the account and the user before the public path, and accepts only the tool server', () => {
    expect(twin.path).toBe('/internal/v1/accounts/:accountId/users/:userId/api/v1/validate-single-email');
    expect(twin.access).toEqual({ kind: 'service', callers: ['mcp-server'] });
    const params = { accountId: newId('account'), userId: newId('user') };
    expect(z.parse(twin.params, params)).toEqual(params);
    expect(z.safeParse(twin.params, { ...params, more: '' }).success).toBe(false);
    expect(z.safeParse(twin.params, { accountId: params.accountId }).success).toBe(false);
  });

  it('is the public operation in everything else', () => {
    const { path: _path, access: _access, params: _params, problems, ...others } = twin;
    expect(validateSingleEmail).toMatchObject(others);
    expect(problems).toEqual([...validateSingleEmail.problems, 'assistant_refused']);
    expect(forAssistant(getMe).success).toBe(getMe.success);
  });

  it('of an operation of the application is that of its form for programs', () => {
    const { path, access, success, takesIdempotencyKey } = forAssistant(startValidationJob);
    expect(path).toBe('/internal/v1/accounts/:accountId/users/:userId/api/v1/validation-jobs/:job_id/start');
    expect(access).toEqual({ kind: 'service', callers: ['mcp-server'] });
    expect(success).toBe(startValidationJob.success);
    expect(takesIdempotencyKey).toBe(true);
  });

  it('does not exist for an operation that takes no API key', () => {
    expect(() => forAssistant(deleteAccount)).toThrow('delete-account does not accept an API key');
    expect(() => forAssistant(requestDoNotProbe)).toThrow('request-do-not-probe does not accept an API key');
  });
});
