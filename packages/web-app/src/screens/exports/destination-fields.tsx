import { webhookPresets } from '@mailproof/shared-types';
import type { UseFormReturn } from 'react-hook-form';
import type { ProblemError } from '../../api/problem.ts';
import { CopyButton } from '../../design/copy-button.tsx';
import { Checkbox, Select, TextInput } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Notice } from '../../design/states.tsx';
import type { Preset, WebhookForm } from './destination-form.ts';
import styles from './exports.module.css';

interface DestinationFieldsProps {
  readonly form: UseFormReturn<WebhookForm>;
  /** The problem that the API reported about the last request. */
  readonly problem?: ProblemError | undefined;
  /** The number of rows to push. */
  readonly rows: number;
  /** Whether to ask for the receiver and the rate, which cannot change after the push starts. */
  readonly withOptions?: boolean;
}

/** The fields that describe the destination of a push. */
export function DestinationFields({ form, problem, rows, withOptions }: DestinationFieldsProps) {
  const { register, watch } = form;
  const faultAt = (pointer: string) => problem?.faults.find(fault => fault.pointer === pointer)?.detail;
  return (
    <>
      <TextInput
        label="Webhook URL"
        type="url"
        required
        autoComplete="off"
        spellCheck={false}
        placeholder="https://"
        hint="Never written to disk: the URL is encrypted in memory during the push and then deleted."
        error={faultAt('/destination/url')}
        {...register('url')}
      />
      {withOptions && <Receiver form={form} rows={rows} />}
      <Checkbox
        label="Add a header to each request"
        hint="Such as Authorization. It is never written to disk either."
        {...register('hasHeader')}
      />
      {watch('hasHeader') && (
        <div className={styles.pair}>
          <TextInput
            label="Header name"
            required
            autoComplete="off"
            spellCheck={false}
            error={faultAt('/destination/header/name')}
            {...register('headerName')}
          />
          <TextInput
            label="Header value"
            type="password"
            required
            autoComplete="off"
            error={faultAt('/destination/header/value')}
            {...register('headerValue')}
          />
        </div>
      )}
      <details className={styles.more}>
        <summary>More options</summary>
        <TextInput
          label="Signing secret"
          autoComplete="off"
          spellCheck={false}
          placeholder="whsec_…"
          hint="Signs each row (Standard Webhooks). Leave empty to generate one."
          error={faultAt('/destination/signing_secret')}
          {...register('signingSecret')}
        />
        {withOptions && (
          <TextInput
            label="Maximum rows per second"
            type="number"
            inputMode="decimal"
            min={0.1}
            max={1_000}
            step="any"
            hint="The rate adapts automatically. Set a limit if each row is much work for your receiver."
            error={faultAt('/options/rows_per_second_max')}
            {...register('perSecondMax')}
          />
        )}
      </details>
    </>
  );
}

function Receiver({ form, rows }: Pick<DestinationFieldsProps, 'form' | 'rows'>) {
  const preset = form.watch('preset');
  return (
    <>
      <Select
        label="Receiver"
        hint="Applies the receiver’s rate limits from the first row on."
        {...form.register('preset')}
      >
        <option value="">Detect from the URL</option>
        {Object.entries(webhookPresets).map(([value, { name }]) => (
          <option key={value} value={value}>
            {name}
          </option>
        ))}
      </Select>
      {preset && <PresetNotice preset={preset} rows={rows} />}
    </>
  );
}

/** What to know about a receiver before a push, such as the number of rows that it accepts in total. */
export function PresetNotice({ preset, rows }: { readonly preset: Preset; readonly rows: number }) {
  const { name, notice, lifetimeRowsMax } = webhookPresets[preset];
  if (notice === null) return null;
  return (
    <Notice tone={lifetimeRowsMax === null ? 'neutral' : 'caution'} title={name}>
      <span>{notice}</span>
      {lifetimeRowsMax !== null && (
        <span>
          This push sends {countOf(rows, 'row')} of these {lifetimeRowsMax.toLocaleString('en')}.
        </span>
      )}
    </Notice>
  );
}

/** A secret that is shown once, with a button that copies it. */
export function SecretText({ secret }: { readonly secret: string }) {
  return (
    <span className={styles.secret}>
      <code>{secret}</code>
      <CopyButton text={secret} what="Signing secret" />
    </span>
  );
}
