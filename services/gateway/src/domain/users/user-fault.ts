/** Why a user's request is refused. */
export type UserFaultCode =
  | 'assistant_not_found'
  | 'email_taken'
  | 'invitation_not_found'
  | 'last_owner'
  | 'link_not_valid'
  | 'mail_not_configured'
  | 'member_not_found'
  | 'members_exhausted'
  | 'session_not_found'
  | 'signing_in_locked'
  | 'too_many_requests'
  | 'wrong_credentials'
  | 'wrong_password';

/** A user's request is refused; the code says why. */
export class UserFault extends Error {
  override readonly name = 'UserFault';
  readonly code: UserFaultCode;
  /** When a retry makes sense, in milliseconds from now. */
  readonly retryInMs: number | undefined;

  constructor(code: UserFaultCode, retryInMs?: number) {
    super(code);
    this.code = code;
    this.retryInMs = retryInMs;
  }
}
