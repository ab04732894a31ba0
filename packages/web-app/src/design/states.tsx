import { CircleAlert, CircleCheck, Info, TriangleAlert } from 'lucide-react';
import type { ReactNode } from 'react';
import { asProblem } from '../api/problem.ts';
import { Button } from './button.tsx';
import styles from './states.module.css';

interface EmptyProps {
  readonly title: string;
  readonly children?: ReactNode;
  /** What would fill it. */
  readonly action?: ReactNode;
}

/** In place of a list that has nothing in it: says what would be there, and how it comes to be. */
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
  /** Whether it comes up after something was done, and has to be said at once. */
  readonly alert?: boolean;
}

/** Something to know about what stands around it. */
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

/** Why something failed, in the words of the API, and a way to try again where there is one. */
export function Failure({ error, onRetry }: { readonly error: unknown; readonly onRetry?: () => void }) {
  const problem = asProblem(error);
  return (
    <Notice tone="bad" title={problem.title} alert>
      {problem.detail && <span>{problem.detail}</span>}
      {problem.faults.length > 0 && (
        <ul>
          {problem.faults.map(({ pointer, detail }) => (
            <li key={pointer}>
              {pointer && <code>{pointer}</code>} {detail}
            </li>
          ))}
        </ul>
      )}
      {problem.requestId && <span className={styles.small}>Request {problem.requestId}</span>}
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </Notice>
  );
}

/** In place of what is still being fetched. */
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
        // biome-ignore lint/suspicious/noArrayIndexKey: the lines are all alike and never move.
        <span key={line} aria-hidden />
      ))}
    </div>
  );
}
