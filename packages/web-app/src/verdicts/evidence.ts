import type { Schema } from '../api/client.ts';

export type Evidence = Schema['Evidence'];

const directory = (thing: string) => ({
  published: `There is ${thing} for this address, and none for a made-up one.`,
  not_published: `There is no ${thing.replace(/^an? /, '')} for this address, as for most.`,
  published_for_everybody: `There is ${thing} for made-up addresses too, so it says nothing.`,
  no_answer: 'There was no answer.',
});

const otherHost = {
  knows_recipient: 'It takes this address, and refuses made-up ones.',
  full: 'It says that this mailbox is full, so it exists.',
  rate_limited: 'It says that this mailbox gets too much mail right now, so it exists.',
  missing: 'It says that there is no such mailbox.',
  missing_at_backup: 'It does not know this mailbox; a backup server may have an old list.',
  disabled: 'It says that this mailbox was switched off.',
  accepts_everybody: 'It takes made-up addresses too.',
  no_answer: 'It did not say.',
};

interface SourceWords {
  readonly name: string;
  readonly findings: Readonly<Record<string, string>>;
}

/** Where evidence comes from and what is found there, in words. */
export const evidenceWords: Readonly<Record<string, SourceWords>> = {
  differential_reply: {
    name: 'How its mail server answers',
    findings: {
      code_differs: 'It answers this address in another way than made-up ones.',
      status_differs: 'It answers this address with another status than made-up ones.',
      text_differs: 'It answers this address in other words than made-up ones.',
      alike: 'It answers this address just like made-up ones.',
      no_answer: 'It did not say.',
    },
  },
  published_mx: { name: 'Another mail server of the domain', findings: otherHost },
  unpublished_tenant_host: { name: 'The mail server behind the gateway', findings: otherHost },
  openpgpkey: { name: 'Encryption key in DNS', findings: directory('a key') },
  smimea: { name: 'Certificate in DNS', findings: directory('a certificate') },
  web_key_directory: { name: 'Key directory of the domain', findings: directory('a key') },
  key_server: { name: 'Public key server', findings: directory('a key whose owner confirmed the address') },
  webfinger: { name: 'Web server of the domain', findings: directory('an account') },
  gravatar: { name: 'Gravatar', findings: directory('a picture') },
  outcome_history: {
    name: 'What became of mail to it',
    findings: {
      delivered: 'Mail to this address was delivered.',
      replied: 'Somebody replied from this address.',
      was_full: 'Mail came back because the mailbox was full, so it exists.',
      bounced: 'Mail to this address came back.',
    },
  },
  local_part_pattern: {
    name: 'How addresses of the domain are made',
    findings: {
      match: 'It has the shape of addresses there that are known to be good.',
      mismatch: 'It has another shape than addresses there that are known to be good.',
      no_pattern: 'Too few addresses there are known to tell a shape.',
    },
  },
};

/** What was found, in words; the API's own for what is newer than this page. */
export function evidenceText({ source, finding }: Evidence): { name: string; finding: string } {
  const words = Object.hasOwn(evidenceWords, source) ? evidenceWords[source] : undefined;
  return {
    name: words?.name ?? plain(source),
    finding: words?.findings[finding] ?? `${plain(finding)}.`,
  };
}

function plain(identifier: string): string {
  const text = identifier.replaceAll('_', ' ');
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The most that one piece of evidence can weigh, in either direction. */
export const weightMax = 6;

/** How much a piece of evidence says, in words. */
export function strengthOf(weight: number): string {
  if (weight === 0) return 'says nothing';
  const side = weight > 0 ? 'for' : 'against';
  const size = Math.abs(weight);
  if (size >= 3) return `strongly ${side}`;
  return size >= 1.5 ? side : `a little ${side}`;
}

/** What says most comes first, what says nothing last. */
export function byWeight(evidence: readonly Evidence[]): Evidence[] {
  return evidence.toSorted((one, other) => Math.abs(other.weight) - Math.abs(one.weight));
}
