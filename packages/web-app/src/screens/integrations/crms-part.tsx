import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { LeaveButton } from '../../design/button.tsx';
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
  const [error, setError] = useState<unknown>();
  async function findUrl() {
    const { data } = await api.POST('/crm-connections', { body: { provider } });
    if (!data || !isAddressOfCrm(data.authorization_url)) {
      throw new Error('The CRM’s authorization URL is not valid.');
    }
    return data.authorization_url;
  }
  if (role !== 'owner') return <p className={styles.small}>Only owners can connect a CRM.</p>;
  return (
    <div className={styles.begin}>
      <LeaveButton look={isAnother ? 'secondary' : 'primary'} findUrl={findUrl} onError={setError}>
        {isAnother && <Plus size={16} aria-hidden />}
        {verb ?? (isAnother ? 'Connect another organization' : `Connect ${crmNames[provider]}`)}
      </LeaveButton>
      {needs && !isAnother && <p className={styles.small}>{needs}</p>}
      {error !== undefined && <Failure error={error} />}
    </div>
  );
}
