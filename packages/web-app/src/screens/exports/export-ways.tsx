import { useRef, useState } from 'react';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { $api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { Checkbox, Select } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Facts, Row } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { DestinationFields, PresetNotice, SecretText } from './destination-fields.tsx';
import {
  destinationOf,
  optionsOf,
  readableRow,
  sentWith,
  testRowWords,
  type WebhookForm,
} from './destination-form.ts';
import type { ExportSource } from './export-words.ts';
import styles from './exports.module.css';
import { useBeginExport } from './use-export.ts';

type Format = NonNullable<Schema['FileOptions']['format']>;

const formatNames = {
  as_uploaded: 'As the list was uploaded',
  csv: 'CSV',
  xlsx: 'Excel (.xlsx)',
  ndjson: 'JSON lines (NDJSON)',
} as const satisfies Record<Format, string>;

type Delimiter = NonNullable<Schema['FileOptions']['delimiter']>;

const delimiterNames = {
  comma: 'Comma ( , )',
  semicolon: 'Semicolon ( ; )',
  tab: 'Tab',
  pipe: 'Pipe ( | )',
} as const satisfies Record<Delimiter, string>;

/** The properties of every export tab. */
export interface ExportWay {
  readonly source: ExportSource;
  readonly name: string | undefined;
  /** The number of rows to export. */
  readonly rows: number;
  readonly onStarted: (exportId: string, signingSecret?: string) => void;
}

/** Exports a file; the rows of a list come back as the list came in, unless the user chooses another format. */
export function FileTab({ source, name, onStarted }: ExportWay) {
  const begin = useBeginExport();
  const isList = source.kind === 'validation_job';
  const { register, handleSubmit, watch } = useForm<Required<Schema['FileOptions']>>({
    defaultValues: { format: isList ? 'as_uploaded' : 'csv', delimiter: 'comma', byte_order_mark: false },
  });
  const format = watch('format');
  const submit = handleSubmit(options =>
    begin.mutate(
      {
        target: 'csv',
        source,
        options: options.format === 'csv' ? options : { format: options.format },
        ...(name && { name }),
      },
      { onSuccess: ({ export_id }) => onStarted(export_id) },
    ),
  );
  return (
    <form className={styles.form} onSubmit={submit}>
      <Select
        label="Format"
        {...(format === 'as_uploaded' && {
          hint: 'A workbook, or CSV with the same delimiter and encoding. A workbook has values, but no styles.',
        })}
        {...register('format')}
      >
        {Object.entries(formatNames)
          .filter(([value]) => isList || value !== 'as_uploaded')
          .map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
      </Select>
      {format === 'csv' && (
        <>
          <Select
            label="Delimiter"
            hint="Spreadsheets in countries with a decimal comma expect a semicolon."
            {...register('delimiter')}
          >
            {Object.entries(delimiterNames).map(([value, label]) => (
              <option key={value} value={value}>
                {label}
              </option>
            ))}
          </Select>
          <Checkbox
            label="For Excel"
            hint="Adds a byte order mark so that Excel displays letters such as é and ü correctly."
            {...register('byte_order_mark')}
          />
        </>
      )}
      {begin.isError && <Failure error={begin.error} />}
      <Button type="submit" look="primary" busy={begin.isPending}>
        Download file
      </Button>
      <p className={styles.soft}>
        Free. In CSV, cells that a spreadsheet would read as a formula start with an apostrophe.
      </p>
    </form>
  );
}

interface Tested {
  readonly sentWith: string;
  readonly result: Schema['TestRowResult'];
}

/** Pushes rows to a webhook, after an optional test row. */
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
  // A test result applies only to the destination that it tested.
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
    // Uses the secret shown with the test row, because the receiver may already have it.
    const destination = destinationOf(values, result?.push.signing_secret);
    begin.mutate(
      { target: 'webhook', source, destination, options: optionsOf(values), ...(name && { name }) },
      { onSuccess: ({ export_id, push: told }) => onStarted(export_id, told?.signing_secret) },
    );
  }
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
      {result && <TestRowResult result={result} rows={rows} isRecognized={form.watch('preset') === ''} />}
      <Row>
        <Button
          type="submit"
          look={result?.outcome === 'delivered' ? 'secondary' : 'primary'}
          busy={test.isPending}
          disabled={begin.isPending}
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
          disabled={test.isPending}
          onClick={() => {
            isPush.current = true;
          }}
        >
          {pushWord(pushes, result)}
        </Button>
      </Row>
      <p className={styles.soft}>
        Pushing is free. The test row is your first row; check that it arrives as expected.
      </p>
    </form>
  );
}

function pushWord(pushes: string, result: Schema['TestRowResult'] | undefined): string {
  if (!result) return `${pushes} without a test`;
  return result.outcome === 'failed' ? `${pushes} anyway` : pushes;
}

type Result = Schema['TestRowResult'];

interface TestRowResultProps {
  readonly result: Result;
  /** The number of rows to push after the test row. */
  readonly rows: number;
  /** Whether the receiver was recognized by its URL, so that its notice has not been shown yet. */
  readonly isRecognized: boolean;
}

/** The result of a test row: the receiver's response, what was sent, and advice. */
function TestRowResult({ result, rows, isRecognized }: TestRowResultProps) {
  const { tone, title, advice } = testRowWords(result);
  return (
    <section className={styles.test} aria-label="Test row">
      <Notice tone={tone} title={title} alert>
        {advice && <span>{advice}</span>}
        {result.answer.trim() !== '' && (
          <div className={styles.answer}>
            <span className={styles.soft}>Response</span>
            <Text name="Response">{result.answer}</Text>
          </div>
        )}
      </Notice>
      <details className={styles.more}>
        <summary>Row as sent</summary>
        <Text name="Row as sent">{readableRow(result.row)}</Text>
      </details>
      {isRecognized && <PresetNotice preset={result.push.preset} rows={rows} />}
      <Facts
        facts={[['Rows are signed with', <SecretText key="secret" secret={result.push.signing_secret} />]]}
      />
    </section>
  );
}

/** Text shown verbatim, in a scrolling area. */
function Text({ name, children }: { readonly name: string; readonly children: string }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolling areas must be reachable by keyboard.
    <section className={styles.text} aria-label={name} tabIndex={0}>
      <pre>{children}</pre>
    </section>
  );
}
