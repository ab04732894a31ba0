import { useBlocker, useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { queryClient } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { formatOctets } from '../../design/format.ts';
import { Card, Page } from '../../design/layout.tsx';
import { Progress } from '../../design/progress.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { Tabs } from '../../design/tabs.tsx';
import { DropFile } from './drop-file.tsx';
import { refusalAdvice } from './job-words.ts';
import { PasteList } from './paste-list.tsx';
import { sendRows, type Upload, wasStopped } from './upload.ts';
import { keepJob } from './use-job.ts';

interface Sending {
  readonly name: string;
  readonly octets: number;
  readonly sent: number;
}

/** Takes a list in, as a file or pasted. */
export function NewJobScreen() {
  const { sending, error, send, stop } = useSending();
  return (
    <Page
      title="New list"
      lead="Send a file or paste addresses. You then see what is in it and what it costs; nothing is charged before you start."
    >
      {error !== undefined && <Refusal error={error} />}
      {sending && <SendingCard sending={sending} onStop={stop} />}
      {/* Out of sight and not away: what was pasted or chosen is there again where it was refused or stopped. */}
      <div hidden={sending !== undefined}>
        <Card>
          <Tabs
            name="Where the addresses are"
            tabs={[
              { value: 'file', label: 'In a file', content: <DropFile onSend={send} /> },
              { value: 'text', label: 'Paste them', content: <PasteList onSend={send} /> },
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
    <Card title={`Sending ${name}`}>
      <Progress name={`Sending ${name}`} value={octets === 0 ? 0 : sent / octets} />
      <p>
        {sent < octets
          ? `${formatOctets(sent)} of ${formatOctets(octets)} sent`
          : 'Everything is sent; the rows are being counted.'}
      </p>
      {/* Every step would be read aloud; its end is. */}
      <p role="status" className="visually-hidden">
        {sent === octets && 'Everything is sent.'}
      </p>
      <div>
        <Button onClick={onStop}>Stop</Button>
      </div>
      <AskBeforeLeaving onStop={onStop} />
    </Card>
  );
}

const always = () => true;

/** Whoever goes elsewhere ends the sending, so they are asked. */
function AskBeforeLeaving({ onStop }: { readonly onStop: () => void }) {
  const leaving = useBlocker({ shouldBlockFn: always, withResolver: true });
  return (
    <Confirm
      title="Stop sending the list?"
      lead="It has not arrived whole yet. If you leave now, nothing of it is kept."
      verb="Stop and leave"
      otherwise="Stay"
      isDanger
      open={leaving.status === 'blocked'}
      onOpenChange={isOpen => !isOpen && leaving.reset?.()}
      onConfirm={async () => {
        onStop();
        leaving.proceed?.();
      }}
    />
  );
}

function useSending() {
  const navigate = useNavigate();
  const [sending, setSending] = useState<Sending>();
  const [error, setError] = useState<unknown>();
  const stopping = useRef<AbortController>(undefined);
  const begunBy = useRef<HTMLElement>(undefined);
  useEffect(() => () => stopping.current?.abort(), []);
  // The button that was pressed is out of sight meanwhile, and so without the focus.
  useEffect(() => {
    if (sending === undefined) begunBy.current?.focus();
  }, [sending]);
  async function send(upload: Upload) {
    const controller = new AbortController();
    stopping.current = controller;
    begunBy.current = document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
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

/** Why a list was not taken, and what to do about it. */
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
