import type { EmailAddress, Verdict } from '@mailproof/shared-types';
import type { Withheld } from '../standing/clearance.ts';
import { describeVerdict } from './describe.ts';
import { type DomainLists, emailTypeOf, isDisposable, isRelay } from './email-type.ts';

/** The verdict on an address that nobody was asked about. */
export function withheldVerdict(
  { domainLists, roles }: { readonly domainLists: DomainLists; readonly roles: ReadonlySet<string> },
  email: EmailAddress,
  { decision, explanation }: Withheld,
): Verdict {
  const emailType = email.domain.kind === 'name' ? emailTypeOf(email.domain.ascii, domainLists) : undefined;
  return {
    ...decision,
    ...(emailType !== undefined && { emailType }),
    details: describeVerdict({
      email,
      decision,
      explanation,
      evidence: { attempts: [] },
      mxHost: undefined,
      mxKind: undefined,
      mailboxProvider: undefined,
      isDisposable: email.domain.kind === 'name' && isDisposable(email.domain.ascii, domainLists),
      isRelay: email.domain.kind === 'name' && isRelay(email.domain.ascii),
      roles,
      elapsedMs: 0,
    }),
    elapsedMs: 0,
  };
}
