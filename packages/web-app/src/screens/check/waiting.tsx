import { LoaderCircle } from 'lucide-react';
import { useEffect, useState } from 'react';
import { Button } from '../../design/button.tsx';
import { Card } from '../../design/layout.tsx';
import type { AddressCheck } from './address-checks.ts';
import styles from './check.module.css';
import { domainOf, waitingWords } from './words.ts';

const tickMs = 500;

interface WaitingProps {
  readonly check: AddressCheck;
  readonly onGiveUp: () => void;
}

/** What is going on, said anew as it takes longer. */
export function Waiting({ check, onGiveUp }: WaitingProps) {
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
