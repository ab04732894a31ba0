import { queryClient } from './client.ts';

const paths = ['/balance', '/usage', '/statement', '/receipts', '/receipts/{run_id}'];

/** Has everything asked again that tells of credits, after some were set aside, spent or returned. */
export async function creditsHaveMoved(): Promise<void> {
  await Promise.all(paths.map(path => queryClient.invalidateQueries({ queryKey: ['get', path] })));
}
