import { svcEnrichProfile } from './svc-enrich-profile.ts';
import { svcGetAccountStatus } from './svc-get-account-status.ts';
import { svcGetListResults } from './svc-get-list-results.ts';
import { svcGetListValidation } from './svc-get-list-validation.ts';
import { svcGetMorePeople } from './svc-get-more-people.ts';
import { svcPrepareListValidation } from './svc-prepare-list-validation.ts';
import { svcSearchPeople } from './svc-search-people.ts';
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
];
