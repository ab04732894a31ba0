import type { ReactNode } from 'react';
import { Failure, Loading } from './states.tsx';

interface AnsweredProps<Answer> {
  readonly question: {
    readonly data: Answer | undefined;
    readonly isError: boolean;
    readonly error: unknown;
    readonly refetch: () => unknown;
  };
  /** What is being fetched, for screen readers, and how many lines it will take. */
  readonly loading?: string;
  readonly lines?: number;
  readonly children: (answer: Answer) => ReactNode;
}

/** What a question was answered with. An answer stays where a later one fails to come; why stands below it. */
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
