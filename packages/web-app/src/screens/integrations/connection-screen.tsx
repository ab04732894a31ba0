import { useNavigate, useParams } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { api, queryClient } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Answered } from '../../design/answered.tsx';
import { Button, LinkButton } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { formatDay } from '../../design/format.ts';
import { Page } from '../../design/layout.tsx';
import { Empty, Notice } from '../../design/states.tsx';
import { TabLink, TabLinks } from '../../design/tabs.tsx';
import { announce } from '../../design/toasts.tsx';
import { type CrmConnection, crmNames } from './crms.ts';
import { ConnectCrm } from './crms-part.tsx';
import { ImportPart } from './import-form.tsx';
import { ImportsPart } from './imports-part.tsx';
import { PropertiesPart } from './properties-part.tsx';
import { PushPart } from './push-part.tsx';
import { useConnections } from './use-connection.ts';

/** What came from a connected CRM. */
export function ConnectionScreen() {
  return (
    <Frame>
      <ImportsPart />
    </Frame>
  );
}

/** Takes records of it in. */
export function ImportRecordsScreen() {
  return (
    <Frame>
      <ImportPart />
    </Frame>
  );
}

/** Writes rows into it. */
export function PushRowsScreen() {
  return (
    <Frame>
      <PushPart />
    </Frame>
  );
}

/** What its records have. */
export function PropertiesScreen() {
  return (
    <Frame>
      <PropertiesPart />
    </Frame>
  );
}

/** What stands around every part of a connection, where there is one. */
function Frame({ children }: { readonly children: ReactNode }) {
  const { connectionId } = useParams({ strict: false });
  const crms = useConnections();
  const connection = crms.data?.connections.find(({ connection_id: id }) => id === connectionId);
  if (connection) return <Connected connection={connection}>{children}</Connected>;
  return (
    <Page title="CRM">
      <Answered question={crms} loading="Loading the CRM">
        {() => (
          <Empty
            title="This CRM is not connected"
            action={<LinkButton to="/integrations">Go to the integrations</LinkButton>}
          >
            Somebody has disconnected it, or the address is not complete.
          </Empty>
        )}
      </Answered>
    </Page>
  );
}

function Connected({
  connection,
  children,
}: {
  readonly connection: CrmConnection;
  readonly children: ReactNode;
}) {
  const { connection_id: connectionId, provider, organisation, fault } = connection;
  const params = { connectionId };
  return (
    <Page
      title={organisation.name}
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
        <Notice tone="bad" title="This connection does nothing at present">
          <span>{fault.detail}</span>
          <ConnectCrm provider={provider} isAnother verb="Connect again" />
        </Notice>
      )}
      <TabLinks name={`Parts of ${crmNames[provider]}`}>
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
        ? `${organisation.name} is disconnected.`
        : `${organisation.name} is disconnected. ${crm} still lists the app; it gives us nothing any more.`,
    );
  }
  return (
    <>
      <Button onClick={() => setAsked(true)}>Disconnect</Button>
      <Confirm
        title={`Disconnect ${crm}?`}
        lead={`What gives us access to ${organisation.name} is deleted, and pushes and imports under way end. Records stay where they are, in ${crm} and here.`}
        verb="Disconnect"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={disconnect}
      />
    </>
  );
}
