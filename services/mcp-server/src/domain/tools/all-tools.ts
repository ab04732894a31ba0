import { svcGetAccountStatus } from './svc-get-account-status.ts';
import { svcValidateEmail } from './svc-validate-email.ts';
import type { Tool } from './tool.ts';

/** The tools, in the order in which they are listed. */
export const allTools: readonly Tool[] = [svcValidateEmail, svcGetAccountStatus];
