import { z } from 'zod';
import type { SalesforceSession } from './salesforce-session.ts';

const answerForm = z.object({
  totalSize: z.int().nonnegative(),
  done: z.boolean(),
  records: z.array(z.looseObject({ Id: z.string().optional() })),
});

export type QueryAnswer = z.output<typeof answerForm>;

/** Asks a query; what does not come in one answer is not fetched. */
export function runQuery(
  session: SalesforceSession,
  soql: string,
  signal: AbortSignal,
): Promise<QueryAnswer> {
  return session.call(signal, async connection => answerForm.parse(await connection.query(soql)));
}
