import { Link } from '@tanstack/react-router';
import { Plus } from 'lucide-react';
import { useEffect } from 'react';
import { $api } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Answered } from '../../design/answered.tsx';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { formatDay } from '../../design/format.ts';
import { Card, Grid } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { type CrmConnection, type CrmProvider, crmFacts, crmNames, isAddressOfCrm } from './crms.ts';
import styles from './integrations.module.css';
import { useConnections } from './use-connection.ts';

/** The CRMs, each with the organisations of it that are connected. */
export function CrmsPart() {
  return (
    <Answered question={useConnections()} loading="Loading the CRMs">
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
  const { needs, settings } = crmFacts[provider];
  return (
    <Card
      title={crmNames[provider]}
      actions={
        connections.length > 0 ? (
          <Badge tone={connections.some(({ fault }) => fault) ? 'bad' : 'good'}>
            {connections.some(({ fault }) => fault) ? 'Needs you' : 'Connected'}
          </Badge>
        ) : (
          <Badge>Not connected</Badge>
        )
      }
    >
      {connections.length === 0 && (
        <p className={styles.soft}>
          Push validated rows into it, validate what it has, and write the results back. Free of charge beyond
          validating.
        </p>
      )}
      {connections.length > 0 && (
        <ul className={styles.items} aria-label={`Connected organisations of ${crmNames[provider]}`}>
          {connections.map(connection => (
            <ConnectionItem key={connection.connection_id} connection={connection} />
          ))}
        </ul>
      )}
      {isSetUp ? (
        <ConnectCrm provider={provider} isAnother={connections.length > 0} needs={needs} />
      ) : (
        <Notice tone="neutral" title="Not set up on this installation">
          <span>
            Ask your administrator to configure {crmNames[provider]}: to set{' '}
            {settings.map((setting, at) => (
              <span key={setting}>
                {at > 0 && ' and '}
                <code>{setting}</code>
              </span>
            ))}{' '}
            for the webhook dispatcher and to restart it. The page “Connect a CRM” of the documentation
            describes how to register the app at {crmNames[provider]}.
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
  /** The word on the button where it is not about connecting for the first time. */
  readonly verb?: string;
}

/** Sends the browser to the CRM, where its user allows Mailproof to work there. */
export function ConnectCrm({ provider, isAnother, needs, verb }: ConnectCrmProps) {
  const { role } = useSession();
  const begin = $api.useMutation('post', '/crm-connections', {
    onSuccess({ authorization_url: address }) {
      if (!isAddressOfCrm(address)) throw new Error('The address of the CRM is none that can be gone to.');
      window.location.assign(address);
    },
  });
  const { reset } = begin;
  useEffect(() => {
    // Whoever goes back from the CRM may find this page as it was left: waiting to be gone from.
    const onShow = ({ persisted }: PageTransitionEvent) => persisted && reset();
    window.addEventListener('pageshow', onShow);
    return () => window.removeEventListener('pageshow', onShow);
  }, [reset]);
  if (role !== 'owner') return <p className={styles.small}>An owner of the account can connect it.</p>;
  return (
    <div className={styles.begin}>
      <Button
        look={isAnother ? 'secondary' : 'primary'}
        // Until the browser has gone.
        busy={begin.isPending || begin.isSuccess}
        onClick={() => begin.mutate({ body: { provider } })}
      >
        {isAnother && <Plus size={16} aria-hidden />}
        {verb ?? (isAnother ? 'Connect another organisation' : `Connect ${crmNames[provider]}`)}
      </Button>
      {needs && !isAnother && <p className={styles.small}>{needs}</p>}
      {begin.isError && <Failure error={begin.error} />}
    </div>
  );
}
