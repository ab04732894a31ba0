/**
 * What an assistant may be allowed, as OAuth scopes (RFC 6749 section 3.3), each in the words in which a person is asked
 * for it.
 */
export const oauthScopes = {
  'account.read': 'See how many credits your account has left and how fast it may ask.',
  'validation.run': 'Validate email addresses. Each validated address costs credits of your account.',
} as const satisfies Readonly<Record<string, string>>;

export type OauthScope = keyof typeof oauthScopes;

export const oauthScopeNames = Object.keys(oauthScopes) as readonly OauthScope[];

/** Why a user's assistants cannot work for the account at present, each with a sentence that says what to do. */
export const assistantRefusals = {
  user_gone: 'The user who connected this assistant is no longer a member of the account. Connect it again.',
  no_active_plan:
    'The account has no active plan with API access. Choose a plan, or pay what is outstanding, in the Mailproof application, then try again.',
  no_ready_api_key:
    'The account has no active API key. An owner can regenerate it in the account’s profile; then try again.',
} as const satisfies Readonly<Record<string, string>>;

export type AssistantRefusal = keyof typeof assistantRefusals;

export const assistantRefusalKinds = Object.keys(assistantRefusals) as [
  AssistantRefusal,
  ...AssistantRefusal[],
];
