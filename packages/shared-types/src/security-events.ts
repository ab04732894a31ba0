/** What can happen to the security of an account, as its owners read it. A kind keeps its name. */
export const securityEventKinds = [
  'account_created',
  'sign_in',
  'sign_in_failed',
  'signing_in_locked',
  'sign_out',
  'session_ended',
  'signed_out_everywhere',
  'password_changed',
  'password_reset_asked',
  'email_change_asked',
  'email_changed',
  'member_invited',
  'invitation_withdrawn',
  'member_added',
  'member_removed',
  'member_role_changed',
  'api_key_generated',
  'api_key_regenerated',
  'api_key_revoked',
  'api_key_shown',
  'plan_changed',
  'account_exported',
] as const;

export type SecurityEventKind = (typeof securityEventKinds)[number];
