import { limits } from '@mailproof/shared-types';
import { type ProviderPresetName, providerPresets } from '@mailproof/shared-types/provider-presets';
import { Plus, X } from 'lucide-react';
import { type Control, type UseFormRegister, useFieldArray, useForm, useWatch } from 'react-hook-form';
import { $api, queryClient, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button, IconButton } from '../../design/button.tsx';
import { Checkbox, Select, TextArea, TextInput } from '../../design/field.tsx';
import { Card, Row, Stack } from '../../design/layout.tsx';
import { Failure } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import styles from './integrations.module.css';
import {
  draftOf,
  draftOfPreset,
  type FieldName,
  fallbacksOf,
  fieldNames,
  isBody,
  mainFields,
  type ProviderDraft,
  settingsOf,
} from './provider-settings.ts';

interface ProviderFormProps {
  /** The current settings, if the provider is set up. */
  readonly provider: Schema['ProfileProvider'] | undefined;
}

/** The settings of the provider. Secrets can be entered but are never shown again. */
export function ProviderForm({ provider }: ProviderFormProps) {
  const { register, control, handleSubmit, formState, reset } = useForm<ProviderDraft>({
    defaultValues: draftOf(provider),
  });
  const method = useWatch({ control, name: 'method' });
  const put = $api.useMutation('put', '/profile-provider', {
    onSuccess(saved) {
      // The server now stores the secrets, so they need not be entered again.
      reset(draftOf(saved));
      queryClient.setQueryData($api.queryOptions('get', '/profile-provider').queryKey, saved);
      announce('Provider saved.');
    },
  });
  const faultAt = (pointer: string) =>
    put.isError ? asProblem(put.error).faults.find(fault => fault.pointer === pointer)?.detail : undefined;
  const others = (Object.keys(fieldNames) as FieldName[]).filter(field => !mainFields.includes(field));
  return (
    <form onSubmit={handleSubmit(draft => put.mutate({ body: settingsOf(draft) }))}>
      <Stack>
        <Card title="Request">
          <Select
            label="Start from"
            defaultValue=""
            onChange={event => {
              const name = event.target.value;
              reset(name === '' ? draftOf(provider) : draftOfPreset(name as ProviderPresetName));
            }}
          >
            <option value="">{provider ? 'The saved settings' : 'Blank settings'}</option>
            {Object.entries(providerPresets).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </Select>
          <TextInput
            label="Name"
            hint="Shown as the source of its data."
            required
            maxLength={100}
            {...register('name')}
          />
          <div className={styles.pair}>
            <Select label="Method" {...register('method')}>
              <option>GET</option>
              <option>POST</option>
            </Select>
            <TextInput
              label="Maximum requests per second"
              type="number"
              min={1}
              max={100}
              required
              {...register('requestsPerSecond', { valueAsNumber: true })}
            />
            <TextInput
              label="Timeout (milliseconds)"
              type="number"
              min={500}
              max={limits.providerTimeoutMsMax}
              required
              {...register('timeoutMs', { valueAsNumber: true })}
            />
          </div>
          <TextInput
            label="URL"
            hint="Use the placeholders {profile_url}, {profile_key} or {handle}."
            placeholder="https://people.example/v2/person?profile={profile_url}"
            required
            maxLength={2_000}
            error={faultAt('/url')}
            {...register('url')}
          />
          {method === 'POST' && (
            <TextArea
              label="Body (JSON)"
              hint="You can use the same placeholders in its strings."
              error={formState.errors.body?.message}
              {...register('body', { validate: text => isBody(text) || 'Enter a JSON object.' })}
            />
          )}
          <Headers control={control} register={register} />
        </Card>
        <Card title="Response fields">
          <p className={styles.soft}>
            Names separated by dots, with indexes in brackets, such as <code>person.names[0].first</code>. At
            least one of these four:
          </p>
          <Paths fields={mainFields} register={register} faultAt={faultAt} />
          <details className={styles.more}>
            <summary>More fields</summary>
            <Paths fields={others} register={register} faultAt={faultAt} />
          </details>
        </Card>
        <Card title="Profile not found">
          <div className={styles.pair}>
            <TextInput
              label="Status codes"
              hint="Separated by commas."
              pattern="\s*(\d{3}\s*(,\s*\d{3}\s*)*)?"
              {...register('statuses')}
            />
            <TextInput
              label="Or this path is missing or empty"
              placeholder="person"
              maxLength={200}
              {...register('emptyPath')}
            />
          </div>
          <TextInput
            label="Most requests in a calendar month (optional)"
            hint="When they are spent, the provider is not asked until the next month."
            inputMode="numeric"
            pattern="\s*[1-9]\d{0,7}\s*"
            error={faultAt('/requests_per_month')}
            {...register('requestsPerMonth')}
          />
          <TextInput
            label="Cost per lookup (optional)"
            hint="For your own reference, such as “0.02 EUR per profile”."
            maxLength={200}
            {...register('priceNote')}
          />
        </Card>
        <Card title="Further providers">
          <TextArea
            label="Settings (JSON list)"
            hint="Asked in this order if the first one does not know a profile. A secret header without a value keeps its own, or else takes that of the first one at the same host."
            error={formState.errors.fallbacks?.message}
            {...register('fallbacks', {
              validate: text => fallbacksOf(text) !== null || 'Enter a JSON list, such as [].',
            })}
          />
        </Card>
        {put.isError && <Failure error={put.error} />}
        <Row>
          <Button type="submit" look="primary" busy={put.isPending}>
            {provider ? 'Save' : 'Set up provider'}
          </Button>
          {provider && <span className={styles.small}>Saving deletes cached responses of the provider.</span>}
        </Row>
      </Stack>
    </form>
  );
}

interface PathsProps {
  readonly fields: readonly FieldName[];
  readonly register: UseFormRegister<ProviderDraft>;
  /** Returns the API's error for a member of the settings. */
  readonly faultAt: (pointer: string) => string | undefined;
}

function Paths({ fields, register, faultAt }: PathsProps) {
  return (
    <div className={styles.pair}>
      {fields.map(field => (
        <TextInput
          key={field}
          label={fieldNames[field]}
          maxLength={200}
          spellCheck={false}
          error={faultAt(`/fields/${field}`)}
          {...register(`fields.${field}`)}
        />
      ))}
    </div>
  );
}

const headersMax = 20;

function Headers({
  control,
  register,
}: {
  readonly control: Control<ProviderDraft>;
  readonly register: UseFormRegister<ProviderDraft>;
}) {
  const { fields, append, remove } = useFieldArray({ control, name: 'headers' });
  const values = useWatch({ control, name: 'headers' });
  return (
    <fieldset className={styles.section}>
      <legend>Headers</legend>
      {fields.map(({ id, isKept }, at) => (
        <fieldset key={id} className={styles.section}>
          <legend className="visually-hidden">Header {at + 1}</legend>
          <div className={styles.line}>
            <TextInput label="Name" required maxLength={100} {...register(`headers.${at}.name`)} />
            <Checkbox label="Secret" {...register(`headers.${at}.isSecret`)} />
            <TextInput
              label="Value"
              type={values[at]?.isSecret ? 'password' : 'text'}
              autoComplete="off"
              maxLength={2_000}
              required={!(isKept && values[at]?.isSecret)}
              placeholder={isKept ? 'Stored; leave blank to keep it' : undefined}
              {...register(`headers.${at}.value`)}
            />
            <IconButton name={`Remove header ${at + 1}`} onClick={() => remove(at)}>
              <X size={16} aria-hidden />
            </IconButton>
          </div>
        </fieldset>
      ))}
      <Row>
        <Button
          disabled={fields.length >= headersMax}
          onClick={() => append({ name: '', value: '', isSecret: true, isKept: false })}
        >
          <Plus size={16} aria-hidden />
          Add header
        </Button>
      </Row>
    </fieldset>
  );
}
