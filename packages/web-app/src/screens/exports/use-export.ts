import { useMutation } from '@tanstack/react-query';
import { $api, api, queryClient, type Schema } from '../../api/client.ts';
import { newerOf } from '../../api/newer-of.ts';
import { useServerEvents } from '../../api/server-events.ts';
import { addressWithAccount } from '../../api/shown-user.ts';
import { useIdempotencyKey } from '../../api/use-idempotency-key.ts';
import { type Export, isUnderWay } from './export-words.ts';

const undoRefreshMs = 1_500;
/** Events tell at once; asking finds what they cannot tell: that it was deleted, or a proxy holds them back. */
const followedRefreshMs = 10_000;

/** An export, which is told again whenever it changes. */
export function useExport(exportId: string) {
  const query = $api.useQuery('get', '/exports/{export_id}', pathOf(exportId), {
    refetchInterval: ({ state }) => refreshMsOf(state.data),
    // An answer that took its time may be older than an event that came meanwhile.
    structuralSharing: (known, given) => newerOf(known as Export | undefined, given as Export),
  });
  const isFollowed = query.data !== undefined && isUnderWay(query.data) && !query.isError;
  useServerEvents<Export>(isFollowed ? `/exports/${exportId}/events` : undefined, 'export', keepExport);
  return query;
}

function refreshMsOf(record: Export | undefined): number | false {
  if (record === undefined) return false;
  // The events end with the push; what is undone behind it is asked for.
  if (record.undo?.status === 'running') return undoRefreshMs;
  return isUnderWay(record) ? followedRefreshMs : false;
}

/** Shows this from now on, unless something newer is known. */
export function keepExport(record: Export): void {
  const { queryKey } = $api.queryOptions('get', '/exports/{export_id}', pathOf(record.export_id));
  queryClient.setQueryData<Export>(queryKey, known => newerOf(known, record));
  // A list that was seen before says something older.
  void queryClient.invalidateQueries({ queryKey: ['get', '/exports'], refetchType: 'none' });
}

/** What lists exports has a new answer. */
export async function refreshExports(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['get', '/exports'] });
}

export function forgetExport(exportId: string): void {
  const { queryKey } = $api.queryOptions('get', '/exports/{export_id}', pathOf(exportId));
  queryClient.removeQueries({ queryKey });
}

/**
 * Begins exports. Whoever tries the same again because no answer came gets the export that the first attempt began.
 */
export function useBeginExport() {
  const key = useIdempotencyKey();
  return useMutation({
    async mutationFn(body: Schema['NewExport']): Promise<Schema['BegunExport']> {
      const { data } = await api.POST('/exports', {
        body,
        params: { header: { 'Idempotency-Key': key.keyOf(body) } },
      });
      if (!data) throw new Error('The export was begun, but its answer is empty.');
      return data;
    },
    onSettled: (_begun, error) => key.answered(error ?? undefined),
    onSuccess: refreshExports,
  });
}

/** Where the file of an export is. */
export function fileOf(exportId: string): string {
  return addressWithAccount(`/exports/${exportId}/file`);
}

/** Where the rows that were given up are, as a file. */
export function failedRowsOf(exportId: string): string {
  return addressWithAccount(`/exports/${exportId}/failed-rows`);
}

/** Has the browser download a file, as a link to it would. */
export function download(href: string): void {
  const link = document.createElement('a');
  link.href = href;
  link.download = '';
  link.click();
}

function pathOf(exportId: string) {
  return { params: { path: { export_id: exportId } } };
}
