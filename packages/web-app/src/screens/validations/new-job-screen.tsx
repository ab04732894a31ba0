import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { queryClient } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { formatOctets } from '../../design/format.ts';
import { Card, Page } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { AskBeforeLeaving } from './ask-before-leaving.tsx';
import { DropFile } from './drop-file.tsx';
import { FileBatch } from './file-batch.tsx';
import { refusalAdvice } from './job-words.ts';
import { PasteList } from './paste-list.tsx';
import { sendRows, type Upload, wasStopped } from './upload.ts';
import { useFileBatch } from './use-file-batch.ts';
import { keepJob } from './use-job.ts';

interface Sending {
  readonly name: string;
  readonly octets: number;
  readonly sent: number;
}

const route = getRouteApi('/signed-in/validations/new');

/** Uploads a list, from a file or pasted. */
export function NewJobScreen() {
  const { sample } = route.useSearch();
  const { sending, error, send, stop } = useSending();
  const batch = useFileBatch();
  return (
    <Page
      title="Validate a list"
      lead="Upload a file or paste addresses. You see the contents and the price first; nothing is charged before you start."
    >
      {error !== undefined && <Refusal error={error} />}
      <FileBatch batch={batch} />
      {sending && <SendingCard sending={sending} onStop={stop} />}
      {/* Hidden, not unmounted: if the upload is refused or stopped, the input is still there. */}
      <div hidden={sending !== undefined}>
        <Card>
          <Tabs
            key={String(sample)}
            name="Source of the addresses"
            {...(sample && { defaultValue: 'text' })}
            tabs={[
              { value: 'file', label: 'File', content: <DropFile onSend={send} onSeveral={batch.add} /> },
              {
                value: 'text',
                label: 'Paste',
                content: <PasteList onSend={send} isSample={sample === true} />,
              },
            ]}
          />
        </Card>
      </div>
    </Page>
  );
}

function SendingCard({ sending, onStop }: { readonly sending: Sending; readonly onStop: () => void }) {
  const { name, sent, octets } = sending;
  return (
    <Card title={`Uploading ${name}`}>
      <Progress name={`Uploading ${name}`} value={octets === 0 ? 0 : sent / octets} />
      <p>
        {sent < octets
          ? `${formatOctets(sent)} of ${formatOctets(octets)} uploaded`
          : 'Upload complete; counting rows.'}
      </p>
      {/* Announces only the end of the upload; reading every step aloud would be too much. */}
      <p role="status" className="visually-hidden">
        {sent === octets && 'Upload complete.'}
      </p>
      <div>
        <Button onClick={onStop}>Cancel upload</Button>
      </div>
      <AskBeforeLeaving onStop={onStop} />
    </Card>
  );
}

function useSending() {
  const navigate = useNavigate();
  const [sending, setSending] = useState<Sending>();
  const [error, setError] = useState<unknown>();
  const stopping = useRef<AbortController>(undefined);
  const startedBy = useRef<HTMLElement>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  // The pressed button is hidden during the upload and loses the focus, so it gets it back afterward.
  useEffect(() => {
    if (sending === undefined) startedBy.current?.focus();
  }, [sending]);
  async function send(upload: Upload) {
    const controller = new AbortController();
    stopping.current = controller;
    startedBy.current = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
    const { body } = upload;
    const name = upload.query['name'] ?? 'the list';
    const octets = typeof body === 'string' ? new Blob([body]).size : body.size;
    setError(undefined);
    setSending({ name, octets, sent: 0 });
    try {
      const job = await sendRows(upload, {
        signal: controller.signal,
        onSent: sent => setSending({ name, octets, sent: Math.min(sent, octets) }),
      });
      keepJob(job);
      void queryClient.invalidateQueries({ queryKey: ['get', '/validation-jobs'] });
      await navigate({ to: '/validations/$jobId', params: { jobId: job.job_id }, ignoreBlocker: true });
    } catch (cause) {
      setSending(undefined);
      if (!wasStopped(cause)) setError(cause);
    }
  }
  return { sending, error, send, stop: () => stopping.current?.abort() };
}

/** Explains why a list was refused, and what to do. */
function Refusal({ error }: { readonly error: unknown }) {
  const { code, title, detail } = asProblem(error);
  const advice = refusalAdvice(code);
  if (!advice) return <Failure error={error} />;
  return (
    <Notice tone="bad" title={title} alert>
      {detail && <span>{detail}</span>}
      <span>{advice}</span>
    </Notice>
  );
}
