import { limits } from '@mailproof/shared-types';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { $api, api } from '../../api/client.ts';
import { isMissing } from '../../api/problem.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { TextInput } from '../../design/field.tsx';
import { formatMoment, formatNumber } from '../../design/format.ts';
import { Card, Facts, Page, Row, Stack } from '../../design/layout.tsx';
import { Answered, Empty, Failure } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import styles from './integrations.module.css';
import {
  type OutcomeSource,
  outcomeKindWords,
  outcomeProviderWords,
  sourceName,
  sourceState,
} from './outcome-source-words.ts';
import { KeyInput, keyFaultOf, NewUrl, sourcesChanged } from './outcome-sources-screen.tsx';

/** One source: what it has reported, its settings and its URL. */
export function OutcomeSourceScreen() {
  const { sourceId = '' } = useParams({ strict: false });
  const found = $api.useQuery('get', '/outcome-sources/{source_id}', {
    params: { path: { source_id: sourceId } },
  });
  if (found.data) return <Source source={found.data} onChanged={found.refetch} />;
  return (
    <Page title="Source of delivery reports" actions={<Back />}>
      {isMissing(found.error) ? (
        <Empty title="Source not found">It may have been deleted.</Empty>
      ) : (
        <Answered question={found} loading="Loading the source">
          {() => null}
        </Answered>
      )}
    </Page>
  );
}

function Back() {
  return (
    <LinkButton to="/integrations/delivery-reports" look="quiet">
      All delivery reports
    </LinkButton>
  );
}

interface SourceProps {
  readonly source: OutcomeSource;
  readonly onChanged: () => unknown;
}

function Source({ source, onChanged }: SourceProps) {
  const isOwner = useSession().role === 'owner';
  return (
    <Page
      title={sourceName(source)}
      lead={outcomeProviderWords[source.provider].name}
      actions={
        <>
          <Back />
          {isOwner && <DeleteSource sourceId={source.source_id} />}
        </>
      }
    >
      <Stack>
        <ReportedCard source={source} onChanged={onChanged} />
        <TallyCard
          title="Refused requests"
          none="No request was refused."
          lead="Nothing of these requests is recorded. The provider repeats most of them."
          tallies={source.refused}
        />
        <TallyCard
          title="Ignored events"
          none="No event was ignored."
          lead="These events say nothing that helps to validate addresses."
          tallies={source.ignored}
        />
        {isOwner && <SettingsCard source={source} onChanged={onChanged} />}
        {isOwner && <UrlCard source={source} onChanged={onChanged} />}
      </Stack>
    </Page>
  );
}

function ReportedCard({ source, onChanged }: SourceProps) {
  const { recorded, repeated, kinds, last_received_at: receivedAt, subscribed_at: subscribedAt } = source;
  const counted = Object.entries(outcomeKindWords).flatMap(([kind, word]) => {
    const count = kinds[kind] ?? 0;
    return count > 0 ? [[word, formatNumber(count)] as const] : [];
  });
  return (
    <Card title="Reported" actions={<StateBadge look={sourceState(source)} />}>
      <Facts
        facts={[
          ['Last report', receivedAt ? formatMoment(receivedAt) : 'None yet'],
          ...(source.provider === 'amazon_ses'
            ? ([
                [
                  'Subscription',
                  subscribedAt ? `Confirmed ${formatMoment(subscribedAt)}` : 'Not confirmed yet',
                ],
              ] as const)
            : []),
          ['New outcomes', formatNumber(recorded)],
          ['Repeated outcomes', formatNumber(repeated)],
          ...counted,
        ]}
      />
      <Row>
        <Button onClick={() => onChanged()}>Refresh</Button>
      </Row>
    </Card>
  );
}

interface TallyCardProps {
  readonly title: string;
  readonly lead: string;
  readonly none: string;
  readonly tallies: OutcomeSource['ignored'] | OutcomeSource['refused'];
}

function TallyCard({ title, lead, none, tallies }: TallyCardProps) {
  return (
    <Card title={title}>
      <p className={styles.soft}>{tallies.length === 0 ? none : lead}</p>
      {tallies.length > 0 && (
        <ul className={styles.items} aria-label={title}>
          {tallies.map(({ reason, detail, count, last_at: lastAt }) => (
            <li key={reason} className={styles.item}>
              <div>
                <span>{detail}</span>
                <div className={styles.small}>Last {formatMoment(lastAt)}</div>
              </div>
              <span>{formatNumber(count)}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function SettingsCard({ source, onChanged }: SourceProps) {
  const { source_id, provider, description, has_verification_key: hasKey } = source;
  const { register, handleSubmit, resetField } = useForm({
    defaultValues: { key: '', description: description ?? '' },
  });
  const change = $api.useMutation('put', '/outcome-sources/{source_id}', {
    async onSettled() {
      await sourcesChanged();
      await onChanged();
    },
  });
  const params = { path: { source_id } };
  const keyFault = keyFaultOf(change.error);
  const isOptional = !outcomeProviderWords[provider].key.isRequired;
  return (
    <Card title="Settings">
      <form
        onSubmit={handleSubmit(draft =>
          change.mutate(
            {
              params,
              body: {
                description: draft.description.trim() || null,
                ...(draft.key.trim() !== '' && { verification_key: draft.key.trim() }),
              },
            },
            {
              onSuccess() {
                resetField('key');
                announce('Source saved.');
              },
            },
          ),
        )}
      >
        <Stack>
          <TextInput
            label="Description (optional)"
            maxLength={limits.outcomeSourceDescriptionCharactersMax}
            {...register('description')}
          />
          <KeyInput provider={provider} isChange error={keyFault} {...register('key')} />
          <p className={styles.small}>
            {hasKey
              ? 'Leave it empty to keep the current one, which is stored encrypted.'
              : 'There is none: anyone who knows the URL can report outcomes.'}
          </p>
          {change.error !== null && keyFault === undefined && <Failure error={change.error} />}
          <Row>
            <Button type="submit" busy={change.isPending}>
              Save
            </Button>
            {isOptional && hasKey && (
              <Button
                busy={change.isPending}
                onClick={() =>
                  change.mutate(
                    { params, body: { verification_key: null } },
                    { onSuccess: () => announce('Password removed.') },
                  )
                }
              >
                Remove password
              </Button>
            )}
          </Row>
        </Stack>
      </form>
    </Card>
  );
}

function UrlCard({ source, onChanged }: SourceProps) {
  const [url, setUrl] = useState<string>();
  const [isAsked, setAsked] = useState(false);
  const { source_id, provider, previous_url_valid_until: until } = source;
  async function replace() {
    const { data } = await api.POST('/outcome-sources/{source_id}/url', { params: { path: { source_id } } });
    setUrl(data?.url);
    await onChanged();
    announce('URL replaced.');
  }
  return (
    <Card title="URL">
      {url !== undefined && <NewUrl url={url} provider={provider} />}
      <p className={styles.soft}>
        {until
          ? `The previous URL works until ${formatMoment(until)}.`
          : 'The URL is a secret that only your email service knows.'}
      </p>
      <Row>
        <Button onClick={() => setAsked(true)}>Replace URL…</Button>
      </Row>
      <Confirm
        title="Replace the URL?"
        lead="You get a new URL. The previous one works for 24 hours; change it at your email service within that time."
        verb="Replace URL"
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={replace}
      />
    </Card>
  );
}

function DeleteSource({ sourceId }: { readonly sourceId: string }) {
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  async function remove() {
    await api.DELETE('/outcome-sources/{source_id}', { params: { path: { source_id: sourceId } } });
    await navigate({ to: '/integrations/delivery-reports' });
    await sourcesChanged();
    announce('Source deleted.');
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>Delete</Button>
      <Confirm
        title="Delete this source?"
        lead="Its URL stops working at once. What it has reported stays recorded."
        verb="Delete source"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={remove}
      />
    </>
  );
}
