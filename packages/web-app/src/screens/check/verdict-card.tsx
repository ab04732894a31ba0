import { prices } from '@mailproof/shared-types';
import { Link } from '@tanstack/react-router';
import type { Schema } from '../../api/client.ts';
import { ResultBadge, resultLooks } from '../../design/badge.tsx';
import { Button } from '../../design/button.tsx';
import { formatCredits } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { Notice } from '../../design/states.tsx';
import { headlineOf } from '../../verdicts/headlines.ts';
import { wordsOf } from '../../verdicts/reasons.ts';
import { AddressFacts } from './address-facts.tsx';
import styles from './check.module.css';
import { EvidenceCard } from './evidence-card.tsx';
import { Transcript } from './transcript.tsx';

interface VerdictCardProps {
  readonly answer: Schema['AddressCheck'];
  readonly runId: string | undefined;
  readonly onAsk: (email: string) => void;
}

/** The answer in one sentence, why it is that, and what to do about it; then all that it rests on. */
export function VerdictCard({ answer, runId, onAsk }: VerdictCardProps) {
  const { result, email, details } = answer;
  const { why, next } = wordsOf(details.reason, details.explanation);
  const suggestion = details.did_you_mean;
  return (
    <>
      <Card>
        <div className={styles.verdict}>
          <ResultPicture result={result} />
          <div className={styles.words}>
            <Headline result={result} email={email} />
            <Row>
              <ResultBadge result={result} />
              <code className={styles.reason}>{details.reason}</code>
            </Row>
            <p>{why}</p>
            {next && <p className={styles.next}>{next}</p>}
            <p className={styles.small}>
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
            <Button className={styles.long} onClick={() => onAsk(suggestion)}>
              Check {suggestion}
            </Button>
            <span className={styles.small}>{formatCredits(prices.validation)} at most.</span>
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
    <span className={styles.picture} data-tone={tone}>
      <Icon size={34} aria-hidden />
    </span>
  );
}

function Headline({ result, email }: Pick<Schema['AddressCheck'], 'result' | 'email'>) {
  const [before, after] = headlineOf(result);
  return (
    <h2 className={styles.headline}>
      {before} <span className={styles.address}>{email}</span> {after}
    </h2>
  );
}
