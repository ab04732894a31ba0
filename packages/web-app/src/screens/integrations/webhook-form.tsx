import { limits } from '@mailproof/shared-types';
import { useForm } from 'react-hook-form';
import { asProblem } from '../../api/problem.ts';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Checkbox, TextInput } from '../../design/field.tsx';
import { Row, Stack } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import styles from './integrations.module.css';
import { eventNames, type SubscribedType, subscribedTypes, type WebhookEndpoint } from './webhook-words.ts';

export interface WebhookDraft {
  readonly url: string;
  readonly description: string;
  readonly types: readonly SubscribedType[];
}

interface WebhookFormProps {
  readonly endpoint?: WebhookEndpoint;
  readonly verb: string;
  readonly busy: boolean;
  readonly error: unknown;
  /** Called with what was entered; `reset` clears the form. */
  readonly onSave: (draft: WebhookDraft, reset: () => void) => void;
}

/** The URL of an endpoint, its description and its events. */
export function WebhookForm({ endpoint, verb, busy, error, onSave }: WebhookFormProps) {
  const { register, handleSubmit, formState, reset } = useForm<{
    url: string;
    description: string;
    types: SubscribedType[];
  }>({
    defaultValues: {
      url: endpoint?.url ?? '',
      description: endpoint?.description ?? '',
      types: endpoint?.event_types ?? subscribedTypes,
    },
  });
  const urlFault =
    error === null ? undefined : asProblem(error).faults.find(({ pointer }) => pointer === '/url')?.detail;
  return (
    <form onSubmit={handleSubmit(draft => onSave(draft, () => reset()))}>
      <Stack>
        <TextInput
          label="URL"
          type="url"
          placeholder="https://receiver.example/events"
          required
          maxLength={2_048}
          error={urlFault}
          {...register('url')}
        />
        <TextInput
          label="Description (optional)"
          maxLength={limits.webhookDescriptionCharactersMax}
          {...register('description')}
        />
        <fieldset className={styles.section}>
          <legend>Events</legend>
          {subscribedTypes.map(type => (
            <Checkbox
              key={type}
              value={type}
              label={eventNames[type]}
              hint={<code>{type}</code>}
              {...register('types', {
                validate: types => types.length > 0 || 'Choose at least one event.',
              })}
            />
          ))}
          {formState.errors.types && (
            <p className={styles.fault} role="alert">
              {formState.errors.types.message}
            </p>
          )}
        </fieldset>
        {error !== null && urlFault === undefined && <Failure error={error} />}
        <Row>
          <Button type="submit" look="primary" busy={busy}>
            {verb}
          </Button>
        </Row>
      </Stack>
    </form>
  );
}

/** Shows a signing secret once; leaving the screen forgets it. */
export function NewSecret({ secret, children }: { readonly secret: string; readonly children?: string }) {
  return (
    <Notice tone="good" title="Copy the signing secret now" alert>
      <span>Your receiver verifies events with it. It is not shown again. {children}</span>
      <div className={styles.address}>
        <code data-testid="signing-secret">{secret}</code>
        <CopyButton text={secret} what="Signing secret" />
      </div>
    </Notice>
  );
}
