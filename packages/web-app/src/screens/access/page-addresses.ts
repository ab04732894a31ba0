/** The purposes of emailed links. */
export const linkPurposes = ['sign_up', 'password_reset', 'email_change', 'opt_out', 'invitation'] as const;

export type LinkPurpose = (typeof linkPurposes)[number];

export interface MailedLink {
  readonly token: string;
  readonly purpose: LinkPurpose;
}

/** Parses the fragment of an emailed link, without its `#`; returns undefined if it is incomplete. */
export function readMailedLink(fragment: string): MailedLink | undefined {
  const given = new URLSearchParams(fragment);
  const token = given.get('token');
  const purpose = linkPurposes.find(each => each === given.get('for'));
  return token && purpose ? { token, purpose } : undefined;
}

/** The token in the link of a mail that stops further mails of its kind, from its fragment without the `#`. */
export function readStopToken(fragment: string): string | undefined {
  return new URLSearchParams(fragment).get('token') ?? undefined;
}

/** The reasons for showing the sign-in to a user who did not ask for it. */
export const signInReasons = ['ended', 'signed_out_elsewhere', 'password_set', 'deleted'] as const;

export type SignInReason = (typeof signInReasons)[number];
