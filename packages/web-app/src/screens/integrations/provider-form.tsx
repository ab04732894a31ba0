import { limits } from '@mailproof/shared-types';
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
  type FieldName,
  fieldNames,
  isBody,
  mainFields,
  type ProviderDraft,
  settingsOf,
} from './provider-settings.ts';

interface ProviderFormProps {
  /** What is set up, or nothing yet. */
  readonly provider: Schema['ProfileProvider'] | undefined;
}

/** How the provider is asked. What is secret is entered, and never shown again. */
export function ProviderForm({ provider }: ProviderFormProps) {
  const { register, control, handleSubmit, formState, reset } = useForm<ProviderDraft>({
    defaultValues: draftOf(provider),
  });
  const method = useWatch({ control, name: 'method' });
  const put = $api.useMutation('put', '/profile-provider', {
    onSuccess(saved) {
      // What is secret is kept there by now, and is not asked for again.
      reset(draftOf(saved));
      queryClient.setQueryData($api.queryOptions('get', '/profile-provider').queryKey, saved);
      announce('The provider is saved.');
    },
  });
  const faultAt = (pointer: string) =>
    put.isError ? asProblem(put.error).faults.find(fault => fault.pointer === pointer)?.detail : undefined;
  const others = (Object.keys(fieldNames) as FieldName[]).filter(field => !mainFields.includes(field));
  return (
    <form onSubmit={handleSubmit(draft => put.mutate({ body: settingsOf(draft) }))}>
      <Stack>
        <Card title="How it is asked">
          <TextInput
            label="Name"
            hint="Stands beside what it says, as the source."
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
              label="Requests a second, at most"
              type="number"
              min={1}
              max={100}
              required
              {...register('requestsPerSecond', { valueAsNumber: true })}
            />
            <TextInput
              label="Waits at most (milliseconds)"
              type="number"
              min={500}
              max={limits.providerTimeoutMsMax}
              required
              {...register('timeoutMs', { valueAsNumber: true })}
            />
          </div>
          <TextInput
            label="Address"
            hint="{profile_url}, {profile_key} or {handle} stand for the profile."
            placeholder="https://people.example/v2/person?profile={profile_url}"
            required
            maxLength={2_000}
            error={faultAt('/url')}
            {...register('url')}
          />
          {method === 'POST' && (
            <TextArea
              label="Body (JSON)"
              hint="The same words stand for the profile in its texts."
              error={formState.errors.body?.message}
              {...register('body', { validate: text => isBody(text) || 'This is no JSON with members.' })}
            />
          )}
          <Headers control={control} register={register} />
        </Card>
        <Card title="Where in the answer things stand">
          <p className={styles.soft}>
            Names parted by full stops, and positions in brackets, such as <code>person.names[0].first</code>.
            At least one of these four:
          </p>
          <Paths fields={mainFields} register={register} faultAt={faultAt} />
          <details className={styles.more}>
            <summary>Further fields</summary>
            <Paths fields={others} register={register} faultAt={faultAt} />
          </details>
        </Card>
        <Card title="When it does not know a profile">
          <div className={styles.pair}>
            <TextInput
              label="Statuses that say so"
              hint="Parted by commas."
              pattern="\s*(\d{3}\s*(,\s*\d{3}\s*)*)?"
              {...register('statuses')}
            />
            <TextInput
              label="Or nothing stands here"
              placeholder="person"
              maxLength={200}
              {...register('emptyPath')}
            />
          </div>
          <TextInput
            label="What it costs you (optional)"
            hint="For your own eyes, such as “0.02 EUR a profile”."
            maxLength={200}
            {...register('priceNote')}
          />
        </Card>
        {put.isError && <Failure error={put.error} />}
        <Row>
          <Button type="submit" look="primary" busy={put.isPending}>
            {provider ? 'Save' : 'Set up the provider'}
          </Button>
          {provider && (
            <span className={styles.small}>Saving forgets what the provider has said before.</span>
          )}
        </Row>
      </Stack>
    </form>
  );
}

interface PathsProps {
  readonly fields: readonly FieldName[];
  readonly register: UseFormRegister<ProviderDraft>;
  /** What the API has said of a member of the settings. */
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
              placeholder={isKept ? 'Sealed; leave blank to keep it' : undefined}
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
          Add a header
        </Button>
      </Row>
    </fieldset>
  );
}
