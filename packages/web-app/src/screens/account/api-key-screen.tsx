import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { $api, api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { TypedConfirm } from '../../design/dialog.tsx';
import { formatMoment } from '../../design/format.ts';
import { Card, Facts, Row, Stack } from '../../design/layout.tsx';
import { Answered, Empty, Failure, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { useSession } from '../../shell/session.ts';
import styles from './account.module.css';
import { AccountPage, OwnersOnly } from './account-page.tsx';
import { NamedKeysCard } from './named-keys-card.tsx';

/** The account's default API key, shown to owners on request, and its named keys. */
export function ApiKeyScreen() {
  const isOwner = useSession().role === 'owner';
  return (
    <AccountPage
      title="API keys"
      lead="With an API key, your programs do nearly everything that you can do here."
    >
      {isOwner ? (
        <OwnersKey />
      ) : (
        <OwnersOnly>
          Only owners of the account can view its API keys. Ask an owner if you need one.
        </OwnersOnly>
      )}
    </AccountPage>
  );
}

function OwnersKey() {
  return (
    <Answered question={$api.useQuery('get', '/plan')} lines={2} loading="Loading plan">
      {({ plan }) =>
        plan.api_access ? (
          <Stack>
            <KeyCard />
            <NamedKeysCard />
          </Stack>
        ) : (
          <Empty
            title={`The ${plan.title} plan does not include an API key`}
            action={
              <LinkButton to="/account" look="primary">
                See plans
              </LinkButton>
            }
          >
            A key is generated when a plan with API access starts. If the account had a key before, the same
            key works again.
          </Empty>
        )
      }
    </Answered>
  );
}

type Key = Schema['ApiKey'];

/**
 * The key is fetched only when the user asks to see it, because each display is recorded. No cache keeps it: leaving
 * the screen forgets it.
 */
function KeyCard() {
  const { account } = useSession();
  const [key, setKey] = useState<Key>();
  const [isSeen, setSeen] = useState(false);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<unknown>();
  const [isReplacing, setReplacing] = useState(false);
  async function fetched(): Promise<Key> {
    if (key) return key;
    try {
      const { data } = await api.GET('/api-key');
      if (!data) throw new Error('The API key could not be loaded.');
      setKey(data);
      return data;
    } catch (cause) {
      setError(cause);
      throw cause;
    }
  }
  async function show() {
    setBusy(true);
    setError(undefined);
    // The error is already shown.
    await fetched().then(
      () => setSeen(true),
      () => undefined,
    );
    setBusy(false);
  }
  async function replace() {
    const { data } = await api.POST('/api-key/regeneration');
    setKey(data);
    setError(undefined);
    setSeen(true);
    announce('API key regenerated. The previous key no longer works.');
  }
  if (error !== undefined && asProblem(error).code === 'api_key_not_found') {
    return (
      <Empty title="The account has no API key yet">
        A key is generated when a plan with API access starts.
      </Empty>
    );
  }
  return (
    <>
      <Card title="Default key">
        <div className={styles.key}>
          <code data-testid="api-key">{isSeen && key ? key.api_key : hidden(key)}</code>
          <Row>
            {isSeen ? (
              <Button onClick={() => setSeen(false)}>
                <EyeOff size={16} aria-hidden />
                Hide
              </Button>
            ) : (
              <Button onClick={show} busy={busy}>
                <Eye size={16} aria-hidden />
                Show
              </Button>
            )}
            <CopyButton what="API key" text={async () => (await fetched()).api_key} />
          </Row>
        </div>
        {error !== undefined && <Failure error={error} onRetry={show} />}
        {key?.state === 'disabled' && (
          <Notice tone="caution">The key does not work while the plan has no API access.</Notice>
        )}
        {key && (
          <Facts
            facts={[
              ['Created', formatMoment(key.created_at)],
              ['ID', <code key="id">{key.api_key_id}</code>],
            ]}
          />
        )}
        <p className={styles.small}>
          It has every scope. Protect it like a password: anyone who has it can spend your credits, read and
          export your lists and leads, and push to your CRMs. Viewing the key is recorded in the security
          events. Send it in the header <code>X-Api-Key</code>; see the{' '}
          <a href="/docs/quick-start">documentation</a>.
        </p>
      </Card>
      <Card title="Regenerate default key">
        <p className={styles.soft}>
          Regenerate the key if it may have been exposed. The old key is rejected everywhere from the next
          request on. Update every program with the new key. Named keys keep working.
        </p>
        <Row>
          <Button look="danger" onClick={() => setReplacing(true)}>
            Regenerate…
          </Button>
        </Row>
      </Card>
      <TypedConfirm
        title="Regenerate the default key?"
        lead="The current key stops working immediately. Programs that use it fail until you update them. This cannot be undone."
        verb="Regenerate key"
        wanted={account.name}
        wantedName="the account name"
        open={isReplacing}
        onOpenChange={setReplacing}
        onConfirm={replace}
      />
    </>
  );
}

function hidden(key: Key | undefined): string {
  return `${key?.display_prefix ?? 'mp_live_'}${'•'.repeat(24)}`;
}
