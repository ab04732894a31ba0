import { useState } from 'react';
import { $api, api, queryClient, type Schema } from '../../api/client.ts';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { browserName, formatDay, formatMoment } from '../../design/format.ts';
import { Card, Page, Stack } from '../../design/layout.tsx';
import { Answered } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import { CrmsPart } from './crms-part.tsx';
import styles from './integrations.module.css';
import { OutcomeSourcesCard } from './outcome-sources-screen.tsx';
import { ProfileProviderCard } from './provider-health.tsx';
import { WebhooksCard } from './webhooks-screen.tsx';

/** The integrations: CRMs, AI assistants, webhooks, delivery reports, and the profile provider. */
export function IntegrationsScreen() {
  return (
    <Page
      title="Integrations"
      lead="Connect CRMs, AI assistants, webhooks, your email service and your own profile provider."
    >
      <Stack>
        <CrmsPart />
        <AssistantsCard />
        <WebhooksCard />
        <OutcomeSourcesCard />
        <ProfileProviderCard />
      </Stack>
    </Page>
  );
}

type Assistant = Schema['ConnectedAssistant'];

/** The AI assistants connected to the account, and how to connect another one. */
function AssistantsCard() {
  const found = $api.useQuery('get', '/assistants');
  return (
    <Card title="AI assistants">
      <p className={styles.soft}>
        Claude, Cursor, VS Code and other assistants can validate addresses for you over MCP. Add this URL to
        the assistant; it asks you to sign in and to authorize it. This requires a plan with API access, and
        an API key.
      </p>
      <Answered question={found} loading="Loading assistants">
        {({ address, assistants }) => (
          <>
            {address && (
              <div className={styles.address}>
                <code>{address}</code>
                <CopyButton text={address} what="MCP URL" />
              </div>
            )}
            {assistants.length === 0 && <p className={styles.soft}>No assistants connected.</p>}
            {assistants.length > 0 && (
              <ul className={styles.items} aria-label="Connected assistants">
                {assistants.map(assistant => (
                  <AssistantItem key={assistant.assistant_id} assistant={assistant} />
                ))}
              </ul>
            )}
          </>
        )}
      </Answered>
    </Card>
  );
}

function AssistantItem({ assistant }: { readonly assistant: Assistant }) {
  const { user_id: userId } = useSession();
  const [isAsked, setAsked] = useState(false);
  const { client_name: name, scopes, last_used_at: lastUsedAt, user_agent: userAgent } = assistant;
  // Distinguishes the same assistant on two machines.
  const where = userAgent === '' ? '' : ` in ${browserName(userAgent)}`;
  async function disconnect() {
    await api.DELETE('/assistants/{assistant_id}', {
      params: { path: { assistant_id: assistant.assistant_id } },
    });
    await queryClient.invalidateQueries({ queryKey: ['get', '/assistants'] });
    announce('Assistant disconnected.');
  }
  return (
    <li className={styles.item}>
      <div>
        <bdi className={styles.name}>{name}</bdi>
        <div className={styles.small}>
          Redirects to {assistant.redirect_host}
          {assistant.user_id !== userId && `, connected by ${assistant.email ?? 'a former member'}`}
        </div>
        <ul className={styles.may} aria-label="Permissions">
          {scopes.map(({ scope, description }) => (
            <li key={scope}>{description}</li>
          ))}
        </ul>
        <div className={styles.small}>
          Connected {formatDay(assistant.connected_at)}
          {where} · {lastUsedAt ? `last used ${formatMoment(lastUsedAt)}` : 'not used yet'}
        </div>
      </div>
      <Button onClick={() => setAsked(true)}>
        Disconnect
        <span className="visually-hidden">
          {' '}
          {name}
          {where}
        </span>
      </Button>
      <Confirm
        title="Disconnect this assistant?"
        lead={
          <>
            <bdi className={styles.long}>“{name}”</bdi>
            {where} loses access with its next request. You can connect it again later.
          </>
        }
        verb="Disconnect"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={disconnect}
      />
    </li>
  );
}
