import { useEffect, useRef, useState } from 'react';
import { api, queryClient } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { refreshCredits } from '../../api/shared-queries.ts';
import type { Job } from './job-search.ts';
import { refusalAdvice } from './job-words.ts';
import { keepFile } from './kept-files.ts';
import { fileUpload, sendRows, tooLargeWords, wasStopped } from './upload.ts';
import { keepJob } from './use-job.ts';

/** A file of several that are uploaded together; each becomes a list. */
export interface BatchFile {
  readonly id: number;
  readonly file: File;
  readonly state: 'waiting' | 'sending' | 'ready' | 'refused' | 'started';
  readonly job?: Job;
  /** Why it was not uploaded or not started. */
  readonly fault?: string;
}

/** Uploads files one after the other, and starts their lists on request. */
export function useFileBatch() {
  const [files, setFiles] = useState<readonly BatchFile[]>([]);
  const [isStarting, setIsStarting] = useState(false);
  const queue = useRef<BatchFile[]>([]);
  const sending = useRef<AbortController>(undefined);
  const lastId = useRef(0);
  useEffect(
    () => () => {
      queue.current = [];
      sending.current?.abort();
    },
    [],
  );

  function change(id: number, part: Partial<BatchFile>) {
    setFiles(known => known.map(each => (each.id === id ? { ...each, ...part } : each)));
  }

  function stop() {
    queue.current = [];
    sending.current?.abort();
  }

  function add(given: readonly File[]) {
    const added = given.map((file): BatchFile => {
      lastId.current += 1;
      const fault = tooLargeWords(file);
      return { id: lastId.current, file, state: fault ? 'refused' : 'waiting', ...(fault && { fault }) };
    });
    setFiles(known => [...known, ...added]);
    queue.current.push(...added.filter(({ state }) => state === 'waiting'));
    if (sending.current === undefined) void sendQueue();
  }

  async function sendQueue() {
    const controller = new AbortController();
    sending.current = controller;
    for (let next = queue.current.shift(); next; next = queue.current.shift()) {
      await sendOne(next, controller.signal);
    }
    sending.current = undefined;
    void queryClient.invalidateQueries({ queryKey: ['get', '/validation-jobs'] });
  }

  async function sendOne({ id, file }: BatchFile, signal: AbortSignal) {
    change(id, { state: 'sending' });
    try {
      const job = await sendRows(fileUpload(file), { signal, onSent: () => undefined });
      keepJob(job);
      keepFile(job.job_id, file);
      change(id, { state: 'ready', job });
    } catch (error) {
      change(id, { state: 'refused', fault: wasStopped(error) ? 'Canceled.' : faultWords(error) });
    }
  }

  /** Starts one list after the other; one that cannot start says why, and does not hold up the others. */
  async function startAll() {
    setIsStarting(true);
    for (const { id, job, state } of files) {
      if (!job || state !== 'ready') continue;
      try {
        const { data } = await api.POST('/validation-jobs/{job_id}/start', {
          params: { path: { job_id: job.job_id }, header: { 'Idempotency-Key': `start-${job.job_id}` } },
        });
        if (data) keepJob(data);
        change(id, { state: 'started', fault: '' });
      } catch (error) {
        change(id, { fault: faultWords(error) });
      }
    }
    setIsStarting(false);
    void queryClient.invalidateQueries({ queryKey: ['get', '/validation-jobs'] });
    void refreshCredits();
  }

  const isSending = files.some(({ state }) => state === 'waiting' || state === 'sending');
  return { files, isSending, isStarting, add, startAll, stop, close: () => setFiles([]) };
}

function faultWords(error: unknown): string {
  const { code, title, detail } = asProblem(error);
  return [detail ?? title, refusalAdvice(code)].filter(Boolean).join(' ');
}
