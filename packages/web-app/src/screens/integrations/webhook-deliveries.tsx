import { useMemo, useState } from 'react';
import { $api, queryClient } from '../../api/client.ts';
import { StateBadge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Drawer } from '../../design/dialog.tsx';
import { Select } from '../../design/field.tsx';
import { countOf, formatMoment } from '../../design/format.ts';
import { Card, Facts, Row, Stack } from '../../design/layout.tsx';
import { Pager, usePages } from '../../design/pager.tsx';
import { Answered, Empty, Failure } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import styles from './integrations.module.css';
import { deliveryStates, type EventDelivery, eventNames, type WebhookEndpoint } from './webhook-words.ts';

const rowsPerPage = 20;
const eventTypes = Object.keys(eventNames) as EventDelivery['type'][];
/** How often waiting deliveries are polled. */
const refreshMs = 2_000;

/** Refetches what shows the deliveries to an endpoint. */
async function deliveriesChanged(): Promise<void> {
  await Promise.all(
    ['', '/deliveries', '/deliveries/{delivery_id}'].map(path =>
      queryClient.invalidateQueries({ queryKey: ['get', `/webhook-endpoints/{endpoint_id}${path}`] }),
    ),
  );
}

/** The events for an endpoint, with a test event. */
export function DeliveriesCard({ endpoint }: { readonly endpoint: WebhookEndpoint }) {
  const isOwner = useSession().role === 'owner';
  const { endpoint_id: endpointId, enabled } = endpoint;
  const [shown, setShown] = useState<string>();
  const [type, setType] = useState<EventDelivery['type']>('webhook_endpoint.test');
  const pages = usePages();
  const path = { endpoint_id: endpointId };
  const query = { limit: rowsPerPage, ...(pages.cursor !== undefined && { cursor: pages.cursor }) };
  const found = $api.useQuery(
    'get',
    '/webhook-endpoints/{endpoint_id}/deliveries',
    { params: { path, query } },
    {
      refetchInterval: ({ state: { data } }) =>
        data?.deliveries.some(({ state }) => state === 'pending') ? refreshMs : false,
    },
  );
  const test = $api.useMutation('post', '/webhook-endpoints/{endpoint_id}/test', {
    onSuccess: () => announce('Test event queued.'),
    onSettled: deliveriesChanged,
  });
  const columns = useMemo(() => columnsOf(setShown), []);
  return (
    <Card title="Deliveries">
      {isOwner && (
        <Row>
          <Select
            label="Test event"
            value={type}
            onChange={event => setType(event.target.value as EventDelivery['type'])}
          >
            {eventTypes.map(each => (
              <option key={each} value={each}>
                {eventNames[each]}
              </option>
            ))}
          </Select>
          <Button
            busy={test.isPending}
            disabled={!enabled}
            onClick={() => test.mutate({ params: { path, query: { event_type: type } } })}
          >
            Send test event
          </Button>
        </Row>
      )}
      {test.isError && <Failure error={test.error} />}
      <Answered question={found} loading="Loading deliveries">
        {({ deliveries }) =>
          deliveries.length === 0 && pages.number === 1 ? (
            <Empty title="No events yet">
              Send a test event to see how your program answers. Every delivery is listed here for 30 days,
              with its attempts, and can be resent.
            </Empty>
          ) : (
            <DataTable
              name="Events for this endpoint"
              columns={columns}
              rows={deliveries}
              rowId={({ delivery_id: id }) => id}
            />
          )
        }
      </Answered>
      <Pager pages={pages} nextCursor={found.data?.next_cursor} />
      <Drawer
        title="Delivery"
        open={shown !== undefined}
        onOpenChange={isOpen => !isOpen && setShown(undefined)}
      >
        {shown !== undefined && <DeliveryDetail endpoint={endpoint} deliveryId={shown} />}
      </Drawer>
    </Card>
  );
}

function columnsOf(show: (deliveryId: string) => void): readonly Column<EventDelivery>[] {
  return [
    {
      id: 'event',
      header: 'Event',
      width: 'minmax(12rem, 2fr)',
      cell: nameOf,
    },
    {
      id: 'state',
      header: 'Status',
      width: '8rem',
      cell: one => <StateBadge look={deliveryStates[one.state]} />,
    },
    { id: 'attempts', header: 'Attempts', width: '6rem', align: 'end', cell: ({ attempts }) => attempts },
    {
      id: 'created',
      header: 'Created',
      width: '12rem',
      cell: ({ created_at: at }) => formatMoment(at),
    },
    {
      id: 'show',
      header: 'Details',
      width: '7rem',
      cell: delivery => (
        <Button look="quiet" onClick={() => show(delivery.delivery_id)}>
          Show
          <span className="visually-hidden"> {nameOf(delivery)}</span>
        </Button>
      ),
    },
  ];
}

/** An event by its name; one that tells nothing that happened says so. */
function nameOf({ type, test }: EventDelivery): string {
  return test && type !== 'webhook_endpoint.test' ? `${eventNames[type]} (test)` : eventNames[type];
}

function DeliveryDetail({
  endpoint,
  deliveryId,
}: {
  readonly endpoint: WebhookEndpoint;
  readonly deliveryId: string;
}) {
  const isOwner = useSession().role === 'owner';
  const path = { endpoint_id: endpoint.endpoint_id, delivery_id: deliveryId };
  const found = $api.useQuery(
    'get',
    '/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}',
    { params: { path } },
    { refetchInterval: ({ state: { data } }) => (data?.state === 'pending' ? refreshMs : false) },
  );
  const resend = $api.useMutation(
    'post',
    '/webhook-endpoints/{endpoint_id}/deliveries/{delivery_id}/resend',
    { onSuccess: () => announce('Event queued again.'), onSettled: deliveriesChanged },
  );
  return (
    <Answered question={found} loading="Loading the delivery">
      {delivery => (
        <Stack>
          <Facts
            facts={[
              ['Event', nameOf(delivery)],
              ['Status', <StateBadge key="state" look={deliveryStates[delivery.state]} />],
              ...(delivery.fault ? ([['Reason', delivery.fault.detail]] as const) : []),
              ...(delivery.next_attempt_at
                ? ([['Next attempt', formatMoment(delivery.next_attempt_at)]] as const)
                : []),
              ['ID', <code key="id">{delivery.event_id}</code>],
            ]}
          />
          <h3>Attempts</h3>
          {delivery.attempt_log.length === 0 && <p className={styles.soft}>Not attempted yet.</p>}
          <ol className={styles.items} aria-label="Attempts">
            {delivery.attempt_log.map(({ attempt, at, status_code: status, duration_ms: ms, fault }) => (
              <li key={attempt} className={styles.item}>
                <div>
                  <div>
                    {formatMoment(at)} · {status === null ? 'no response' : `status ${status}`} ·{' '}
                    {countOf(ms, 'millisecond')}
                  </div>
                  {fault && <div className={styles.fault}>{fault.detail}</div>}
                </div>
              </li>
            ))}
          </ol>
          <h3>Body</h3>
          <pre className={styles.body}>
            <code>{JSON.stringify(JSON.parse(delivery.payload), null, 2)}</code>
          </pre>
          {resend.isError && <Failure error={resend.error} />}
          {isOwner && (
            <Row>
              <Button
                busy={resend.isPending}
                disabled={!endpoint.enabled}
                onClick={() => resend.mutate({ params: { path } })}
              >
                Resend
              </Button>
            </Row>
          )}
        </Stack>
      )}
    </Answered>
  );
}
