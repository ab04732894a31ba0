import { webhookPresets } from '@mailproof/shared-types';
import type { UseFormReturn } from 'react-hook-form';
import type { ProblemError } from '../../api/problem.ts';
import { Checkbox, Select, TextInput } from '../../design/field.tsx';
import { countOf } from '../../design/format.ts';
import { Notice } from '../../design/states.tsx';
import type { Preset, WebhookForm } from './destination-form-values.ts';
import styles from './exports.module.css';

interface DestinationFieldsProps {
  readonly form: UseFormReturn<WebhookForm>;
  /** What was wrong with what was sent. */
  readonly problem?: ProblemError | undefined;
  /** Rows that are to go there. */
  readonly rows: number;
  /** Whether the receiver and the pace are asked for, which a push keeps once it has begun. */
  readonly withOptions?: boolean;
}

/** Where rows go. */
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
        hint="Never stored: it is kept sealed in memory while rows are on their way, and then forgotten."
        error={faultAt('/destination/url')}
        {...register('url')}
      />
      {withOptions && <Receiver form={form} rows={rows} />}
      <Checkbox
        label="Send a header with each row"
        hint="Such as Authorization. It is never stored either."
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
        <summary>More</summary>
        <TextInput
          label="Signing secret"
          autoComplete="off"
          spellCheck={false}
          placeholder="whsec_…"
          hint="Each row is signed with it (Standard Webhooks). Leave it empty and we make one up."
          error={faultAt('/destination/signing_secret')}
          {...register('signingSecret')}
        />
        {withOptions && (
          <TextInput
            label="Rows a second at most"
            type="number"
            inputMode="decimal"
            min={0.1}
            max={1_000}
            step="any"
            hint="The pace finds itself; set this where your receiver has much to do for each row."
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
      <Select label="Receiver" hint="Its limits are kept from the first row on." {...form.register('preset')}>
        <option value="">Recognise it by its URL</option>
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

/** What to know of a receiver ahead of a push, such as how many rows it takes in its life. */
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
