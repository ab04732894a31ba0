import { limits } from '@mailproof/shared-types';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { $api, queryClient } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { PasswordInput, Select, TextInput } from '../../design/field.tsx';
import { countOf, formatMoment } from '../../design/format.ts';
import { Card, Page, Row, Stack } from '../../design/layout.tsx';
import { Answered, Empty, Failure, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import styles from './integrations.module.css';
import {
  type OutcomeProvider,
  type OutcomeSource,
  outcomeProviders,
  outcomeProviderWords,
  sourceName,
  sourceState,
} from './outcome-source-words.ts';

/** Refetches the sources. */
export async function sourcesChanged(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['get', '/outcome-sources'] });
}

/** The card on the page of integrations. */
export function OutcomeSourcesCard() {
  const found = $api.useQuery('get', '/outcome-sources');
  return (
    <Card title="Delivery reports">
      <p className={styles.soft}>
        Your email service reports deliveries and bounces automatically. Addresses at catch-all domains then
        get better results.
      </p>
      <Answered question={found} lines={1} loading="Loading delivery reports">
        {({ sources }) =>
          sources.length > 0 && (
            <ul className={styles.items} aria-label="Sources of delivery reports">
              {sources.map(source => (
                <SourceItem key={source.source_id} source={source} />
              ))}
            </ul>
          )
        }
      </Answered>
      <Row>
        <LinkButton to="/integrations/delivery-reports">Manage delivery reports</LinkButton>
      </Row>
    </Card>
  );
}

function SourceItem({ source }: { readonly source: OutcomeSource }) {
  const { source_id: sourceId, last_received_at: receivedAt, recorded, provider, description } = source;
  return (
    <li className={styles.item}>
      <div>
        <Link to="/integrations/delivery-reports/$sourceId" params={{ sourceId }} className={styles.name}>
          {sourceName(source)}
        </Link>
        <div className={styles.small}>
          {description !== null && `${outcomeProviderWords[provider].name} · `}
          {countOf(recorded, 'outcome')}
          {receivedAt && ` · last report ${formatMoment(receivedAt)}`}
        </div>
      </div>
      <StateBadge look={sourceState(source)} />
    </li>
  );
}

/** The providers that report outcomes of the account's mail. */
export function OutcomeSourcesScreen() {
  const isOwner = useSession().role === 'owner';
  const found = $api.useQuery('get', '/outcome-sources');
  return (
    <Page
      title="Delivery reports"
      lead="Your email service posts deliveries and bounces to a secret URL. Only the outcomes are kept, without addresses and messages."
      actions={
        <LinkButton to="/integrations" look="quiet">
          All integrations
        </LinkButton>
      }
    >
      <Stack>
        <Card title="Sources">
          <Answered question={found} loading="Loading sources">
            {({ sources }) =>
              sources.length === 0 ? (
                <Empty
                  title="No sources yet"
                  action={<a href="/docs/report-outcomes">Read how to report outcomes</a>}
                >
                  Reports of your email service show which addresses bounced and which received mail. They
                  make later results about the same domains surer.
                </Empty>
              ) : (
                <ul className={styles.items} aria-label="Sources">
                  {sources.map(source => (
                    <SourceItem key={source.source_id} source={source} />
                  ))}
                </ul>
              )
            }
          </Answered>
          {!isOwner && <p className={styles.small}>Only owners can change sources.</p>}
        </Card>
        {isOwner && <NewSource isFull={found.data?.sources.length === limits.outcomeSourcesMax} />}
      </Stack>
    </Page>
  );
}

interface SourceDraft {
  readonly provider: OutcomeProvider;
  readonly key: string;
  readonly description: string;
}

function NewSource({ isFull }: { readonly isFull: boolean }) {
  const [created, setCreated] = useState<{ url: string; provider: OutcomeProvider }>();
  const create = $api.useMutation('post', '/outcome-sources', { onSettled: sourcesChanged });
  const { register, handleSubmit, reset, watch, setValue } = useForm<SourceDraft>({
    defaultValues: { provider: 'amazon_ses', key: '', description: '' },
  });
  const provider = watch('provider');
  function save({ key, description }: SourceDraft) {
    const body = {
      provider,
      ...(key.trim() !== '' && { verification_key: key.trim() }),
      ...(description.trim() !== '' && { description: description.trim() }),
    };
    create.mutate(
      { body },
      {
        onSuccess({ url }) {
          setCreated({ url, provider });
          reset();
          announce('Source added.');
        },
      },
    );
  }
  const keyFault = keyFaultOf(create.error);
  return (
    <Card title="Add a source">
      {created && <NewUrl {...created} />}
      {isFull ? (
        <p className={styles.soft}>
          An account has at most {limits.outcomeSourcesMax} sources. Delete one to add another.
        </p>
      ) : (
        <form onSubmit={handleSubmit(save)}>
          <Stack>
            <Select
              label="Email service"
              {...register('provider', {
                onChange() {
                  setValue('key', '');
                  create.reset();
                },
              })}
            >
              {outcomeProviders.map(each => (
                <option key={each} value={each}>
                  {outcomeProviderWords[each].name}
                </option>
              ))}
            </Select>
            <KeyInput key={provider} provider={provider} error={keyFault} {...register('key')} />
            <TextInput
              label="Description (optional)"
              maxLength={limits.outcomeSourceDescriptionCharactersMax}
              {...register('description')}
            />
            {create.error !== null && keyFault === undefined && <Failure error={create.error} />}
            <Row>
              <Button type="submit" look="primary" busy={create.isPending}>
                Add source
              </Button>
            </Row>
          </Stack>
        </form>
      )}
    </Card>
  );
}

/** What is wrong with the verification key, if that is what a request was refused for. */
export function keyFaultOf(error: unknown): string | undefined {
  return error === null
    ? undefined
    : asProblem(error).faults.find(({ pointer }) => pointer === '/verification_key')?.detail;
}

type KeyInputProps = Omit<Parameters<typeof PasswordInput>[0], 'label' | 'hint'> & {
  readonly provider: OutcomeProvider;
  /** True where an empty field leaves the key unchanged. */
  readonly isChange?: boolean;
};

/** The field for the verification key of a provider. */
export function KeyInput({ provider, isChange = false, ...rest }: KeyInputProps) {
  const { label, hint, isRequired, isSecret } = outcomeProviderWords[provider].key;
  const shared = {
    ...rest,
    label: isChange ? `New ${label.charAt(0).toLowerCase()}${label.slice(1)}` : label,
    hint,
    required: isRequired && !isChange,
  };
  return isSecret ? (
    // Otherwise a password manager offers the user's own password.
    <PasswordInput {...shared} autoComplete="new-password" />
  ) : (
    <TextInput {...shared} maxLength={400} spellCheck={false} autoComplete="off" />
  );
}

/** Shows the URL of a source once, and what to do with it; leaving the screen forgets it. */
export function NewUrl({ url, provider }: { readonly url: string; readonly provider: OutcomeProvider }) {
  return (
    <Notice tone="good" title="Copy the URL now" alert>
      <span>It is a secret, and is not shown again.</span>
      <div className={styles.address}>
        <code data-testid="source-url">{url}</code>
        <CopyButton text={url} what="URL" />
      </div>
      <ol className={styles.todo}>
        {outcomeProviderWords[provider].steps.map(step => (
          <li key={step}>{step}</li>
        ))}
      </ol>
    </Notice>
  );
}
