import { describe, expect, it } from '@jest/globals';
import { type OperationClient, Problem } from '@mailproof/service-kit';
import { newId, type ProblemCode } from '@mailproof/shared-types';
import { createValidationJobs } from './validation-jobs.ts';

async function* lines(): AsyncGenerator<Uint8Array> {}

describe('rows that the engine does not take', () => {
  it.each([
    ['request_timeout', { name: 'Problem', code: 'service_unavailable' }],
    ['too_many_rows', { name: 'RowsRefused', failure: 'too_many_records' }],
    ['internal_error', { name: 'Problem', code: 'internal_error' }],
  ] as const satisfies readonly (readonly [ProblemCode, object])[])('%s', async (code, error) => {
    const call = () => Promise.reject(new Problem(code));
    const jobs = createValidationJobs({ call } as unknown as OperationClient);
    const rows = {
      accountId: newId('account'),
      creatorId: newId('user'),
      requestId: newId('request'),
      jobId: newId('validationJob'),
      name: 'Contacts',
      addressColumn: 1,
      replaces: null,
      lines: lines(),
    };
    await expect(jobs.take(rows, new AbortController().signal)).rejects.toMatchObject(error);
  });
});
