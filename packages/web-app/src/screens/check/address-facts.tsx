import type { ReactNode } from 'react';
import type { Schema } from '../../api/client.ts';
import { Card, Facts } from '../../design/layout.tsx';
import { askedWords, nameOf } from './words.ts';

type Answer = Schema['AddressCheck'];
type Kind = NonNullable<Answer['email_type']>;

const kinds: Readonly<Record<Kind, string>> = {
  business: 'Business',
  personal: 'Personal: the domain gives mailboxes to anybody',
  education: 'School or university',
  government: 'Government',
  disposable: 'Throw-away: the domain hands out mailboxes for minutes',
};

/** What is known besides. */
export function AddressFacts({ answer }: { readonly answer: Answer }) {
  return (
    <Card title="About the address">
      <Facts facts={factsOf(answer)} />
    </Card>
  );
}

function factsOf(answer: Answer): (readonly [string, ReactNode])[] {
  const { details, email, email_type: kind } = answer;
  const isSpeltOtherwise = details.normalised_email !== '' && details.normalised_email !== email;
  const facts: (readonly [string, ReactNode] | false | undefined)[] = [
    isSpeltOtherwise && ['Spelt', details.normalised_email],
    kind && ['Kind', kinds[kind]],
    [
      'Belongs to',
      details.role ? 'A function, such as info@ or sales@, and not a person' : 'A person, by its name',
    ],
    details.disposable && kind !== 'disposable' && ['Throw-away', 'Suspected'],
    details.relay && ['Alias', 'The domain passes mail on to a mailbox elsewhere'],
    ['Provider', providerOf(answer)],
    details.mx_host ? ['Mail server', <code key="host">{details.mx_host}</code>] : undefined,
    ['Asked', askedWords(details.age_seconds, details.time_ms)],
  ];
  return facts.filter(fact => fact !== undefined && fact !== false);
}

function providerOf({ details, ...answer }: Answer): string {
  const provider = answer.mx_provider ? nameOf(answer.mx_provider) : 'Nobody whom we know by name';
  const gateway = answer.mx_secure_email_gateway ? `${provider}, a filter ahead of the mailboxes` : provider;
  return details.mailbox_provider
    ? `${gateway}; the mailboxes are probably at ${nameOf(details.mailbox_provider.id)}`
    : gateway;
}
