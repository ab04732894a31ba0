import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import { Button } from './button.tsx';
import styles from './states.module.css';

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** The action that would add content. */
  readonly action?: ReactNode;
}

/** Shown in place of an empty list: what the list would contain, and how to create it. */
export function Empty({ title, children, action }: EmptyProps) {
  return (
    <div className={styles.empty}>
      <h2>{title}</h2>
      {children && <p>{children}</p>}
      {action}
    </div>
  );
}

const icons = { bad: CircleAlert, caution: TriangleAlert, good: CircleCheck, neutral: Info } as const;

interface NoticeProps {
  readonly tone: keyof typeof icons;
  readonly title?: string;
  readonly children?: ReactNode;
  /** Whether the notice appears after an action, so that screen readers read it immediately. */
  readonly alert?: boolean;
}

/** A notice about the content around it. */
export function Notice({ tone, title, children, alert }: NoticeProps) {
  const Icon = icons[tone];
  return (
    <div className={styles.notice} data-tone={tone} role={alert ? 'alert' : undefined}>
      <Icon size={20} aria-hidden />
      <div>
        {title && <strong>{title}</strong>}
        {children}
      </div>
    </div>
  );
}

/**
 * Shows why something failed, in the API's words, with a link to its documentation page, and a button if a retry may
 * help.
 */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const problem = asProblem(error);
  return (
    <Notice tone="bad" title={problem.title} alert>
      {problem.detail && problem.faults.length === 0 && <span>{problem.detail}</span>}
      {problem.faults.length > 0 && (
        <ul>
          {problem.faults.map(({ pointer, detail }) => (
            <li key={pointer}>
              {pointer && <code>{pointer}</code>} {detail}
            </li>
          ))}
        </ul>
      )}
      {problem.code && (
        <a href={`/docs/errors/${problem.code}`} target="_blank" rel="noreferrer">
          See what to do
        </a>
      )}
      {problem.requestId && <span className={styles.small}>Request {problem.requestId}</span>}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </Notice>
  );
}

/** A placeholder for content that is still loading. */
export function Loading({
  lines = 3,
  name = 'Loading',
}: {
  readonly lines?: number | undefined;
  readonly name?: string | undefined;
}) {
  return (
    <div className={styles.skeleton} role="status">
      <span className="visually-hidden">{name}</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are identical and never move.
        <span key={line} aria-hidden />
      ))}
    </div>
  );
}

interface AnsweredProps<Answer> {
  readonly question: {
    readonly data: Answer | undefined;
    readonly isError: boolean;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  /** The name of what is loading, for screen readers, and the number of placeholder lines. */
  readonly loading?: string;
  readonly lines?: number;
  readonly children: (answer: Answer) => ReactNode;
}

/** The data of a query. If a refetch fails, the earlier data stays, with the error below it. */
export function Answered<Answer>({ question, loading, lines, children }: AnsweredProps<Answer>) {
  const { data, isError, error, refetch } = question;
  return (
    <>
      {data !== undefined && children(data)}
      {data === undefined && !isError && <Loading name={loading} lines={lines} />}
      {isError && <Failure error={error} onRetry={refetch} />}
    </>
  );
}
