import { type KeyMode, type KeyScope, keyScopeNames, keyScopes, limits } from '@mailproof/shared-types';
import { KeyRound } from 'lucide-react';
import { type SubmitEvent, useState } from 'react';
import { $api, api, type Schema } from '../../api/client.ts';
import { Badge } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { Confirm, Dialog } from '../../design/dialog.tsx';
import { CheckboxGroup, RadioGroup, Select, TextInput } from '../../design/field.tsx';
import { formatMoment } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Answered, Empty, Failure, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import styles from './account.module.css';
import { namedKeysChanged } from './account-page.tsx';
import { actorName } from './security-words.ts';

type NamedKey = Schema['NamedApiKey'];

/** The account's named keys, with the actions of an owner. */
export function NamedKeysCard() {
  const [isCreating, setCreating] = useState(false);
  return (
    <Card title="Named keys" actions={<Button onClick={() => setCreating(true)}>Create key…</Button>}>
      <p className={styles.soft}>
        Give each program its own key with only the scopes that it needs. A named key is shown once, can
        expire, and can be revoked without changing your other programs. An account has at most{' '}
        {limits.apiKeysMax}.
      </p>
      <Answered question={$api.useQuery('get', '/api-keys')} lines={2} loading="Loading API keys">
        {({ api_keys }) =>
          api_keys.length === 0 ? (
            <Empty title="No named keys yet" action={<a href="/docs/quick-start">Read the quick start</a>}>
              Create one for your first program. To try everything without cost, choose the mode Test: a test
              key answers addresses of the sandbox.
            </Empty>
          ) : (
            <ul className={styles.list}>
              {api_keys.map(each => (
                <KeyRow key={each.api_key_id} apiKey={each} />
              ))}
            </ul>
          )
        }
      </Answered>
      <CreateKey open={isCreating} onClose={() => setCreating(false)} />
    </Card>
  );
}

const stateBadges = {
  active: undefined,
  disabled: <Badge tone="caution">Disabled by plan</Badge>,
  expired: <Badge tone="bad">Expired</Badge>,
} as const satisfies Record<NamedKey['state'], unknown>;

function KeyRow({ apiKey }: { readonly apiKey: NamedKey }) {
  const { api_key_id, name, display_prefix, scopes, state, expires_at, last_used_at } = apiKey;
  const { user_id: mine } = useSession();
  const members = $api.useQuery('get', '/members').data?.members ?? [];
  const [isAsked, setAsked] = useState(false);
  async function revoke() {
    await api.DELETE('/api-keys/{api_key_id}', { params: { path: { api_key_id } } });
    announce(`API key ${name} revoked.`);
    await namedKeysChanged();
  }
  return (
    <li className={styles.item}>
      <KeyRound size={20} aria-hidden />
      <div className={styles.itemText}>
        <span className={styles.itemTitle}>
          {name}
          {apiKey.mode === 'test' && <Badge>Test</Badge>}
          {stateBadges[state]}
        </span>
        <span className={styles.small}>
          <code>{display_prefix}…</code> · {scopes.join(', ')}
        </span>
        <span className={styles.small}>
          {last_used_at ? `Last used ${formatMoment(last_used_at)}` : 'Never used'};{' '}
          {expires_at
            ? `${state === 'expired' ? 'expired' : 'expires'} ${formatMoment(expires_at)}`
            : 'never expires'}
        </span>
        <span className={styles.small}>
          Created {formatMoment(apiKey.created_at)} by {actorName(apiKey.created_by, mine, members)}
        </span>
      </div>
      <Button onClick={() => setAsked(true)}>
        Revoke…<span className="visually-hidden"> {name}</span>
      </Button>
      <Confirm
        title={`Revoke ${name}?`}
        lead="Programs that use this key are refused from their next request on. What they created stays in the account. This cannot be undone."
        verb="Revoke key"
        isDanger
        open={isAsked}
        onOpenChange={setAsked}
        onConfirm={revoke}
      />
    </li>
  );
}

/** Creates a key and shows it once. Closing the dialog forgets the key; no cache keeps it. */
function CreateKey({ open, onClose }: { readonly open: boolean; readonly onClose: () => void }) {
  const [created, setCreated] = useState<Schema['CreatedApiKey']>();
  function change(isOpen: boolean) {
    if (isOpen) return;
    setCreated(undefined);
    onClose();
  }
  return created ? (
    <Dialog
      title="Copy your new key now"
      lead={`This is the only time that the key for ${created.name} is shown.`}
      open={open}
      onOpenChange={change}
    >
      <div className={styles.form}>
        <div className={styles.key}>
          <code>{created.api_key}</code>
          <CopyButton what="API key" text={created.api_key} />
        </div>
        <Notice tone="caution">
          Keep it as safe as a password. If it is lost, revoke it and create another.
        </Notice>
        <Button look="primary" onClick={() => change(false)}>
          Done
        </Button>
      </div>
    </Dialog>
  ) : (
    <Dialog
      title="Create an API key"
      lead="Its name, scopes and expiry cannot be changed later."
      open={open}
      onOpenChange={change}
    >
      <CreateForm onCreated={setCreated} />
    </Dialog>
  );
}

const dayMs = 86_400_000;
const lifetimes = { 30: '30 days', 90: '90 days', 365: '1 year', 0: 'Never' } as const;
const scopeChoices = keyScopeNames.map(value => ({ value, label: value, hint: keyScopes[value] }));

const modeChoices = [
  { value: 'live', label: 'Live', hint: 'For your programs.' },
  {
    value: 'test',
    label: 'Test',
    hint: 'For the tests of your programs: free answers to documented addresses, and nothing else.',
  },
] as const;

/** Mounted only while the dialog is open, so that closing the dialog also discards the input. */
function CreateForm({ onCreated }: { readonly onCreated: (key: Schema['CreatedApiKey']) => void }) {
  const [name, setName] = useState('');
  const [mode, setMode] = useState<KeyMode>('live');
  const [scopes, setScopes] = useState<readonly KeyScope[]>(['validation']);
  const [days, setDays] = useState(365);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  async function create(event: SubmitEvent) {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    try {
      const expires_at = days === 0 ? null : new Date(Date.now() + days * dayMs).toISOString();
      const { data } = await api.POST('/api-keys', { body: { name, mode, scopes: [...scopes], expires_at } });
      if (data) onCreated(data);
      announce('API key created.');
      await namedKeysChanged();
    } catch (cause) {
      setError(cause);
    }
    setBusy(false);
  }
  return (
    <form className={styles.form} onSubmit={create}>
      <TextInput
        label="Name"
        hint="What the key is for, such as the program that uses it."
        autoComplete="off"
        required
        maxLength={limits.apiKeyNameCharactersMax}
        value={name}
        onChange={({ target }) => setName(target.value)}
      />
      <RadioGroup label="Mode" choices={modeChoices} value={mode} onChange={setMode} />
      <CheckboxGroup label="Scopes" choices={scopeChoices} values={scopes} onChange={setScopes} />
      <Select label="Expires in" value={days} onChange={({ target }) => setDays(Number(target.value))}>
        {Object.entries(lifetimes).map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </Select>
      {error !== undefined && <Failure error={error} />}
      <Row>
        <Button type="submit" look="primary" busy={busy} disabled={scopes.length === 0}>
          Create key
        </Button>
      </Row>
    </form>
  );
}
