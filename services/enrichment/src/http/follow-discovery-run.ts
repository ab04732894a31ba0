import { type Guard, Problem, type Route, route } from '@mailproof/service-kit';
import { type AccountId, type DiscoveryRunId, followDiscoveryRun, forwarded } from '@mailproof/shared-types';
import type { RunNews } from '../domain/discovery/follow-run.ts';
import { runAnswer } from './run-answer.ts';

const operation = forwarded(followDiscoveryRun);

/** Opens the news of a run; undefined where the account has no such run, `tooMany` where it follows enough. */
export type OpenRunNews = (
  accountId: AccountId,
  runId: DiscoveryRunId,
  seenVersion: number,
  signal: AbortSignal,
) => Promise<AsyncIterable<RunNews> | 'tooMany' | undefined>;

export function followDiscoveryRunRoute(guard: Guard<unknown>, open: OpenRunNews): Route {
  return route(operation, guard, async ({ params: { accountId, run_id: runId } }, context) => {
    const seenVersion = readVersion(context.header('last-event-id'));
    const news = await open(accountId, runId, seenVersion, context.signal);
    if (news === undefined) {
      throw new Problem('run_not_found');
    }
    if (news === 'tooMany') {
      throw new Problem('too_many_followers', { headers: { 'retry-after': '5' } });
    }
    return asEvents(news);
  });
}

/** What no event of ours has had for its id is as good as none. */
function readVersion(lastEventId: string | undefined): number {
  return /^\d{1,9}$/.test(lastEventId ?? '') ? Number(lastEventId) : 0;
}

/** As the HTML standard has server-sent events (section 9.2.5): a line that begins with a colon means nothing. */
async function* asEvents(news: AsyncIterable<RunNews>): AsyncGenerator<string> {
  for await (const each of news) {
    yield each.kind === 'silence'
      ? ': still there\n\n'
      : `id: ${each.run.version}\nevent: run\ndata: ${JSON.stringify(runAnswer(each.run))}\n\n`;
  }
}
