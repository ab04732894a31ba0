import { LoaderCircle } from 'lucide-react';
import { Badge, ResultBadge } from '../../design/badge.tsx';
import { Card } from '../../design/layout.tsx';
import type { AddressCheck } from './address-checks.ts';
import styles from './check.module.css';

interface RecentChecksProps {
  readonly checks: readonly AddressCheck[];
  /** The id of the one that is seen. */
  readonly shown: string | undefined;
  readonly onChoose: (id: string) => void;
}

/** What was checked in this visit. */
export function RecentChecks({ checks, shown, onChoose }: RecentChecksProps) {
  return (
    <Card title="Recent checks" className={styles.recent}>
      {checks.length === 0 ? (
        <p className={styles.small}>
          Addresses that you check stand here until you leave or reload the page; they are not kept.
        </p>
      ) : (
        <ul>
          {checks.map(check => (
            <li key={check.id}>
              <button type="button" aria-current={check.id === shown} onClick={() => onChoose(check.id)}>
                <span className={styles.recentAddress}>{check.email}</span>
                <State check={check} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </Card>
  );
}

function State({ check: { state, answer } }: { readonly check: AddressCheck }) {
  if (answer) return <ResultBadge result={answer.result} />;
  if (state === 'running') {
    return (
      <Badge>
        <LoaderCircle size={13} className={styles.turning} aria-hidden /> Under way
      </Badge>
    );
  }
  return (
    <Badge tone={state === 'failed' ? 'caution' : 'neutral'}>
      {state === 'failed' ? 'No answer' : 'Stopped'}
    </Badge>
  );
}
