import { QueryClient } from '@tanstack/react-query';
import createFetchClient, { type Middleware } from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';
import { accountHeaders, noteRefusal } from './browser-session.ts';
import type { components, paths } from './generated/schema.d.ts';
import { asProblem, type ProblemError, problemOf } from './problem.ts';

/** The types of the API, generated from its OpenAPI document. */
export type Schema = components['schemas'];

/** Longer than any operation takes; uploads and downloads use other code. */
const answerMsMax = 60_000;
const attemptsMax = 3;
const retryWaitMsMax = 10_000;

const naming: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(accountHeaders())) {
      // A request can name the account's sandbox.
      if (!request.headers.has(name)) request.headers.set(name, value);
    }
    return request;
  },
};

const refusing: Middleware = {
  async onResponse({ response }) {
    if (response.ok) return;
    const problem = await problemOf(response);
    noteRefusal(problem);
    throw problem;
  },
};

/** The client of the API; each request returns its answer or throws a `ProblemError`. */
export const api = createFetchClient<paths>({
  baseUrl: '/app/v1',
  credentials: 'same-origin',
  fetch: fetchWithin(answerMsMax),
});
api.use(naming, refusing);

/** The same client for components: `useQuery`, `useMutation`, `queryOptions`. */
export const $api = createQueryClient(api);

/** Queries are retried if waiting may help; mutations are never retried. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      // Without a connection, a request fails at once and the screen says why. By default it would wait, and the screen
      // with it.
      networkMode: 'always',
      refetchOnReconnect: true,
      retry: (failures, error) => failures < attemptsMax - 1 && mayPass(asProblem(error)),
      retryDelay: (failures, error) =>
        Math.min(asProblem(error).retryAfterMs ?? 500 * 2 ** failures, retryWaitMsMax),
    },
    mutations: { retry: false, networkMode: 'always' },
  },
});

export function mayPass({ status }: ProblemError): boolean {
  return status === undefined || status === 429 || status >= 500;
}

/** Returns a `fetch` that fails with a `TimeoutError` if the whole answer has not arrived within `answerMsMax`. */
export function fetchWithin(answerMsMax: number): (request: Request) => Promise<Response> {
  return request =>
    fetch(request, { signal: AbortSignal.any([request.signal, AbortSignal.timeout(answerMsMax)]) });
}
