import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { $api, api, queryClient } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { TextInput } from '../../design/field.tsx';
import { countOf, formatDay } from '../../design/format.ts';
import { Card, Page } from '../../design/layout.tsx';
import { Answered, Empty, Failure, Loading, Notice } from '../../design/states.tsx';
import { type Column, VirtualTable } from '../../design/table.tsx';
import { TabLink, TabLinks } from '../../design/tabs.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import { ObjectChoice } from './crm-fields.tsx';
import {
  type CrmConnection,
  type CrmObject,
  type CrmProperty,
  crmNames,
  objectName,
  typeName,
  useConnection,
  useConnections,
} from './crms.ts';
import { ConnectCrm } from './crms-part.tsx';
import { ImportPart } from './import-form.tsx';
import { ImportsPart } from './imports-part.tsx';
import styles from './integrations.module.css';
import { PushPart } from './push-part.tsx';

/** The imports from a connected CRM. */
export function ConnectionScreen() {
  return (
    <Frame section="Imports">
      <ImportsPart />
    </Frame>
  );
}

/** Imports records from the CRM. */
export function ImportRecordsScreen() {
  return (
    <Frame section="Import records">
      <ImportPart />
    </Frame>
  );
}

/** Pushes rows to the CRM. */
export function PushRowsScreen() {
  return (
    <Frame section="Push rows">
      <PushPart />
    </Frame>
  );
}

/** The properties of the CRM's records. */
export function PropertiesScreen() {
  return (
    <Frame section="Properties">
      <PropertiesPart />
    </Frame>
  );
}

interface FrameProps {
  readonly section: string;
  readonly children: ReactNode;
}

/** The frame around every part of a connection, if it exists. */
function Frame({ section, children }: FrameProps) {
  const { connectionId } = useParams({ strict: false });
  const crms = useConnections();
  const connection = crms.data?.connections.find(({ connection_id: id }) => id === connectionId);
  if (connection) {
    return (
      <Connected section={section} connection={connection}>
        {children}
      </Connected>
    );
  }
  return (
    <Page title="CRM" section={section}>
      <Answered question={crms} loading="Loading CRM">
        {() => (
          <Empty
            title="This CRM is not connected"
            action={<LinkButton to="/integrations">Go to integrations</LinkButton>}
          >
            It was disconnected, or the URL is incomplete.
          </Empty>
        )}
      </Answered>
    </Page>
  );
}

function Connected({ connection, section, children }: FrameProps & { readonly connection: CrmConnection }) {
  const { connection_id: connectionId, provider, organisation, fault } = connection;
  const params = { connectionId };
  return (
    <Page
      title={organisation.name}
      section={section}
      lead={`${crmNames[provider]} ${organisation.id}, connected ${formatDay(connection.connected_at)}`}
      actions={
        <>
          <LinkButton to="/integrations" look="quiet">
            All integrations
          </LinkButton>
          <DisconnectCrm connection={connection} />
        </>
      }
    >
      {fault && (
        <Notice tone="bad" title="This connection is not working">
          <span>{fault.detail}</span>
          <ConnectCrm provider={provider} isAnother verb="Reconnect" />
        </Notice>
      )}
      <TabLinks name={`${crmNames[provider]} sections`}>
        <TabLink to="/integrations/crm/$connectionId" params={params} activeOptions={{ exact: true }}>
          Imports
        </TabLink>
        <TabLink to="/integrations/crm/$connectionId/import" params={params}>
          Import records
        </TabLink>
        <TabLink to="/integrations/crm/$connectionId/push" params={params}>
          Push rows
        </TabLink>
        <TabLink to="/integrations/crm/$connectionId/properties" params={params}>
          Properties
        </TabLink>
      </TabLinks>
      {children}
    </Page>
  );
}

function DisconnectCrm({ connection }: { readonly connection: CrmConnection }) {
  const { role } = useSession();
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const { connection_id, provider, organisation } = connection;
  const crm = crmNames[provider];
  if (role !== 'owner') return null;
  async function disconnect() {
    const { data } = await api.DELETE('/crm-connections/{connection_id}', {
      params: { path: { connection_id } },
    });
    await navigate({ to: '/integrations' });
    await queryClient.invalidateQueries({ queryKey: ['get', '/crm-connections'] });
    announce(
      data?.is_revoked
        ? `${organisation.name} disconnected.`
        : `${organisation.name} disconnected. ${crm} still lists the app, but Mailproof no longer has access.`,
    );
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>Disconnect</Button>
      <Confirm
        title={`Disconnect ${crm}?`}
        lead={`Our access to ${organisation.name} is deleted, and pushes and imports in progress end. Records in ${crm} and in Mailproof are kept.`}
        verb="Disconnect"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={disconnect}
      />
    </>
  );
}

const columns: readonly Column<CrmProperty>[] = [
  { id: 'label', header: 'Property', cell: ({ label, name }) => label || name },
  { id: 'name', header: 'Internal name', cell: ({ name }) => <code>{name}</code> },
  { id: 'type', header: 'Type', width: '9rem', cell: property => typeName(property) },
  {
    id: 'notes',
    header: 'Notes',
    cell: ({ is_writable: isWritable, is_required: isRequired, is_unique: isUnique }) => (
      <>
        {isUnique && <Badge tone="fair">unique</Badge>} {isRequired && <Badge tone="caution">required</Badge>}{' '}
        {!isWritable && <Badge>read only</Badge>}
      </>
    ),
  },
];

/** The properties of the CRM's records, fetched live from the CRM. */
function PropertiesPart() {
  const { connection_id, provider, objects } = useConnection();
  const [object, setObject] = useState<CrmObject>(objects[0] ?? 'contact');
  const [text, setText] = useState('');
  const found = $api.useQuery('get', '/crm-connections/{connection_id}/properties', {
    params: { path: { connection_id }, query: { object } },
  });
  const wanted = text.trim().toLowerCase();
  const properties = found.data?.properties.filter(({ name, label }) =>
    `${label} ${name}`.toLowerCase().includes(wanted),
  );
  return (
    <Card title="Properties">
      <div className={styles.pair}>
        <ObjectChoice value={object} onChange={setObject} {...{ provider, objects }} />
        <TextInput label="Find" type="search" value={text} onChange={event => setText(event.target.value)} />
      </div>
      {found.isPending && <Loading name={`Loading from ${crmNames[provider]}`} />}
      {found.isError && <Failure error={found.error} onRetry={found.refetch} />}
      {properties?.length === 0 && <Empty title="No matching property" />}
      {properties && properties.length > 0 && (
        <>
          <p className={styles.small} role="status">
            {countOf(properties.length, 'property', 'properties')}
          </p>
          <VirtualTable
            name={`${objectName(provider, object)} properties`}
            columns={columns}
            count={properties.length}
            rowAt={index => properties[index]}
            onSeen={() => undefined}
          />
        </>
      )}
    </Card>
  );
}
