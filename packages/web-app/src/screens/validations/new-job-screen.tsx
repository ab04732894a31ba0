import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { queryClient } from '../../api/client.ts';
import { newIdempotencyKey } from '../../api/idempotency-key.ts';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { formatOctets } from '../../design/format.ts';
import { Card, Page, Row } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { useDroppedFiles } from '../../shell/dropped-files.ts';
import { AskBeforeLeaving } from './ask-before-leaving.tsx';
import { DropFile } from './drop-file.tsx';
import { FileBatch } from './file-batch.tsx';
import type { Reading } from './file-format.ts';
import { refusalAdvice } from './job-words.ts';
import { keepFile } from './kept-files.ts';
import { PasteList } from './paste-list.tsx';
import { canSendAgain, fileUpload, sendRows, tooLargeWords, type Upload, wasStopped } from './upload.ts';
import { useFileBatch } from './use-file-batch.ts';
import { keepJob } from './use-job.ts';

interface Sending {
  readonly name: string;
  readonly octets: number;
  readonly sent: number;
}

const route = getRouteApi('/signed-in/validations/new');
const sheetsOfferedMax = 8;

/** Uploads a list, from a file or pasted. */
export function NewJobScreen() {
  const { sample } = route.useSearch();
  const { sending, refused, send, stop } = useSending();
  const batch = useFileBatch();
  const [reading, setReading] = useState<Reading>({});
  const [tooLarge, setTooLarge] = useState<string>();
  function take(files: readonly File[]) {
    const [file] = files;
    if (!file) return;
    // A single list is opened once it is uploaded, which would end the other uploads.
    if (files.length > 1 || sending || batch.files.length > 0) return batch.add(files);
    const fault = tooLargeWords(file);
    setTooLarge(fault);
    if (fault === undefined) void send(fileUpload(file, reading));
  }
  useDroppedFiles('Drop files to upload them', take, true);
  return (
    <Page
      title="Validate a list"
      lead="Upload a file or paste addresses. You see the contents and the price first; nothing is charged before you start."
    >
      {refused && <Refusal {...refused} onSend={send} />}
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
              {
                value: 'file',
                label: 'File',
                content: <DropFile reading={reading} onReading={setReading} onFiles={take} />,
              },
              {
                value: 'text',
                label: 'Paste',
                content: <PasteList onSend={send} isSample={sample === true} />,
              },
            ]}
          />
        </Card>
      </div>
      {tooLarge && (
        <Notice tone="bad" title="File not uploaded" alert>
          <span>{tooLarge}</span>
        </Notice>
      )}
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
  const [refused, setRefused] = useState<{ readonly error: unknown; readonly upload: Upload }>();
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
    setRefused(undefined);
    setSending({ name, octets, sent: 0 });
    try {
      const job = await sendRows(upload, {
        signal: controller.signal,
        onSent: sent => setSending({ name, octets, sent: Math.min(sent, octets) }),
      });
      keepJob(job);
      if (body instanceof File) keepFile(job.job_id, body);
      void queryClient.invalidateQueries({ queryKey: ['get', '/validation-jobs'] });
      await navigate({ to: '/validations/$jobId', params: { jobId: job.job_id }, ignoreBlocker: true });
    } catch (cause) {
      setSending(undefined);
      if (!wasStopped(cause)) setRefused({ error: cause, upload });
    }
  }
  return { sending, refused, send, stop: () => stopping.current?.abort() };
}

interface RefusalProps {
  readonly error: unknown;
  readonly upload: Upload;
  readonly onSend: (upload: Upload) => void;
}

/** Explains why a list was refused, and what to do. */
function Refusal({ error, upload, onSend }: RefusalProps) {
  const problem = asProblem(error);
  const { code, title, detail, sheets } = problem;
  const canRepeat = canSendAgain(problem);
  const advice = sheets.length > 0 ? 'Choose the sheet that has the list:' : refusalAdvice(code);
  if (!advice) return <Failure error={error} {...(canRepeat && { onRetry: () => onSend(upload) })} />;
  return (
    <Notice tone="bad" title={title} alert>
      {detail && <span>{detail}</span>}
      <span>{advice}</span>
      {canRepeat && <Button onClick={() => onSend(upload)}>Upload again</Button>}
      {sheets.length > 0 && (
        <Row>
          {sheets.slice(0, sheetsOfferedMax).map(sheet => (
            <Button
              key={sheet}
              onClick={() =>
                onSend({ ...upload, query: { ...upload.query, sheet }, key: newIdempotencyKey() })
              }
            >{`Read “${sheet}”`}</Button>
          ))}
        </Row>
      )}
    </Notice>
  );
}
