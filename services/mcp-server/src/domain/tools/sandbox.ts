import {
  isAtSandbox,
  isSandboxHost,
  type Operation,
  type PeopleFilters,
  parseEmailAddress,
} from '@mailproof/shared-types';
import type { AskAsAccount, AskedRequest, RestAnswer } from './tool.ts';
import { ToolFailure } from './tool-failure.ts';

/** Whether a list is for the sandbox, which refuses lists that also have other addresses (ADR 0073). */
export function isListForSandbox(addresses: readonly string[]): boolean {
  return addresses.some(address => {
    const parsed = parseEmailAddress(address);
    return parsed.ok && isAtSandbox(parsed.value);
  });
}

export type CompanyDomains = Pick<PeopleFilters, 'company_domains' | 'excluded_company_domains'>;

/** Whether a search is for the sandbox: it names a company there. */
export function isSearchForSandbox(filters: CompanyDomains): boolean {
  return domainsOf(filters).some(isSandboxHost);
}

/** Whether a search names companies of the sandbox and others, and could be meant for either. */
export function isSearchMixed(filters: CompanyDomains): boolean {
  return isSearchForSandbox(filters) && !domainsOf(filters).every(isSandboxHost);
}

function domainsOf({ company_domains = [], excluded_company_domains = [] }: CompanyDomains): string[] {
  return [...company_domains, ...excluded_company_domains];
}

/** Asks about a list or a search of the account, or of its sandbox: an id does not tell which. */
export async function askInEither(
  ask: AskAsAccount,
  operation: Operation,
  request: AskedRequest,
): Promise<RestAnswer> {
  try {
    return await ask(operation, request);
  } catch (error) {
    if (!isOfOtherAccount(error)) {
      throw error;
    }
    return await ask(operation, { ...request, inSandbox: true }).catch(second => {
      throw isOfOtherAccount(second) ? error : second;
    });
  }
}

/** A cursor is refused before the id is looked up. */
const refusals: ReadonlySet<unknown> = new Set(['job_not_found', 'search_not_found', 'invalid_cursor']);

function isOfOtherAccount(error: unknown): boolean {
  return error instanceof ToolFailure && refusals.has(error.code);
}
