import { Problem } from '@mailproof/service-kit';
import { LookalikeFault, type LookalikeFaultCode } from '../domain/lookalike/lookalike-ranking.ts';
import { SeedsFault } from '../domain/lookalike-search/look.ts';
import { QuestionFault } from '../domain/lookalike-search/question.ts';
import { siteDomainOf } from '../domain/lookalike-search/site-domain.ts';
import { UnknownFilterValues } from '../domain/people-search/people-index.ts';
import { unknownFilterValues } from './search-problem.ts';

const retryAfterSeconds: Readonly<Record<LookalikeFaultCode, number>> = {
  not_ready: 15,
  no_usable_seed: 15,
  busy: 2,
  no_answer: 5,
};

/** Answers a question about lookalikes, with the problems of the contract where it cannot be answered. */
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

/** Each seed by where the request names it first. */
function unknownSeeds({ seeds }: SeedsFault, seedTexts: readonly string[]): Problem {
  const domains = seedTexts.map(siteDomainOf);
  const errors = seeds.map(({ domain, use }) => ({
    pointer: `/seed_domains/${domains.indexOf(domain)}`,
    detail:
      use === 'not_found'
        ? `The store does not hold ${domain}.`
        : `The store knows too few words about ${domain} to compare it.`,
  }));
  return new Problem('seed_not_found', {
    detail: errors.map(({ detail }) => detail).join(' '),
    extra: { errors },
  });
}
