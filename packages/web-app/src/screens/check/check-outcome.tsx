import { LoaderCircle } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { asProblem } from '../../api/problem.ts';
import { Button, LinkButton } from '../../design/button.tsx';
import { Card, Row } from '../../design/layout.tsx';
import { Failure, Notice } from '../../design/states.tsx';
import { type AddressCheck, askAgain, giveUp } from './address-checks.ts';
import styles from './check.module.css';
import { VerdictCard } from './verdict-card.tsx';
import { domainOf, waitingWords } from './words.ts';

interface CheckOutcomeProps {
  readonly check: AddressCheck;
  readonly onAsk: (email: string) => void;
}

/** The progress or the result of a check. */
export function CheckOutcome({ check, onAsk }: CheckOutcomeProps) {
  const outcome = useRef<HTMLElement>(null);
  /** The pressed button disappears, so the focus stays at what takes its place. */
  function withFocus(act: (check: AddressCheck) => void) {
    outcome.current?.focus({ preventScroll: true });
    act(check);
  }
  return (
    <section ref={outcome} className={styles.main} aria-label="Outcome" tabIndex={-1}>
      {check.state === 'running' && <Waiting check={check} onGiveUp={() => withFocus(giveUp)} />}
      {check.answer && <VerdictCard answer={check.answer} runId={check.runId} onAsk={onAsk} />}
      {check.state === 'cancelled' && (
        <Card>
          <Notice tone="neutral" title={`Check of ${check.email} stopped.`}>
            <span>Nothing was charged.</span>
            <Button onClick={() => withFocus(askAgain)}>Check again</Button>
          </Notice>
        </Card>
      )}
      {check.state === 'failed' && <FailedCheck check={check} onAgain={() => withFocus(askAgain)} />}
    </section>
  );
}

interface FailedCheckProps {
  readonly check: AddressCheck;
  readonly onAgain: () => void;
}

function FailedCheck({ check, onAgain }: FailedCheckProps) {
  const { code, detail } = asProblem(check.error);
  if (code === 'invalid_email_address') {
    return (
      <Card>
        <Notice tone="caution" title={`“${check.email}” is not an email address.`} alert>
          <span>{detail} Nothing was charged.</span>
        </Notice>
      </Card>
    );
  }
  if (code === 'credits_exhausted') {
    return (
      <Card>
        <Notice tone="caution" title="You are out of credits" alert>
          <span>A check costs 1 credit. Wait for the next billing cycle, or upgrade your plan.</span>
          <Row>
            <Button onClick={onAgain}>Try again</Button>
            <LinkButton to="/account">See plans</LinkButton>
          </Row>
        </Notice>
      </Card>
    );
  }
  return (
    <Card>
      <Failure error={check.error} onRetry={onAgain} />
    </Card>
  );
}

const tickMs = 500;

interface WaitingProps {
  readonly check: AddressCheck;
  readonly onGiveUp: () => void;
}

/** Shows what the check is doing; the text changes as the check takes longer. */
function Waiting({ check, onGiveUp }: WaitingProps) {
  const [nowMs, setNowMs] = useState(Date.now);
  useEffect(() => {
    const ticking = setInterval(() => setNowMs(Date.now()), tickMs);
    return () => clearInterval(ticking);
  }, []);
  const seconds = Math.max(0, Math.floor((nowMs - check.askedAtMs) / 1_000));
  return (
    <Card className={styles.waiting}>
      <LoaderCircle size={36} className={styles.turning} aria-hidden />
      <div>
        <h2>Checking {check.email}</h2>
        <p role="status">{waitingWords(seconds, domainOf(check.email))}</p>
        <p className={styles.seconds} aria-hidden>
          {seconds} s
        </p>
      </div>
      <Button onClick={onGiveUp}>Stop</Button>
    </Card>
  );
}
