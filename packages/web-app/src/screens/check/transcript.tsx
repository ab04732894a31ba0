import type { Schema } from '../../api/client.ts';
import { classes } from '../../design/classes.ts';
import { countOf } from '../../design/format.ts';
import { Card } from '../../design/layout.tsx';
import styles from './transcript.module.css';
import { agoWords, replyWords } from './words.ts';

type Session = Schema['SmtpSession'];

interface TranscriptProps {
  readonly sessions: readonly Session[];
  readonly ageSeconds: number;
}

/** What was said between us and the mail servers, word by word. */
export function Transcript({ sessions, ageSeconds }: TranscriptProps) {
  if (sessions.length === 0) {
    return (
      <Card title="What the mail servers said">
        <p className={styles.soft}>
          {ageSeconds > 0
            ? 'The answer was remembered, so nobody was asked this time. Conversations are not kept.'
            : 'No mail server had to be asked.'}
        </p>
      </Card>
    );
  }
  return (
    <Card title="What the mail servers said">
      {sessions.map((session, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the sessions of an answer never change their order.
        <Conversation key={at} session={session} isOpen={at === 0} />
      ))}
    </Card>
  );
}

function Conversation({ session, isOpen }: { readonly session: Session; readonly isOpen: boolean }) {
  const { host, address, exchanges, compared_seconds_ago: comparedAgo } = session;
  return (
    <details className={styles.session} open={isOpen}>
      <summary>
        <strong>{host}</strong> <code>{address}</code>{' '}
        <span className={styles.soft}>{countOf(exchanges.length, 'reply', 'replies')}</span>
      </summary>
      {comparedAgo !== undefined && (
        <p className={styles.soft}>Made-up addresses were asked about {agoWords(comparedAgo)}.</p>
      )}
      <ol className={styles.lines}>
        {exchanges.map((exchange, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: what was said stays in its order.
          <Lines key={at} {...exchange} />
        ))}
      </ol>
    </details>
  );
}

function Lines({ command, reply }: Session['exchanges'][number]) {
  const { text, isMissing } = replyWords(reply);
  return (
    <li>
      {command && (
        <div className={styles.line}>
          <span className={styles.who}>We</span>
          <code>{command}</code>
        </div>
      )}
      <div className={classes(styles.line, styles.theirs)}>
        <span className={styles.who}>They</span>
        {isMissing ? <em>{text}</em> : <code>{text}</code>}
      </div>
    </li>
  );
}
