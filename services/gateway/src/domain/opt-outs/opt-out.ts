import { type AccessPorts, mayMail, orNotValid, requireMail } from '../users/account-access.ts';
import { type OneTimeLinkId, verifyLink } from '../users/one-time-link.ts';

/** Links that confirm an opt-out. */
export interface OptOutLinks {
  /** Creates a link and queues its mail; the address is deleted with the mail. */
  ask(request: { email: string; profileUrl: string; now: Date }): Promise<void>;
  /** The profile that an open link refers to. */
  find(linkId: OneTimeLinkId, now: Date): Promise<{ profileUrl: string } | undefined>;
  /** Deletes a link that has done its work, with all its data. */
  drop(linkId: OneTimeLinkId): Promise<void>;
}

/** The service that stores profiles. */
export interface ProfileKeeper {
  /** Returns the canonical form of the URL; refuses a URL that is not a person's profile, with its problem. */
  recognize(profileUrl: string, signal: AbortSignal): Promise<string>;
  /** Once this returns, the person is deleted and kept out. Safe to repeat. */
  suppress(profileUrl: string, signal: AbortSignal): Promise<void>;
}

export interface OptOutPorts
  extends Pick<
    AccessPorts,
    'canMail' | 'rateLimiter' | 'subjectKey' | 'mailsPerAddressMax' | 'linkKey' | 'now'
  > {
  readonly links: OptOutLinks;
  readonly profiles: ProfileKeeper;
}

/**
 * Requests an opt-out for a person. Looks no one up, so the answer cannot reveal who is known.
 *
 * @throws UserFault `mail_not_configured`
 */
export async function askOptOut(
  ports: OptOutPorts,
  { profileUrl, email }: { readonly profileUrl: string; readonly email: string },
  { requestId, signal }: { readonly requestId: string; readonly signal: AbortSignal },
): Promise<void> {
  requireMail(ports);
  const canonical = await ports.profiles.recognize(profileUrl, signal);
  if (await mayMail(ports, email, requestId)) {
    await ports.links.ask({ email, profileUrl: canonical, now: ports.now() });
  }
}

/**
 * Opts a person out. Deletes the link only afterward, so it can be followed again if the answer is lost.
 *
 * @throws UserFault `link_not_valid`
 */
export async function confirmOptOut(ports: OptOutPorts, token: string, signal: AbortSignal): Promise<void> {
  const linkId = orNotValid(verifyLink(ports.linkKey, 'opt_out', token));
  const { profileUrl } = orNotValid(await ports.links.find(linkId, ports.now()));
  await ports.profiles.suppress(profileUrl, signal);
  await ports.links.drop(linkId);
}
