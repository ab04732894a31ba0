import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { api, type Schema } from '../../api/client.ts';
import { asProblem } from '../../api/problem.ts';
import { useSession } from '../../api/session.ts';
import { Button } from '../../design/button.tsx';
import { CopyButton } from '../../design/copy-button.tsx';
import { formatMoment } from '../../design/format.ts';
import { Card, Facts, Row } from '../../design/layout.tsx';
import { Empty, Failure, Notice } from '../../design/states.tsx';
import { announce } from '../../design/toasts.tsx';
import { TypedConfirm } from '../../design/typed-confirm.tsx';
import styles from './account.module.css';

type Key = Schema['ApiKey'];

/**
 * The key is fetched when somebody wants it, since each look at it is noted, and is kept in no cache: leaving the screen
 * forgets it.
 */
export function KeyCard() {
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
      if (!data) throw new Error('The key did not come.');
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
    // What went wrong is shown already.
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
    announce('The new key is there. The one before does not work any more.');
  }
  if (error !== undefined && asProblem(error).code === 'api_key_not_found') {
    return (
      <Empty title="The account has no API key yet">It is made when a plan with API access begins.</Empty>
    );
  }
  return (
    <>
      <Card title="Your API key">
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
            <CopyButton what="The key" text={async () => (await fetched()).api_key} />
          </Row>
        </div>
        {error !== undefined && <Failure error={error} onRetry={show} />}
        {key?.state === 'disabled' && (
          <Notice tone="caution">It does not work as long as the plan has no API access.</Notice>
        )}
        {key && (
          <Facts
            facts={[
              ['Made', formatMoment(key.created_at)],
              ['Id', <code key="id">{key.api_key_id}</code>],
            ]}
          />
        )}
        <p className={styles.small}>
          Keep it like a password: whoever has it spends your credits. That it was shown is noted among the
          security events. Programs send it in the header <code>X-Api-Key</code>; see the{' '}
          <a href="/docs">documentation</a>.
        </p>
      </Card>
      <Card title="Regenerate the key">
        <p className={styles.soft}>
          When somebody may have seen the key who should not: a new one takes its place, and the old one is
          refused from the next request on, everywhere. Every program needs the new key.
        </p>
        <Row>
          <Button look="danger" onClick={() => setReplacing(true)}>
            Regenerate…
          </Button>
        </Row>
      </Card>
      <TypedConfirm
        title="Regenerate the API key?"
        lead="The key that you have stops at once. Programs that use it fail until they have the new one. This cannot be taken back."
        verb="Regenerate the key"
        wanted={account.name}
        wantedName="the account’s name"
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
