import { limits } from '@mailproof/shared-types';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { StateBadge } from '../../design/badge.tsx';
import { LinkButton } from '../../design/button.tsx';
import { countOf } from '../../design/format.ts';
import { Card, Page, Row, Stack } from '../../design/layout.tsx';
import { Answered, Empty } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import { LowCredits } from '../account/low-credits.tsx';
import styles from './integrations.module.css';
import { NewSecret, WebhookForm } from './webhook-form.tsx';
import { endpointName, endpointState, type WebhookEndpoint } from './webhook-words.ts';

/** Refetches the endpoints. */
export async function webhooksChanged(): Promise<void> {
  await queryClient.invalidateQueries({ queryKey: ['get', '/webhook-endpoints'] });
}

/** The card on the page of integrations. */
export function WebhooksCard() {
  const found = $api.useQuery('get', '/webhook-endpoints');
  return (
    <Card title="Webhooks">
      <p className={styles.soft}>
        Mailproof posts to your URL when a list, an export or a run has ended, and when credits are low.
      </p>
      <Answered question={found} lines={1} loading="Loading webhooks">
        {({ endpoints }) =>
          endpoints.length > 0 && (
            <ul className={styles.items} aria-label="Webhook endpoints">
              {endpoints.map(endpoint => (
                <EndpointItem key={endpoint.endpoint_id} endpoint={endpoint} />
              ))}
            </ul>
          )
        }
      </Answered>
      <Row>
        <LinkButton to="/integrations/webhooks">Manage webhooks</LinkButton>
      </Row>
    </Card>
  );
}

function EndpointItem({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const { endpoint_id: endpointId, event_types: types, disabled } = endpoint;
  return (
    <li className={styles.item}>
      <div>
        <Link to="/integrations/webhooks/$endpointId" params={{ endpointId }} className={styles.name}>
          {endpointName(endpoint)}
        </Link>
        <div className={styles.small}>{countOf(types.length, 'event type')}</div>
        {disabled && disabled.reason !== 'asked' && <div className={styles.fault}>{disabled.detail}</div>}
      </div>
      <StateBadge look={endpointState(endpoint)} />
    </li>
  );
}

/** The endpoints that the account's events are sent to. */
export function WebhooksScreen() {
  const isOwner = useSession().role === 'owner';
  const found = $api.useQuery('get', '/webhook-endpoints');
  return (
    <Page
      title="Webhooks"
      lead="Events are posted to your URLs, signed as Standard Webhooks defines, and retried for a day."
      actions={
        <LinkButton to="/integrations" look="quiet">
          All integrations
        </LinkButton>
      }
    >
      <Stack>
        <Card title="Endpoints">
          <Answered question={found} loading="Loading endpoints">
            {({ endpoints }) =>
              endpoints.length === 0 ? (
                <Empty
                  title="No endpoints yet"
                  action={<a href="/docs/receive-events">Read how to receive events</a>}
                >
                  An endpoint is a URL of your program. It is told when a list, run, export or import ends, so
                  that the program need not poll.{isOwner && ' Add one below, then send it a test event.'}
                </Empty>
              ) : (
                <ul className={styles.items} aria-label="Endpoints">
                  {endpoints.map(endpoint => (
                    <EndpointItem key={endpoint.endpoint_id} endpoint={endpoint} />
                  ))}
                </ul>
              )
            }
          </Answered>
          {!isOwner && <p className={styles.small}>Only owners can change webhooks.</p>}
        </Card>
        {isOwner && <NewEndpoint isFull={found.data?.endpoints.length === limits.webhookEndpointsMax} />}
        {isOwner && <LowCredits />}
      </Stack>
    </Page>
  );
}

function NewEndpoint({ isFull }: { readonly isFull: boolean }) {
  const [secret, setSecret] = useState<string>();
  const create = $api.useMutation('post', '/webhook-endpoints', { onSettled: webhooksChanged });
  return (
    <Card title="Add an endpoint">
      {secret !== undefined && <NewSecret secret={secret} />}
      {isFull ? (
        <p className={styles.soft}>
          An account has at most {limits.webhookEndpointsMax} endpoints. Delete one to add another.
        </p>
      ) : (
        <WebhookForm
          verb="Add endpoint"
          busy={create.isPending}
          error={create.error}
          onSave={({ url, description, types }, reset) =>
            create.mutate(
              {
                body: {
                  url: url.trim(),
                  event_types: [...types],
                  ...(description.trim() !== '' && { description: description.trim() }),
                },
              },
              {
                onSuccess({ signing_secret }) {
                  setSecret(signing_secret);
                  reset();
                  announce('Endpoint added.');
                },
              },
            )
          }
        />
      )}
    </Card>
  );
}
