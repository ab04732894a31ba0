import { Monitor, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { $api, api, type Schema } from '../../api/client.ts';
import { Answered } from '../../design/answered.tsx';
import { Badge } from '../../design/badge.tsx';
import { browserName, isTelephone } from '../../design/browser-name.ts';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { countOf, formatMoment } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import { Failure } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { endedHere } from '../../shell/session-changes.ts';
import styles from './account.module.css';
import { accountChanged } from './changed.ts';

/** Where whoever looks is signed in, and the ways to end it. */
export function SessionsCard() {
  const [isAsked, setAsked] = useState(false);
  async function signOutEverywhere() {
    const { data } = await api.DELETE('/sessions');
    endedHere(undefined, `${countOf(data?.ended ?? 1, 'session')} ended.`);
  }
  return (
    <Card
      title="Where you are signed in"
      actions={<Button onClick={() => setAsked(true)}>Sign out everywhere</Button>}
    >
      <Answered question={$api.useQuery('get', '/sessions')} loading="Loading the sessions">
        {({ sessions }) => (
          <ul className={styles.list}>
            {sessions.map(each => (
              <SessionRow key={each.session_id} session={each} />
            ))}
          </ul>
        )}
      </Answered>
      <Confirm
        title="Sign out everywhere?"
        lead="Every session of yours ends, this one too, and assistants that you connected are disconnected. Sign in again afterwards."
        verb="Sign out everywhere"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={signOutEverywhere}
      />
    </Card>
  );
}

function SessionRow({ session }: { readonly session: Schema['Session'] }) {
  const { session_id, user_agent, created_at, last_seen_at, current } = session;
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const name = browserName(user_agent);
  const Icon = isTelephone(user_agent) ? Smartphone : Monitor;
  async function end() {
    setBusy(true);
    setError(undefined);
    try {
      await api.DELETE('/sessions/{session_id}', { params: { path: { session_id } } });
      announce('The session has ended.');
    } catch (cause) {
      setError(cause);
    }
    await accountChanged();
    setBusy(false);
  }
  return (
    <li className={styles.item}>
      <Icon size={20} aria-hidden />
      <div className={styles.itemText}>
        <span className={styles.itemTitle}>
          {name}
          {current && <Badge tone="good">This one</Badge>}
        </span>
        <span className={styles.small}>
          Since {formatMoment(created_at)}; last used {formatMoment(last_seen_at)}
        </span>
        <span className={styles.small}>{user_agent}</span>
        {error !== undefined && <Failure error={error} />}
      </div>
      {!current && (
        <Button onClick={end} busy={busy}>
          End<span className="visually-hidden"> the session of {name}</span>
        </Button>
      )}
    </li>
  );
}
