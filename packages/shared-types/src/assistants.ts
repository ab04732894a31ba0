import { prices } from './prices.ts';

/** The OAuth scopes that an assistant can be granted (RFC 6749 section 3.3), each with its text on the consent page. */
export const oauthScopes = {
  'account.read': 'See your account’s remaining credits and rate limit.',
  'validation.run': 'Validate email addresses. Each validated address costs credits from your account.',
  'lists.run': `Validate lists of email addresses, and read the results of the account’s lists. Each validated address costs ${inCredits(prices.validation)}.`,
  'profiles.enrich': `Look up what is known about a person or an organization from a profile’s URL. Each profile found costs ${inCredits(prices.profileEnrichment)}.`,
  'leads.search': `Search for people and companies and see the first results. Searches use up the free previews of your account; after that, each costs ${inCredits(prices.peoplePreview)}.`,
} as const satisfies Readonly<Record<string, string>>;

export type OauthScope = keyof typeof oauthScopes;

export const oauthScopeNames = Object.keys(oauthScopes) as readonly OauthScope[];

/**
 * The scopes of an assistant that requests none, and those that a client without a token is told to request. A client
 * asks for the others when it calls a tool that needs them (ADR 0079).
 */
export const defaultOauthScopes = ['account.read', 'validation.run'] as const satisfies readonly OauthScope[];

/** The reasons why a user's assistants cannot work for the account, each with a sentence that says what to do. */
export const assistantRefusals = {
  user_gone: 'The user who connected this assistant is no longer a member of the account. Connect it again.',
  no_active_plan:
    'The account has no active plan with API access. Choose a plan or pay the outstanding invoice in the Mailproof application, then try again.',
  no_ready_api_key:
    'The account has no active API key. An owner can regenerate it in the Mailproof application, under Account, API key; then try again.',
} as const satisfies Readonly<Record<string, string>>;

export type AssistantRefusal = keyof typeof assistantRefusals;

export const assistantRefusalKinds = Object.keys(assistantRefusals) as [
  AssistantRefusal,
  ...AssistantRefusal[],
];

function inCredits(price: number): string {
  return price === 1 ? '1 credit' : `${price} credits`;
}
