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
import { type Export, isActive, needsDestination, rowsIn } from './export-words.ts';
import styles from './exports.module.css';
import { keepExport, refreshExports } from './use-export.ts';

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
  const form = useForm<WebhookForm>({ defaultValues: emptyDestination });
  const put = $api.useMutation('put', '/exports/{export_id}/destination');
  const { pending, failed } = rowsIn(record);
  const left = pending + failed;
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
  return (
    <form className={styles.form} onSubmit={form.handleSubmit(submit)}>
      <DestinationFields form={form} problem={put.isError ? asProblem(put.error) : undefined} rows={left} />
      {put.isError && <Failure error={put.error} />}
      <Button type="submit" look="primary" busy={put.isPending}>
        Send {countOf(left, 'row')}
      </Button>
    </form>
  );
}
