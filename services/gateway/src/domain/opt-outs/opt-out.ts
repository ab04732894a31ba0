import { type AccessPorts, mayMail, orNotValid, requireMail } from '../users/account-access.ts';
import { type OneTimeLinkId, verifyLink } from '../users/one-time-link.ts';

/** Links that confirm an opt-out. */
export interface OptOutLinks {
  /** Makes a link and queues its mail, with which the address goes away. */
  ask(request: { email: string; profileUrl: string; now: Date }): Promise<void>;
  /** The profile that an open link is about. */
  find(linkId: OneTimeLinkId, now: Date): Promise<{ profileUrl: string } | undefined>;
  /** The link has done its work, and is gone with all that it says. */
  drop(linkId: OneTimeLinkId): Promise<void>;
}

/** Who keeps profiles. */
export interface ProfileKeeper {
  /** Refuses what is no profile of a person, with its problem; answers the URL in its canonical spelling. */
  recognise(profileUrl: string, signal: AbortSignal): Promise<string>;
  /** When this has answered, the person is deleted and kept out. The second time it changes nothing more. */
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
 * Asks to leave a person out. Nobody is looked up, so the answer cannot tell who is known.
 *
 * @throws UserFault `mail_not_configured`
 */
export async function askOptOut(
  ports: OptOutPorts,
  { profileUrl, email }: { readonly profileUrl: string; readonly email: string },
  { requestId, signal }: { readonly requestId: string; readonly signal: AbortSignal },
): Promise<void> {
  requireMail(ports);
  const canonical = await ports.profiles.recognise(profileUrl, signal);
  if (await mayMail(ports, email, requestId)) {
    await ports.links.ask({ email, profileUrl: canonical, now: ports.now() });
  }
}

/**
 * Leaves a person out. The link goes away after the work is done, so that whoever gets no answer can follow it again.
 *
 * @throws UserFault `link_not_valid`
 */
export async function confirmOptOut(ports: OptOutPorts, token: string, signal: AbortSignal): Promise<void> {
  const linkId = orNotValid(verifyLink(ports.linkKey, 'opt_out', token));
  const { profileUrl } = orNotValid(await ports.links.find(linkId, ports.now()));
  await ports.profiles.suppress(profileUrl, signal);
  await ports.links.drop(linkId);
}
