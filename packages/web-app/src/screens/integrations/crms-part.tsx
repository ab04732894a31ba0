import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useEffect } from 'react';
import { $api } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { formatDay } from '../../design/format.ts';
import { Card, Grid } from '../../design/layout.tsx';
import { Answered, Failure, Notice } from '../../design/states.tsx';
import { useSession } from '../../shell/session.ts';
import {
  type CrmConnection,
  type CrmProvider,
  crmFacts,
  crmNames,
  isAddressOfCrm,
  useConnections,
} from './crms.ts';
import styles from './integrations.module.css';

/** The CRMs, each with its connected organizations. */
export function CrmsPart() {
  return (
    <Answered question={useConnections()} loading="Loading CRMs">
      {({ connections, providers }) => (
        <Grid>
          {(Object.keys(crmNames) as CrmProvider[]).map(provider => (
            <CrmCard
              key={provider}
              provider={provider}
              isSetUp={providers.includes(provider)}
              connections={connections.filter(connection => connection.provider === provider)}
            />
          ))}
        </Grid>
      )}
    </Answered>
  );
}

interface CrmCardProps {
  readonly provider: CrmProvider;
  readonly isSetUp: boolean;
  readonly connections: readonly CrmConnection[];
}

function CrmCard({ provider, isSetUp, connections }: CrmCardProps) {
  const { needs, settings, guide } = crmFacts[provider];
  return (
    <Card
      title={crmNames[provider]}
      actions={
        connections.length > 0 ? (
          <Badge tone={connections.some(({ fault }) => fault) ? 'bad' : 'good'}>
            {connections.some(({ fault }) => fault) ? 'Action required' : 'Connected'}
          </Badge>
        ) : (
          <Badge>Not connected</Badge>
        )
      }
    >
      {connections.length === 0 && (
        <p className={styles.soft}>
          Push validated rows to it, validate its records, and write the results back. Only validation costs
          credits.
        </p>
      )}
      {connections.length > 0 && (
        <ul className={styles.items} aria-label={`Connected ${crmNames[provider]} organizations`}>
          {connections.map(connection => (
            <ConnectionItem key={connection.connection_id} connection={connection} />
          ))}
        </ul>
      )}
      {isSetUp ? (
        <ConnectCrm provider={provider} isAnother={connections.length > 0} needs={needs} />
      ) : (
        <Notice tone="neutral" title="Not configured on this installation">
          <span>
            Ask your administrator to configure {crmNames[provider]}: set{' '}
            {settings.map((setting, at) => (
              <span key={setting}>
                {at > 0 && ' and '}
                <code>{setting}</code>
              </span>
            ))}{' '}
            for the webhook dispatcher, then restart it.{' '}
            <a href={guide}>How to register the app at {crmNames[provider]}</a>
          </span>
        </Notice>
      )}
    </Card>
  );
}

function ConnectionItem({ connection }: { readonly connection: CrmConnection }) {
  const { connection_id: connectionId, organisation, fault, last_used_at: lastUsedAt } = connection;
  return (
    <li className={styles.item}>
      <div>
        <Link to="/integrations/crm/$connectionId" params={{ connectionId }} className={styles.name}>
          {organisation.name}
        </Link>
        <div className={styles.small}>
          {lastUsedAt ? `Last used ${formatDay(lastUsedAt)}` : 'Not used yet'} · {organisation.id}
        </div>
        {fault && <div className={styles.fault}>{fault.detail}</div>}
      </div>
    </li>
  );
}

interface ConnectCrmProps {
  readonly provider: CrmProvider;
  readonly isAnother?: boolean;
  readonly needs?: string;
  /** The label of the button, if this is not a first connection. */
  readonly verb?: string;
}

/** Sends the browser to the CRM, where the user authorizes Mailproof. */
export function ConnectCrm({ provider, isAnother, needs, verb }: ConnectCrmProps) {
  const { role } = useSession();
  const begin = $api.useMutation('post', '/crm-connections', {
    onSuccess({ authorization_url: address }) {
      if (!isAddressOfCrm(address)) throw new Error('The CRM’s authorization URL is not valid.');
      window.location.assign(address);
    },
  });
  const { reset } = begin;
  useEffect(() => {
    // After going back from the CRM, the browser may restore this page in its busy state.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && reset();
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, [reset]);
  if (role !== 'owner') return <p className={styles.small}>Only owners can connect a CRM.</p>;
  return (
    <div className={styles.begin}>
      <Button
        look={isAnother ? 'secondary' : 'primary'}
        // Stays busy until the browser leaves the page.
        busy={begin.isPending || begin.isSuccess}
        onClick={() => begin.mutate({ body: { provider } })}
      >
        {isAnother && <Plus size={16} aria-hidden />}
        {verb ?? (isAnother ? 'Connect another organization' : `Connect ${crmNames[provider]}`)}
      </Button>
      {needs && !isAnother && <p className={styles.small}>{needs}</p>}
      {begin.isError && <Failure error={begin.error} />}
    </div>
  );
}
