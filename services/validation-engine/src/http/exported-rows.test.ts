import { expect, test } from '@jest/globals';
import { newId } from '@mailproof/shared-types';
import { exportedRowHandlers } from './exported-rows.ts';

test('lists leave room for a user who waits for the rows of an export', async () => {
  const steps: string[] = [];
  const step =
    <Result>(name: string, result: Result) =>
    async () => {
      steps.push(name);
      return result;
    };
  const job = { jobNo: '1', columns: ['email'], addressColumn: 0, hasEnded: false, layout: null };
  const { listValidationRows } = exportedRowHandlers(
    {
      find: step('find', job),
      count: step('count', { rows: 1, open: 1 }),
      list: step('list', { rowNos: [2], isLast: true, open: 1 }),
      read: step('read', []),
    },
    () => void steps.push('leave room'),
  );
  const source = { kind: 'validation_job', job_id: newId('validationJob') };
  // The handler reads no more of its input than this.
  const call = [{ params: { accountId: newId('account') }, body: { source } }] as unknown;
  await listValidationRows(...(call as Parameters<typeof listValidationRows>));
  expect(steps).toEqual(['leave room', 'find', 'count', 'list']);
});
