/** What links in mails are for. */
export const linkPurposes = ['sign_up', 'password_reset', 'email_change', 'opt_out', 'invitation'] as const;

export type LinkPurpose = (typeof linkPurposes)[number];

export interface MailedLink {
  readonly token: string;
  readonly purpose: LinkPurpose;
}

/** Reads the fragment of a link that was mailed, without its `#`; nothing where it is not complete. */
export function readMailedLink(fragment: string): MailedLink | undefined {
  const given = new URLSearchParams(fragment);
  const token = given.get('token');
  const purpose = linkPurposes.find(each => each === given.get('for'));
  return token && purpose ? { token, purpose } : undefined;
}
