import { useState } from 'react';
import { $api, api, queryClient, type Schema } from '../../api/client.ts';
import { useSession } from '../../api/session.ts';
import { Answered } from '../../design/answered.tsx';
import { browserName } from '../../design/browser-name.ts';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { formatDay, formatMoment } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { announce } from '../../design/toasts.tsx';
import styles from './integrations.module.css';

type Assistant = Schema['ConnectedAssistant'];

/** AI assistants that work with the account, and how another one is connected. */
export function AssistantsCard() {
  const found = $api.useQuery('get', '/assistants');
  return (
    <Card title="AI assistants">
      <p className={styles.soft}>
        Claude, Cursor, VS Code and other assistants validate addresses for you over MCP. Give one this
        address; it asks you to sign in here, and you allow what it may do. Your plan needs API access and a
        key.
      </p>
      <Answered question={found} loading="Loading the assistants">
        {({ address, assistants }) => (
          <>
            {address && (
              <div className={styles.address}>
                <code>{address}</code>
                <CopyButton text={address} what="The address" />
              </div>
            )}
            {assistants.length === 0 && <p className={styles.soft}>No assistant is connected.</p>}
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
    announce('The assistant is disconnected.');
  }
  return (
    <li className={styles.item}>
      <div>
        <bdi className={styles.name}>{name}</bdi>
        <div className={styles.small}>
          Answers go to {assistant.redirect_host}
          {assistant.user_id !== userId && `, connected by ${assistant.email ?? 'somebody who has left'}`}
        </div>
        <ul className={styles.may} aria-label="What it may do">
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
            {where} is refused from its next request on. It can be connected again.
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
