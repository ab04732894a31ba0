import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, api } from '../../api/client.ts';
import { isMissing } from '../../api/problem.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { formatMoment } from '../../design/format.ts';
import { Card, Facts, Page, Row, Stack } from '../../design/layout.tsx';
import { Answered, Empty, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import styles from './integrations.module.css';
import { DeliveriesCard } from './webhook-deliveries.tsx';
import { NewSecret, WebhookForm } from './webhook-form.tsx';
import { endpointName, endpointState, eventNames, type WebhookEndpoint } from './webhook-words.ts';
import { webhooksChanged } from './webhooks-screen.tsx';

/** One endpoint: its state, its deliveries, its settings and its secret. */
export function WebhookScreen() {
  const { endpointId = '' } = useParams({ strict: false });
  const found = $api.useQuery('get', '/webhook-endpoints/{endpoint_id}', {
    params: { path: { endpoint_id: endpointId } },
  });
  const back = (
    <LinkButton to="/integrations/webhooks" look="quiet">
      All webhooks
    </LinkButton>
  );
  if (found.data) return <Endpoint endpoint={found.data} onChanged={found.refetch} />;
  return (
    <Page title="Webhook" actions={back}>
      {isMissing(found.error) ? (
        <Empty title="Webhook not found">It may have been deleted.</Empty>
      ) : (
        <Answered question={found} loading="Loading webhook">
          {() => null}
        </Answered>
      )}
    </Page>
  );
}

interface EndpointProps {
  readonly endpoint: WebhookEndpoint;
  readonly onChanged: () => unknown;
}

function Endpoint({ endpoint, onChanged }: EndpointProps) {
  const isOwner = useSession().role === 'owner';
  const { endpoint_id: endpointId, disabled, failing_since: failingSince } = endpoint;
  const change = $api.useMutation('put', '/webhook-endpoints/{endpoint_id}', {
    async onSettled() {
      await webhooksChanged();
      await onChanged();
    },
  });
  const params = { path: { endpoint_id: endpointId } };
  const enable = (enabled: boolean) => change.mutate({ params, body: { enabled } });
  return (
    <Page
      title={endpointName(endpoint)}
      lead={
        <span className={styles.long}>
          {endpoint.url ?? 'The URL can no longer be read. Enter it again.'}
        </span>
      }
      actions={
        <>
          <LinkButton to="/integrations/webhooks" look="quiet">
            All webhooks
          </LinkButton>
          {isOwner && (
            <Button busy={change.isPending} onClick={() => enable(!endpoint.enabled)}>
              {endpoint.enabled ? 'Disable' : 'Enable'}
            </Button>
          )}
          {isOwner && <DeleteEndpoint endpointId={endpointId} />}
        </>
      }
    >
      <Stack>
        {disabled && (
          <Notice tone={disabled.reason === 'asked' ? 'neutral' : 'bad'} title="This endpoint is disabled">
            <span>
              {disabled.detail} Disabled {formatMoment(disabled.at)}. Events that happen meanwhile are not
              sent.
            </span>
          </Notice>
        )}
        {!disabled && failingSince && (
          <Notice tone="caution" title="This endpoint is failing">
            <span>
              Since {formatMoment(failingSince)}. Events are retried for a day; then the endpoint is disabled.
            </span>
          </Notice>
        )}
        <DeliveriesCard endpoint={endpoint} />
        {isOwner ? (
          <Card title="Settings" actions={<StateBadge look={endpointState(endpoint)} />}>
            <WebhookForm
              key={endpointId}
              endpoint={endpoint}
              verb="Save"
              busy={change.isPending}
              error={change.error}
              onSave={({ url, description, types }) =>
                change.mutate(
                  {
                    params,
                    body: {
                      url: url.trim(),
                      description: description.trim() || null,
                      event_types: [...types],
                    },
                  },
                  { onSuccess: () => announce('Endpoint saved.') },
                )
              }
            />
          </Card>
        ) : (
          <Card title="Settings" actions={<StateBadge look={endpointState(endpoint)} />}>
            <Facts facts={[['Events', endpoint.event_types.map(type => eventNames[type]).join(', ')]]} />
          </Card>
        )}
        {isOwner && <SecretCard endpoint={endpoint} onChanged={onChanged} />}
      </Stack>
    </Page>
  );
}

function SecretCard({ endpoint, onChanged }: EndpointProps) {
  const [secret, setSecret] = useState<string>();
  const [isAsked, setAsked] = useState(false);
  const { endpoint_id, previous_secret_valid_until: until } = endpoint;
  async function rotate() {
    const { data } = await api.POST('/webhook-endpoints/{endpoint_id}/secret', {
      params: { path: { endpoint_id } },
    });
    setSecret(data?.signing_secret);
    await onChanged();
    announce('Secret rotated.');
  }
  return (
    <Card title="Signing secret">
      {secret !== undefined && (
        <NewSecret secret={secret}>For 24 hours, events are signed with the previous secret too.</NewSecret>
      )}
      <p className={styles.soft}>
        {until
          ? `The previous secret is valid until ${formatMoment(until)}.`
          : 'Events are signed with a secret that only your receiver knows.'}
      </p>
      <Row>
        <Button onClick={() => setAsked(true)}>Rotate secret…</Button>
      </Row>
      <Confirm
        title="Rotate the signing secret?"
        lead="You get a new secret. The previous one stays valid for 24 hours; change it in your receiver within that time."
        verb="Rotate secret"
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={rotate}
      />
    </Card>
  );
}

function DeleteEndpoint({ endpointId }: { readonly endpointId: string }) {
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  async function remove() {
    await api.DELETE('/webhook-endpoints/{endpoint_id}', {
      params: { path: { endpoint_id: endpointId } },
    });
    await navigate({ to: '/integrations/webhooks' });
    await webhooksChanged();
    announce('Endpoint deleted.');
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>Delete</Button>
      <Confirm
        title="Delete this endpoint?"
        lead="Waiting events are not sent, and the list of deliveries is deleted."
        verb="Delete endpoint"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={remove}
      />
    </>
  );
}
