import { prices } from '@mailproof/shared-types';
import { Link } from '@tanstack/react-router';
import { CircleCheck, KeyRound, ListChecks, MailSearch, X } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { keptInBrowser } from '../../api/browser-session.ts';
import { $api } from '../../api/client.ts';
import { IconButton, LinkButton } from '../../design/button.tsx';
import { formatCredits } from '../../design/format.ts';
import { Card, Row } from '../../design/layout.tsx';
import { useSession } from '../../shell/session.ts';
import { isActive } from '../work-states.ts';
import styles from './home.module.css';
import { stepsDone } from './steps-done.ts';

/** The way to the first validated list, until there is one or the user hides it. */
export function FirstSteps() {
  const [isHidden, setHidden] = useState(() => localStorage.getItem(keptInBrowser.firstStepsHidden) !== null);
  const succeeded = $api.useQuery('get', '/validation-jobs', {
    params: { query: { state: 'succeeded', limit: 1 } },
  });
  if (isHidden || succeeded.data?.jobs.length !== 0) return null;
  function hide() {
    localStorage.setItem(keptInBrowser.firstStepsHidden, 'true');
    setHidden(true);
  }
  return <Steps onHide={hide} />;
}

function Steps({ onHide }: { readonly onHide: () => void }) {
  const { role } = useSession();
  const jobs = $api.useQuery('get', '/validation-jobs', { params: { query: { limit: 1 } } });
  const receipts = $api.useQuery('get', '/receipts', { params: { query: { limit: 100 } } });
  const plan = $api.useQuery('get', '/plan');
  const done = stepsDone(receipts.data?.receipts ?? []);
  const job = jobs.data?.jobs[0];
  const hasKey = role === 'owner' && plan.data?.plan.api_access !== false;
  return (
    <Card
      title="First steps"
      actions={
        <IconButton name="Hide the first steps" onClick={onHide}>
          <X size={18} aria-hidden />
        </IconButton>
      }
    >
      <ol className={styles.steps}>
        <Step icon={MailSearch} title="Check one address" isDone={done.check}>
          <p>
            Will mail to it arrive? Get a clear answer with the reason in seconds.{' '}
            {formatCredits(prices.validation)}, free if the result is unknown.
          </p>
          <LinkButton to="/check">Check one address</LinkButton>
        </Step>
        <Step icon={ListChecks} title="Validate a list" isDone={false}>
          {job ? (
            <p>
              {isActive(job) ? 'Your list is being validated: ' : 'Your list is uploaded: '}
              <Link to="/validations/$jobId" params={{ jobId: job.job_id }}>
                {job.name}
              </Link>
            </p>
          ) : (
            <p>
              A CSV or Excel file, or pasted addresses. You see the maximum price before you pay anything.
            </p>
          )}
          <Row>
            <LinkButton to="/validations/new">Validate a list</LinkButton>
            <LinkButton to="/validations/new" search={{ sample: true }} look="quiet">
              Try a sample list
            </LinkButton>
          </Row>
        </Step>
        {hasKey && (
          <Step icon={KeyRound} title="Use the API" isDone={done.api}>
            <p>Validate from your own programs: get the account’s key and send your first request.</p>
            <LinkButton to="/account/api-key">Get the API key</LinkButton>
          </Step>
        )}
      </ol>
    </Card>
  );
}

interface StepProps {
  readonly icon: typeof MailSearch;
  readonly title: string;
  readonly isDone: boolean;
  readonly children: ReactNode;
}

function Step({ icon: Icon, title, isDone, children }: StepProps) {
  return (
    <li>
      {isDone ? <CircleCheck size={26} aria-hidden /> : <Icon size={26} aria-hidden />}
      <h3>
        {title}
        {isDone && <span className={styles.done}> · Done</span>}
      </h3>
      {children}
    </li>
  );
}
