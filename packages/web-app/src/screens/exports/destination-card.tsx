import { useNavigate } from '@tanstack/react-router';
import { RotateCw } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { $api } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { Dialog } from '../../design/dialog.tsx';
import { countOf } from '../../design/format.ts';
import { Card, Facts } from '../../design/layout.tsx';
import { Failure } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { DestinationFields, SecretText } from './destination-fields.tsx';
import { destinationOf, emptyDestination, type WebhookForm } from './destination-form.ts';
import { canResend, type Export, isActive, needsDestination, rowsIn } from './export-words.ts';
import styles from './exports.module.css';
import { keepExport, refreshExports, useResendRows } from './use-export.ts';

/** Asks for the destination again if the push needs it to continue, then shows the new signing secret. */
export function DestinationCard({ record }: { readonly record: Export }) {
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) {
    return (
      <Card title="Destination updated">
        <MadeSecret secret={secret} onDone={() => setSecret(undefined)} />
      </Card>
    );
  }
  if (!needsDestination(record.failure)) return null;
  return (
    <Card title="Enter the webhook URL again">
      <p className={styles.soft}>
        Delivered rows are not sent again. The remaining rows keep their ids, so your receiver can recognize
        duplicates.
      </p>
      <DestinationForm record={record} onDone={setSecret} />
    </Card>
  );
}

/** The same form as a dialog, for a push that can continue without a new destination. */
export function DestinationDialog({
  record,
  open,
  onClose,
}: {
  readonly record: Export;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  return (
    <Dialog
      title={isActive(record) ? 'Send the rest to another webhook' : 'Send undelivered rows'}
      lead="Delivered rows are not sent again."
      open={open}
      onOpenChange={onClose}
    >
      <DestinationSteps record={record} onClose={onClose} />
    </Dialog>
  );
}

function DestinationSteps({ record, onClose }: { readonly record: Export; readonly onClose: () => void }) {
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) return <MadeSecret secret={secret} onDone={onClose} />;
  return (
    <DestinationForm record={record} onDone={made => (made === undefined ? onClose() : setSecret(made))} />
  );
}

/** A generated signing secret, which is shown once. */
function MadeSecret({ secret, onDone }: { readonly secret: string; readonly onDone: () => void }) {
  return (
    <div className={styles.form}>
      <Facts facts={[['Rows are signed with', <SecretText key="secret" secret={secret} />]]} />
      <p className={styles.soft}>
        Copy the secret now if your receiver verifies signatures: it is not shown again.
      </p>
      <Button look="primary" onClick={onDone}>
        Done
      </Button>
    </div>
  );
}

interface DestinationFormProps {
  readonly record: Export;
  /** Receives the generated signing secret; undefined if the user typed one. */
  readonly onDone: (madeSecret: string | undefined) => void;
}

function DestinationForm({ record, onDone }: DestinationFormProps) {
  const put = $api.useMutation('put', '/exports/{export_id}/destination');
  const { pending, failed } = rowsIn(record);
  function submit(values: WebhookForm) {
    put.mutate(
      { params: { path: { export_id: record.export_id } }, body: { destination: destinationOf(values) } },
      {
        onSuccess({ export: changed, push }) {
          onDone(values.signingSecret.trim() ? undefined : push.signing_secret);
          keepExport(changed);
          void refreshExports();
          announce('The push continues.');
        },
      },
    );
  }
  return <SendingForm rows={pending + failed} sending={put} onSubmit={submit} />;
}

interface SendingFormProps {
  readonly rows: number;
  readonly sending: { readonly isPending: boolean; readonly isError: boolean; readonly error: unknown };
  readonly onSubmit: (values: WebhookForm) => void;
}

/** The fields of a destination, and the button that sends rows to it. */
function SendingForm({ rows, sending, onSubmit }: SendingFormProps) {
  const form = useForm<WebhookForm>({ defaultValues: emptyDestination });
  return (
    <form className={styles.form} onSubmit={form.handleSubmit(onSubmit)}>
      <DestinationFields
        form={form}
        problem={sending.isError ? asProblem(sending.error) : undefined}
        rows={rows}
      />
      {sending.isError && <Failure error={sending.error} />}
      <Button type="submit" look="primary" busy={sending.isPending}>
        Send {countOf(rows, 'row')}
      </Button>
    </form>
  );
}

/** Sends the failed rows of an ended push again, in another export. */
export function ResendRows({ record }: { readonly record: Export }) {
  const [isOpen, setOpen] = useState(false);
  if (!canResend(record)) return null;
  return (
    <>
      <Button onClick={() => setOpen(true)}>
        <RotateCw size={16} aria-hidden />
        Resend failed rows
      </Button>
      <Dialog
        title="Resend failed rows"
        lead="Starts another push with the same options. The values of the rows are read again from their source."
        open={isOpen}
        onOpenChange={setOpen}
      >
        <ResendSteps record={record} />
      </Dialog>
    </>
  );
}

function ResendSteps({ record: { export_id, target, rows } }: { readonly record: Export }) {
  const navigate = useNavigate();
  const resend = useResendRows(export_id);
  const [made, setMade] = useState<{ readonly exportId: string; readonly secret: string }>();
  const open = (exportId: string) =>
    void navigate({
      to: '/exports/$exportId',
      params: { exportId },
      search: { rows: undefined, action: undefined },
    });
  if (made) return <MadeSecret secret={made.secret} onDone={() => open(made.exportId)} />;
  function send(values?: WebhookForm) {
    resend.mutate(values ? { destination: destinationOf(values) } : {}, {
      onSuccess({ export_id: exportId, push }) {
        const secret = values?.signingSecret.trim() ? undefined : push?.signing_secret;
        announce('The push has started.');
        if (secret === undefined) open(exportId);
        else setMade({ exportId, secret });
      },
    });
  }
  if (target === 'webhook') return <SendingForm rows={rows.failed} sending={resend} onSubmit={send} />;
  return (
    <div className={styles.form}>
      {resend.isError && <Failure error={resend.error} />}
      <Button look="primary" busy={resend.isPending} onClick={() => send()}>
        Send {countOf(rows.failed, 'row')}
      </Button>
    </div>
  );
}
