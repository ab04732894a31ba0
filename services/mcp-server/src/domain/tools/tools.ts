import { svcEnrichProfile } from './svc-enrich-profile.ts';
import { svcFindSimilarCompanies } from './svc-find-similar-companies.ts';
import { svcGetAccountStatus } from './svc-get-account-status.ts';
import { svcGetListResults } from './svc-get-list-results.ts';
import { svcGetListValidation } from './svc-get-list-validation.ts';
import { svcPrepareListValidation } from './svc-prepare-list-validation.ts';
import { svcGetMoreCompanies, svcSearchCompanies } from './svc-search-companies.ts';
import { svcGetMorePeople, svcSearchPeople } from './svc-search-people.ts';
import { svcStartListValidation } from './svc-start-list-validation.ts';
import { svcValidateEmail } from './svc-validate-email.ts';
import type { Tool } from './tool.ts';

/** The tools, in the order in which they are listed. */
export const allTools: readonly Tool[] = [
  svcValidateEmail,
  svcGetAccountStatus,
  svcPrepareListValidation,
  svcStartListValidation,
  svcGetListValidation,
  svcGetListResults,
  svcEnrichProfile,
  svcSearchPeople,
  svcGetMorePeople,
  svcSearchCompanies,
  svcGetMoreCompanies,
  svcFindSimilarCompanies,
];
