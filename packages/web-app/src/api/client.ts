import { QueryClient } from '@tanstack/react-query';
import createFetchClient, { type Middleware } from 'openapi-fetch';
import createQueryClient from 'openapi-react-query';
import { fetchWithin } from './fetch-within.ts';
import type { components, paths } from './generated/schema.d.ts';
import { asProblem, type ProblemError, problemOf } from './problem.ts';
import { noteRefusal } from './session-end.ts';
import { accountHeaders } from './shown-user.ts';

/** Shapes of the API, generated from its OpenAPI document. */
export type Schema = components['schemas'];

/** Longer than any operation takes; files are sent and read elsewhere. */
const answerMsMax = 60_000;
const attemptsMax = 3;
const retryWaitMsMax = 10_000;

const naming: Middleware = {
  onRequest({ request }) {
    for (const [name, value] of Object.entries(accountHeaders())) request.headers.set(name, value);
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

/** Requests to the API; each either has its answer or throws a `ProblemError`. */
export const api = createFetchClient<paths>({
  baseUrl: '/app/v1',
  credentials: 'same-origin',
  fetch: fetchWithin(answerMsMax),
});
api.use(naming, refusing);

/** The same requests for components: `useQuery`, `useMutation`, `queryOptions`. */
export const $api = createQueryClient(api);

/** Questions are asked again where waiting may help; what changes something never is. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 10_000,
      retry: (failures, error) => failures < attemptsMax - 1 && mayPass(asProblem(error)),
      retryDelay: (failures, error) =>
        Math.min(asProblem(error).retryAfterMs ?? 500 * 2 ** failures, retryWaitMsMax),
    },
    mutations: { retry: false },
  },
});

function mayPass({ status }: ProblemError): boolean {
  return status === undefined || status === 429 || status >= 500;
}
