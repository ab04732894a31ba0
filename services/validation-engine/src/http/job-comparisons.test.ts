import { expect, test } from '@jest/globals';
import { type ChangedAddress, newId } from '@mailproof/shared-types';
import type { ChangesPage } from '../domain/intake/comparison.ts';
import { jobComparisonHandlers } from './job-comparisons.ts';

const at = '2026-03-01T10:00:00.000Z';
const changed = (email: string): ChangedAddress => ({
  email,
  from: { result: 'unknown', reason: 'timeout', validated_at: null },
  to: { result: 'ok', reason: 'accepted', validated_at: at },
});

/** Downloads pages of which the last ones are missing, as if a job were deleted meanwhile. */
async function download(pages: readonly ChangesPage[]): Promise<string> {
  const [accountId, callerId] = [newId('account'), newId('user')];
  const [jobId, earlierId] = [newId('validationJob'), newId('validationJob')];
  const { downloadChangedAddresses } = jobComparisonHandlers({
    groups: async () => [],
    page: async (_jobs, { cursor }) => pages[Number(cursor ?? 0)],
  });
  // The handler reads no more of its input than this.
  const input = { params: { accountId, callerId, job_id: jobId }, query: { earlier_job_id: earlierId } };
  const call = [input, { setHeader: () => undefined }] as unknown;
  const pieces = await downloadChangedAddresses(...(call as Parameters<typeof downloadChangedAddresses>));
  let file = '';
  for await (const piece of pieces) file += String(piece);
  return file;
}

const first = { addresses: [changed('ada@a.example')], nextCursor: '1' };
const last = { addresses: [changed('"b"@a.example')], nextCursor: undefined };

test('a download of changed addresses has every page', async () => {
  expect((await download([first, last])).split('\r\n')).toEqual([
    'email,previous_result,previous_reason,previous_validated_at,result,reason,validated_at',
    `ada@a.example,unknown,timeout,,ok,accepted,${at}`,
    `"""b""@a.example",unknown,timeout,,ok,accepted,${at}`,
    '',
  ]);
});

test('a download breaks off if a job is deleted, and never ends like a whole file', async () => {
  await expect(download([first])).rejects.toMatchObject({ code: 'job_not_found' });
  await expect(download([])).rejects.toMatchObject({ code: 'job_not_found' });
});
