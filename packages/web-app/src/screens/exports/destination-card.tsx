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
import { DestinationFields } from './destination-fields.tsx';
import { destinationOf, emptyDestination, type WebhookForm } from './destination-form-values.ts';
import { type Export, isUnderWay, needsDestination, rowsIn } from './export-words.ts';
import styles from './exports.module.css';
import { SecretText } from './secret-text.tsx';
import { keepExport, refreshExports } from './use-export.ts';

/** Asks again where rows go, where the push cannot go on without; then shows what rows are signed with from then on. */
export function DestinationCard({ record }: { readonly record: Export }) {
  const [secret, setSecret] = useState<string>();
  if (secret !== undefined) {
    return (
      <Card title="Where the rows go is set">
        <MadeSecret secret={secret} onDone={() => setSecret(undefined)} />
      </Card>
    );
  }
  if (!needsDestination(record.failure)) return null;
  return (
    <Card title="Say again where the rows go">
      <p className={styles.soft}>
        Rows that arrived are not sent again. The rest goes on under the same ids, by which your receiver
        knows a row that it has already.
      </p>
      <DestinationForm record={record} onDone={setSecret} />
    </Card>
  );
}

/** The same for a push that is under way, or that nobody has to mend. */
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
      title={isUnderWay(record) ? 'Send the rest somewhere else' : 'Send what did not arrive'}
      lead="Rows that arrived are not sent again."
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

/** A secret that we made up, which is told once. */
function MadeSecret({ secret, onDone }: { readonly secret: string; readonly onDone: () => void }) {
  return (
    <div className={styles.form}>
      <Facts facts={[['Rows are signed with', <SecretText key="secret" secret={secret} />]]} />
      <p className={styles.soft}>Take the secret along if your receiver checks it: it is not shown again.</p>
      <Button look="primary" onClick={onDone}>
        Done
      </Button>
    </div>
  );
}

interface DestinationFormProps {
  readonly record: Export;
  /** Is told the secret that rows are signed with, unless it was typed. */
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
          announce('The push goes on.');
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
