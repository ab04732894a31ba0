import { prices } from '@mailproof/shared-types';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.ts';
import { ResultBadge, resultLooks } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { countOf, formatCredits } from '../../design/format.ts';
import { Card, Facts, Row } from '../../design/layout.tsx';
import { classes } from '../../design/looks.ts';
import { Notice } from '../../design/states.tsx';
import { providerName } from '../../verdicts/providers.ts';
import { headlineOf, wordsOf } from '../../verdicts/reasons.ts';
import checkStyles from './check.module.css';
import { EvidenceCard } from './evidence-card.tsx';
import styles from './verdict-card.module.css';
import { agoWords, askedWords, replyWords } from './words.ts';

interface VerdictCardProps {
  readonly answer: Schema['AddressCheck'];
  readonly runId: string | undefined;
  readonly onAsk: (email: string) => void;
}

/** The result in one sentence, its reason, and what to do; then all the evidence behind it. */
export function VerdictCard({ answer, runId, onAsk }: VerdictCardProps) {
  const { result, email, details } = answer;
  const { why, next } = wordsOf(details.reason, details.explanation);
  const suggestion = details.did_you_mean;
  return (
    <>
      <Card>
        <div className={checkStyles.verdict}>
          <ResultPicture result={result} />
          <div className={checkStyles.words}>
            <Headline result={result} email={email} />
            <Row>
              <ResultBadge result={result} />
              <code className={checkStyles.reason}>{details.reason}</code>
            </Row>
            <p>{why}</p>
            {next && <p className={checkStyles.next}>{next}</p>}
            <p className={checkStyles.small}>
              {answer.credits_consumed ? '1 credit spent.' : 'Nothing was charged.'}{' '}
              {runId && (
                <Link to="/usage/receipts/$runId" params={{ runId }}>
                  Receipt
                </Link>
              )}
            </p>
          </div>
        </div>
        {suggestion && (
          <Notice tone="caution" title={`Did you mean ${suggestion}?`}>
            <Button className={checkStyles.long} onClick={() => onAsk(suggestion)}>
              Check {suggestion}
            </Button>
            <span className={checkStyles.small}>{formatCredits(prices.validation)} at most.</span>
          </Notice>
        )}
      </Card>
      {details.catch_all && <EvidenceCard catchAll={details.catch_all} />}
      <AddressFacts answer={answer} />
      <Transcript sessions={details.sessions} ageSeconds={details.age_seconds} />
    </>
  );
}

function ResultPicture({ result }: { readonly result: Schema['AddressCheck']['result'] }) {
  const { icon: Icon, tone } = resultLooks[result];
  return (
    <span className={checkStyles.picture} data-tone={tone}>
      <Icon size={34} aria-hidden />
    </span>
  );
}

function Headline({ result, email }: Pick<Schema['AddressCheck'], 'result' | 'email'>) {
  const [before, after] = headlineOf(result);
  return (
    <h2 className={checkStyles.headline}>
      {before} <span className={checkStyles.address}>{email}</span> {after}
    </h2>
  );
}

type Answer = Schema['AddressCheck'];
type Kind = NonNullable<Answer['email_type']>;

const kinds: Readonly<Record<Kind, string>> = {
  business: 'Business',
  personal: 'Personal: the domain offers mailboxes to the public',
  education: 'School or university',
  government: 'Government',
  disposable: 'Disposable: the domain provides temporary mailboxes',
};

/** Other facts about the address. */
function AddressFacts({ answer }: { readonly answer: Answer }) {
  return (
    <Card title="About this address">
      <Facts facts={factsOf(answer)} />
    </Card>
  );
}

function factsOf(answer: Answer): (readonly [string, ReactNode])[] {
  const { details, email, email_type: kind } = answer;
  const isSpelledDifferently = details.normalised_email !== '' && details.normalised_email !== email;
  const facts: (readonly [string, ReactNode] | false | undefined)[] = [
    isSpelledDifferently && ['Normalized', details.normalised_email],
    kind && ['Type', kinds[kind]],
    ['Belongs to', details.role ? 'A role, such as info@ or sales@' : 'A person'],
    details.disposable && kind !== 'disposable' && ['Disposable', 'Suspected'],
    details.relay && ['Alias', 'The domain forwards mail to another mailbox'],
    ['Provider', providerOf(answer)],
    details.mx_host ? ['Mail server', <code key="host">{details.mx_host}</code>] : undefined,
    ['Checked', askedWords(details.age_seconds, details.time_ms)],
  ];
  return facts.filter(fact => fact !== undefined && fact !== false);
}

function providerOf({ details, ...answer }: Answer): string {
  const provider = answer.mx_provider ? providerName(answer.mx_provider) : 'Unknown';
  const gateway = answer.mx_secure_email_gateway ? `${provider}, a filtering gateway` : provider;
  return details.mailbox_provider
    ? `${gateway}; mailboxes probably hosted by ${providerName(details.mailbox_provider.id)}`
    : gateway;
}

type Session = Schema['SmtpSession'];

interface TranscriptProps {
  readonly sessions: readonly Session[];
  readonly ageSeconds: number;
}

/** The SMTP dialogs with the mail servers, verbatim. */
function Transcript({ sessions, ageSeconds }: TranscriptProps) {
  if (sessions.length === 0) {
    return (
      <Card title="What the mail servers replied">
        <p className={styles.soft}>
          {ageSeconds > 0
            ? 'The result came from the cache, so no mail server was queried. Transcripts are not stored.'
            : 'The result needed no query to a mail server.'}
        </p>
      </Card>
    );
  }
  const answered = Math.max(0, sessions.findIndex(answersRecipient));
  return (
    <Card title="What the mail servers replied">
      {sessions.map((session, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the order of an answer's sessions never changes.
        <Conversation key={at} session={session} isOpen={at === answered} />
      ))}
    </Card>
  );
}

/**
 * Whether a session has an answer about the recipient. A server can fail before it answers; the next session then has
 * the answer.
 */
function answersRecipient({ exchanges }: Session): boolean {
  return exchanges.some(
    ({ command, reply }) => command.startsWith('RCPT TO:') && !replyWords(reply).isMissing,
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
        <p className={styles.soft}>Made-up addresses were tested {agoWords(comparedAgo)}.</p>
      )}
      <ol className={styles.lines}>
        {exchanges.map((exchange, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the order of the exchanges never changes.
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
          <span className={styles.who}>Mailproof</span>
          <code>{command}</code>
        </div>
      )}
      <div className={classes(styles.line, styles.theirs)}>
        <span className={styles.who}>Server</span>
        {isMissing ? <em>{text}</em> : <code>{text}</code>}
      </div>
    </li>
  );
}
