import { useRef, useState } from 'react';
import type { UseFormReturn } from 'react-hook-form';
import { $api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { countOf } from '../../design/format.ts';
import { Row } from '../../design/layout.tsx';
import { Failure } from '../../design/states.tsx';
import { DestinationFields } from './destination-fields.tsx';
import { destinationOf, optionsOf, sentWith, type WebhookForm } from './destination-form-values.ts';
import type { ExportWay } from './export-drawer.tsx';
import styles from './exports.module.css';
import { TestRowResult } from './test-row-result.tsx';
import { useBeginExport } from './use-export.ts';

interface Tested {
  readonly sentWith: string;
  readonly result: Schema['TestRowResult'];
}

/** Pushes rows to a webhook, one row first. */
export function WebhookTab({
  source,
  name,
  rows,
  onStarted,
  form,
}: ExportWay & { readonly form: UseFormReturn<WebhookForm> }) {
  const [tested, setTested] = useState<Tested>();
  const isPush = useRef(false);
  const test = $api.useMutation('post', '/export-test-rows');
  const begin = useBeginExport();
  // An answer is about the destination that it came from: of another one nothing is known.
  const result = tested?.sentWith === sentWith(form.watch()) ? tested.result : undefined;
  const failed = [test, begin].find(({ isError }) => isError);

  function sendTestRow(values: WebhookForm) {
    begin.reset();
    test.mutate(
      { body: { source, destination: destinationOf(values), options: optionsOf(values) } },
      { onSuccess: answer => setTested({ sentWith: sentWith(values), result: answer }) },
    );
  }
  function push(values: WebhookForm) {
    test.reset();
    // Under the secret that was shown with the test row, which the receiver may know by now.
    const destination = destinationOf(values, result?.push.signing_secret);
    begin.mutate(
      { target: 'webhook', source, destination, options: optionsOf(values), ...(name && { name }) },
      { onSuccess: ({ export_id, push: told }) => onStarted(export_id, told?.signing_secret) },
    );
  }
  const isBusy = test.isPending || begin.isPending;
  const pushes = `Push ${countOf(rows, 'row')}`;
  return (
    <form
      className={styles.form}
      onSubmit={form.handleSubmit(values => (isPush.current ? push(values) : sendTestRow(values)))}
    >
      <DestinationFields
        form={form}
        rows={rows}
        problem={failed ? asProblem(failed.error) : undefined}
        withOptions
      />
      {failed && <Failure error={failed.error} />}
      {result && <TestRowResult result={result} rows={rows} isRecognised={form.watch('preset') === ''} />}
      <Row>
        <Button
          type="submit"
          look={result?.outcome === 'delivered' ? 'secondary' : 'primary'}
          busy={test.isPending}
          disabled={isBusy}
          onClick={() => {
            isPush.current = false;
          }}
        >
          {result ? 'Send another test row' : 'Send a test row'}
        </Button>
        <Button
          type="submit"
          look={result?.outcome === 'delivered' ? 'primary' : 'quiet'}
          busy={begin.isPending}
          disabled={isBusy}
          onClick={() => {
            isPush.current = true;
          }}
        >
          {pushWord(pushes, result)}
        </Button>
      </Row>
      <p className={styles.soft}>
        Pushing is free of charge. The test row is the first of your rows; look whether it arrived as you want
        it.
      </p>
    </form>
  );
}

function pushWord(pushes: string, result: Schema['TestRowResult'] | undefined): string {
  if (!result) return `${pushes} without a test`;
  return result.outcome === 'failed' ? `${pushes} anyway` : pushes;
}
