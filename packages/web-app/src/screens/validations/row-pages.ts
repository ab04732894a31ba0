import { useQueries } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { pagesOf, rowsPerPage, type Shown, shownQueries } from './job-search.ts';
import { rowsKey } from './use-job.ts';

export type JobRow = Schema['ValidationJobRow'];

/** Rows that are scrolled past within this time are not loaded. */
const restMs = 60;
const pageKeptMs = 120_000;

/** Returns the rows of a job by their position under a filter, and fetches them when they become visible. */
export function useRowPages(jobId: string, show: Shown | undefined, isFinal: boolean) {
  const [pages, setPages] = useState<readonly number[]>([0]);
  const resting = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(resting.current), []);
  const answers = useQueries({
    queries: pages.map(page => ({
      queryKey: [...rowsKey(jobId), show, page],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) => fetchPage(jobId, show, page, signal),
      staleTime: isFinal ? Number.POSITIVE_INFINITY : 0,
      gcTime: pageKeptMs,
    })),
  });
  const rows = new Map(pages.map((page, at) => [page, answers[at]?.data]));
  const failed = answers.find(({ isError }) => isError);
  return {
    error: failed?.error,
    retry: () => void failed?.refetch(),
    rowAt: (index: number) => rows.get(Math.floor(index / rowsPerPage))?.[index % rowsPerPage],
    onSeen(first: number, last: number) {
      clearTimeout(resting.current);
      const seen = pagesOf(first, last);
      if (seen.every(page => pages.includes(page))) return;
      resting.current = setTimeout(() => setPages(seen), restMs);
    },
  };
}

/** Fetches a page of rows; the API returns it in parts if its cells are long. */
async function fetchPage(
  jobId: string,
  show: Shown | undefined,
  page: number,
  signal: AbortSignal,
): Promise<readonly JobRow[]> {
  const rows: JobRow[] = [];
  for (;;) {
    const { data } = await api.GET('/validation-jobs/{job_id}/rows', {
      params: {
        path: { job_id: jobId },
        query: {
          ...(show && shownQueries[show]),
          skip: page * rowsPerPage + rows.length,
          limit: rowsPerPage - rows.length,
        },
      },
      signal,
    });
    rows.push(...(data?.rows ?? []));
    if (!data?.next_cursor || rows.length >= rowsPerPage) return rows;
  }
}
