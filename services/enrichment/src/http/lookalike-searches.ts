import {
  type Handlers,
  Problem,
  readCursor,
  readRequestKey,
  simulatedProblem,
  writeCursor,
} from '@mailproof/service-kit';
import { beginLookalikeSearch, discoverySearchId, prices } from '@mailproof/shared-types';
import { z } from 'zod';
import { LookalikeFault, type LookalikeFaultCode } from '../domain/lookalike/lookalike-ranking.ts';
import { SeedsFault } from '../domain/lookalike-search/look.ts';
import { QuestionFault, siteDomainOf } from '../domain/lookalike-search/question.ts';
import {
  beginSearch,
  changeSearch,
  getSearch,
  KeyReused,
  listCompanies,
  listSearches,
  renameSearch,
  type SearchPorts,
} from '../domain/lookalike-search/search-operations.ts';
import { UnknownFilterValues } from '../domain/people-search/people-index.ts';
import { SimulatedError } from '../domain/sandbox/simulated-errors.ts';
import { unknownFilterValues } from './search-problem.ts';

/** Handlers of searches for companies like those that a customer names. */
export function lookalikeSearchHandlers(ports: SearchPorts) {
  return {
    beginLookalikeSearch({ params: { accountId, callerId: creatorId }, body }, context) {
      const key = readRequestKey(beginLookalikeSearch, accountId, body, context);
      const { name, ...asked } = body;
      return answeringProblems(body.seed_domains, () =>
        beginSearch(ports, { accountId, creatorId, name, key }, asked),
      );
    },

    async listLookalikeSearches({ params, query: { cursor, limit } }) {
      const after = cursor === undefined ? undefined : readCursor(searchPosition, cursor);
      const { rows, next } = await listSearches(ports, params.accountId, after, limit);
      return {
        searches: [...rows],
        ...(next && { next_cursor: writeCursor([next.createdAt, next.searchId]) }),
      };
    },

    async getLookalikeSearch({ params }) {
      const view = await getSearch(ports, { accountId: params.accountId, searchId: params.search_id });
      if (!view) {
        throw new Problem('search_not_found');
      }
      return view;
    },

    async changeLookalikeSearch({ params, body }) {
      const search = { accountId: params.accountId, searchId: params.search_id };
      const outcome = await answeringProblems(body.seed_domains, () => changeSearch(ports, search, body));
      switch (outcome.kind) {
        case 'changed':
          return outcome.view;
        case 'notFound':
          throw new Problem('search_not_found');
        case 'locked':
          throw new Problem('search_locked');
      }
    },

    async renameLookalikeSearch({ params, body }) {
      const search = { accountId: params.accountId, searchId: params.search_id };
      const renamed = await renameSearch(ports, search, body.name);
      if (!renamed) {
        throw new Problem('search_not_found');
      }
      return renamed;
    },

    async deleteLookalikeSearch({ params }) {
      switch (await ports.searches.delete(params.accountId, params.search_id)) {
        case 'deleted':
          return { done: true as const };
        case 'notFound':
          throw new Problem('search_not_found');
        case 'runActive':
          throw new Problem('run_active');
      }
    },

    async listLookalikeCompanies({ params, query: { cursor, limit } }) {
      const search = { accountId: params.accountId, searchId: params.search_id };
      const after = cursor === undefined ? undefined : readCursor(companyPosition, cursor);
      const page = await answeringProblems([], () => listCompanies(ports, search, after, limit));
      if (!page) {
        throw new Problem('search_not_found');
      }
      const { rows, next } = page;
      return {
        companies: [...rows],
        ...(next && { next_cursor: writeCursor([next.rank, next.companyNo]) }),
      };
    },
  } satisfies Partial<Handlers<'enrichment'>>;
}

const searchPosition = z
  .tuple([z.iso.datetime(), discoverySearchId])
  .transform(([createdAt, searchId]) => ({ createdAt: new Date(createdAt), searchId }));

/** The range of Postgres's `integer`; the numbers of the sandbox's companies are below zero. */
const integer = z
  .int()
  .min(-(2 ** 31))
  .max(2 ** 31 - 1);

const companyPosition = z.tuple([integer, integer]).transform(([rank, companyNo]) => ({ rank, companyNo }));

const retryAfterSeconds: Readonly<Record<LookalikeFaultCode, number>> = {
  not_ready: 15,
  busy: 2,
  no_answer: 5,
};

/** Answers a question about lookalikes, and turns failures into the problems of the contract. */
export async function answeringProblems<Answer>(
  seedTexts: readonly string[],
  answer: () => Promise<Answer>,
): Promise<Answer> {
  try {
    return await answer();
  } catch (error) {
    throw problemOf(error, seedTexts) ?? error;
  }
}

function problemOf(error: unknown, seedTexts: readonly string[]): Problem | undefined {
  if (error instanceof QuestionFault) {
    return new Problem('invalid_request', {
      detail: error.issues.map(({ pointer, detail }) => `${pointer}: ${detail}`).join(' '),
      extra: { errors: [...error.issues] },
    });
  }
  if (error instanceof KeyReused) {
    return new Problem('idempotency_key_reused');
  }
  if (error instanceof SimulatedError) {
    return simulatedProblem(error.code, prices.lookalikeCompany);
  }
  if (error instanceof UnknownFilterValues) {
    return unknownFilterValues(error, '/filters');
  }
  if (error instanceof SeedsFault) {
    return unknownSeeds(error, seedTexts);
  }
  if (error instanceof LookalikeFault) {
    const headers = { 'retry-after': String(retryAfterSeconds[error.code]) };
    return new Problem('search_not_ready', { detail: error.message, headers, cause: error });
  }
  return undefined;
}

/** Locates each seed at its first occurrence in the request. */
function unknownSeeds({ named }: SeedsFault, seedTexts: readonly string[]): Problem {
  const domains = seedTexts.map(siteDomainOf);
  const errors = named.seeds.map(({ domain, detail }) => ({
    pointer: `/seed_domains/${domains.indexOf(domain)}`,
    detail: detail ?? '',
  }));
  if (named.seedTextFault !== null) {
    errors.push({ pointer: '/seed_text', detail: named.seedTextFault });
  }
  return new Problem('seed_not_found', {
    detail: errors.map(({ detail }) => detail).join(' '),
    extra: { errors },
  });
}
