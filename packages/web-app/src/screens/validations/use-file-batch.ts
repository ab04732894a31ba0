import { useEffect, useRef, useState } from 'react';
import { api, queryClient } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { refreshCredits } from '../../api/shared-queries.ts';
import type { Job } from './job-search.ts';
import { refusalAdvice } from './job-words.ts';
import { keepFile } from './kept-files.ts';
import { canSendAgain, fileUpload, sendRows, tooLargeWords, type Upload, wasStopped } from './upload.ts';
import { keepJob } from './use-job.ts';

/** A file of several that are uploaded together; each becomes a list. */
export interface BatchFile {
  readonly id: number;
  readonly file: File;
  /** The same for a repeated upload, which finds the list of the first one. */
  readonly upload: Upload;
  readonly state: 'waiting' | 'sending' | 'ready' | 'refused' | 'started';
  readonly job?: Job;
  /** The share that is uploaded, between 0 and 1. */
  readonly sent?: number;
  /** Why it was not uploaded or not started. */
  readonly fault?: string;
  /** Whether another upload of the same file may succeed. */
  readonly canRepeat?: boolean;
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
    setFiles(known => known.map(each => (each.state === 'waiting' ? { ...each, ...canceled } : each)));
    sending.current?.abort();
  }

  function enqueue(given: readonly BatchFile[]) {
    queue.current.push(...given);
    if (sending.current === undefined) void sendQueue();
  }

  /** Uploads the files again that were canceled, or whose upload broke off. */
  function repeat() {
    const again = files.filter(({ canRepeat }) => canRepeat);
    for (const { id } of again) change(id, { state: 'waiting', fault: '', canRepeat: false });
    enqueue(again);
  }

  function add(given: readonly File[]) {
    const added = given.map((file): BatchFile => {
      lastId.current += 1;
      const fault = tooLargeWords(file);
      return {
        id: lastId.current,
        file,
        upload: fileUpload(file),
        state: fault ? 'refused' : 'waiting',
        ...(fault && { fault }),
      };
    });
    setFiles(known => [...known, ...added]);
    enqueue(added.filter(({ state }) => state === 'waiting'));
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

  async function sendOne({ id, file, upload }: BatchFile, signal: AbortSignal) {
    change(id, { state: 'sending', sent: 0 });
    try {
      const job = await sendRows(upload, {
        signal,
        onSent: octets => change(id, { sent: file.size === 0 ? 1 : Math.min(1, octets / file.size) }),
      });
      keepJob(job);
      keepFile(job.job_id, file);
      change(id, { state: 'ready', job });
    } catch (error) {
      change(
        id,
        wasStopped(error)
          ? canceled
          : { state: 'refused', fault: faultWords(error), canRepeat: canSendAgain(asProblem(error)) },
      );
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
  return { files, isSending, isStarting, add, repeat, startAll, stop, close: () => setFiles([]) };
}

const canceled = { state: 'refused', fault: 'Canceled.', canRepeat: true } as const;

function faultWords(error: unknown): string {
  const { code, title, detail } = asProblem(error);
  return [detail ?? title, refusalAdvice(code)].filter(Boolean).join(' ');
}
