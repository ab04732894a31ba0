import { Monitor, Smartphone } from 'lucide-react';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { $api, api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { byCursor } from '../../api/shared-queries.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { Confirm } from '../../design/dialog.tsx';
import { PasswordInput, PasswordOwner, passwordHint } from '../../design/field.tsx';
import { newPasswordFault } from '../../design/field-rules.ts';
import { browserName, countOf, formatMoment, isTelephone } from '../../design/format.ts';
import { Card, Stack } from '../../design/layout.tsx';
import { ShowMore } from '../../design/pager.tsx';
import { Answered, Empty, Failure } from '../../design/states.tsx';
import { type Column, DataTable } from '../../design/table.tsx';
import { announce } from '../../design/toasts.tsx';
import { endedHere, useSession } from '../../shell/session.ts';
import styles from './account.module.css';
import { AccountPage, accountChanged, OwnersOnly, PasswordFailure } from './account-page.tsx';
import { actorName, detailWords, lookOf, type SecurityEvent } from './security-words.ts';

/** The user's sessions, the password, and the security events. */
export function SecurityScreen() {
  const isOwner = useSession().role === 'owner';
  return (
    <AccountPage title="Security" lead="Your sessions, your password, and the account’s security events.">
      <Stack>
        <SessionsCard />
        <PasswordCard />
        {isOwner ? (
          <SecurityEvents />
        ) : (
          <OwnersOnly>Only owners can see the account’s security events.</OwnersOnly>
        )}
      </Stack>
    </AccountPage>
  );
}

/** Changes the password. */
function PasswordCard() {
  const { email } = useSession();
  const { register, handleSubmit, reset, formState } = useForm<{ current: string; next: string }>();
  const change = $api.useMutation('put', '/password');
  const submit = handleSubmit(({ current, next }) =>
    change.mutate(
      { body: { current_password: current, new_password: next } },
      {
        async onSuccess() {
          reset();
          announce('Password changed. Your other sessions have ended.');
          await accountChanged();
        },
      },
    ),
  );
  const { code, detail, title } = asProblem(change.error);
  const isRefused = change.isError && code === 'password_refused';
  return (
    <Card title="Password">
      <p className={styles.soft}>Changing it ends your other sessions and disconnects your assistants.</p>
      <form onSubmit={submit} className={styles.form}>
        <PasswordOwner email={email} />
        <PasswordInput
          label="Current password"
          autoComplete="current-password"
          required
          {...register('current')}
        />
        <PasswordInput
          label="New password"
          autoComplete="new-password"
          hint={passwordHint}
          error={formState.errors.next?.message ?? (isRefused ? (detail ?? title) : undefined)}
          {...register('next', { validate: newPasswordFault })}
        />
        {change.isError && !isRefused && <PasswordFailure error={change.error} />}
        <Button type="submit" look="primary" busy={change.isPending}>
          Change password
        </Button>
      </form>
    </Card>
  );
}

/** The user's sessions, with buttons that end them. */
function SessionsCard() {
  const [isAsked, setAsked] = useState(false);
  async function signOutEverywhere() {
    const { data } = await api.DELETE('/sessions');
    endedHere(undefined, `${countOf(data?.ended ?? 1, 'session')} ended.`);
  }
  return (
    <Card title="Your sessions" actions={<Button onClick={() => setAsked(true)}>Sign out everywhere</Button>}>
      <Answered question={$api.useQuery('get', '/sessions')} loading="Loading sessions">
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
        lead="All your sessions end, including this one, and assistants that you connected are disconnected. Sign in again afterward."
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
      announce('Session ended.');
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
          {current && <Badge tone="good">This session</Badge>}
        </span>
        <span className={styles.small}>
          Signed in {formatMoment(created_at)}; last used {formatMoment(last_seen_at)}
        </span>
        <span className={styles.small}>{user_agent}</span>
        {error !== undefined && <Failure error={error} />}
      </div>
      {!current && (
        <Button onClick={end} busy={busy}>
          End session<span className="visually-hidden"> on {name}</span>
        </Button>
      )}
    </li>
  );
}

interface EventRow extends SecurityEvent {
  readonly id: string;
  readonly who: string;
}

const pageRows = 20;

const columns: readonly Column<EventRow>[] = [
  { id: 'at', header: 'Time', width: '11.5rem', cell: ({ at }) => formatMoment(at) },
  {
    id: 'what',
    header: 'Event',
    width: 'minmax(14rem, 2fr)',
    cell: event => {
      const { words, isCaution } = lookOf(event);
      const details = detailWords(event);
      return (
        <div className={styles.itemText}>
          <span>{isCaution ? <Badge tone="caution">{words}</Badge> : words}</span>
          {details && <span className={styles.small}>{details}</span>}
        </div>
      );
    },
  },
  { id: 'who', header: 'User', width: 'minmax(10rem, 1.5fr)', cell: ({ who }) => who },
  {
    id: 'where',
    header: 'Device',
    width: 'minmax(11rem, 1.5fr)',
    cell: ({ client_network, user_agent }) => (
      <div className={styles.itemText}>
        <span>{user_agent === '' ? '–' : browserName(user_agent)}</span>
        <span className={styles.small}>{client_network}</span>
      </div>
    ),
  },
];

/** The security events of the account, newest first. */
function SecurityEvents() {
  const { user_id: mine } = useSession();
  const members = $api.useQuery('get', '/members').data?.members ?? [];
  const events = $api.useInfiniteQuery(
    'get',
    '/security-events',
    { params: { query: { limit: pageRows } } },
    byCursor,
  );
  const listed = events.data?.pages.flatMap(page => page.events) ?? [];
  // Events have no id. Counting from the oldest one would not work, because each further page changes that distance.
  const rows = listed.map((event, index) => ({
    ...event,
    id: `${event.at}-${event.kind}-${index}`,
    who: actorName(event.user_id, mine, members),
  }));
  return (
    <Card title="Security events">
      <Answered question={events} lines={5} loading="Loading security events">
        {() =>
          rows.length > 0 ? (
            <DataTable name="Event list" columns={columns} rows={rows} rowId={({ id }) => id} />
          ) : (
            <Empty title="No events yet">
              Sign-ins, failed sign-ins, and changes to members and keys appear here.
            </Empty>
          )
        }
      </Answered>
      <ShowMore list={events}>Show older</ShowMore>
    </Card>
  );
}
