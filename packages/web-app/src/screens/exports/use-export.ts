import { useMutation } from '@tanstack/react-query';
import { addressWithAccount } from '../../api/browser-session.ts';
import { $api, api, queryClient, type Schema } from '../../api/client.ts';
import { useIdempotencyKey } from '../../api/idempotency-key.ts';
import { useServerEvents } from '../../api/server-events.ts';
import { newerOf } from '../work-states.ts';
import { type Export, isActive } from './export-words.ts';

const undoRefreshMs = 1_500;
/**
 * Events arrive immediately; polling covers what they cannot report: a deleted export, or events held back by a proxy.
 */
const followedRefreshMs = 10_000;

/** Returns an export with live updates. */
export function useExport(exportId: string) {
  const query = $api.useQuery('get', '/exports/{export_id}', pathOf(exportId), {
    refetchInterval: ({ state }) => refreshMsOf(state.data),
    // A slow response may be older than an event that arrived in the meantime.
    structuralSharing: (known, given) => newerOf(known as Export | undefined, given as Export),
  });
  const isFollowed = query.data !== undefined && isActive(query.data) && !query.isError;
  useServerEvents<Export>(isFollowed ? `/exports/${exportId}/events` : undefined, 'export', keepExport);
  return query;
}

function refreshMsOf(record: Export | undefined): number | false {
  if (record === undefined) return false;
  // Events end when the push ends, so an undo after it is polled.
  if (record.undo?.status === 'running') return undoRefreshMs;
  return isActive(record) ? followedRefreshMs : false;
}

/** Stores the state of an export, unless a newer version is known. */
export function keepExport(record: Export): void {
  const { queryKey } = $api.queryOptions('get', '/exports/{export_id}', pathOf(record.export_id));
  queryClient.setQueryData<Export>(queryKey, known => newerOf(known, record));
  // Lists that were fetched earlier are out of date.
  void queryClient.invalidateQueries({ queryKey: ['get', '/exports'], refetchType: 'none' });
}

/** Refetches the lists of exports. */
export async function refreshExports(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['get', '/exports'] });
}

export function forgetExport(exportId: string): void {
  const { queryKey } = $api.queryOptions('get', '/exports/{export_id}', pathOf(exportId));
  queryClient.removeQueries({ queryKey });
}

/**
 * Starts exports. A retry after a lost response returns the export that the first attempt started.
 */
export function useBeginExport() {
  const key = useIdempotencyKey();
  return useMutation({
    async mutationFn(body: Schema['NewExport']): Promise<Schema['StartedExport']> {
      const { data } = await api.POST('/exports', {
        body,
        params: { header: { 'Idempotency-Key': key.keyOf(body) } },
      });
      if (!data) throw new Error('The export was created, but the response is empty.');
      return data;
    },
    onSettled: (_begun, error) => key.answered(error ?? undefined),
    onSuccess: refreshExports,
  });
}

/** Sends the failed rows of an export again. A retry after a lost response returns the push that the first one started. */
export function useResendRows(exportId: string) {
  const key = useIdempotencyKey();
  return useMutation({
    async mutationFn(body: Schema['FailedRowsToResend']): Promise<Schema['StartedExport']> {
      const { data } = await api.POST('/exports/{export_id}/resend', {
        body,
        params: { ...pathOf(exportId).params, header: { 'Idempotency-Key': key.keyOf(body) } },
      });
      if (!data) throw new Error('The push was started, but the response is empty.');
      return data;
    },
    onSettled: (_begun, error) => key.answered(error ?? undefined),
    onSuccess: refreshExports,
  });
}

/** Returns the URL of an export's file. */
export function fileOf(exportId: string): string {
  return addressWithAccount(`/exports/${exportId}/file`);
}

/** Returns the URL of the failed rows as a file. */
export function failedRowsOf(exportId: string): string {
  return addressWithAccount(`/exports/${exportId}/failed-rows`);
}

function pathOf(exportId: string) {
  return { params: { path: { export_id: exportId } } };
}
