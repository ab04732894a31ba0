import type { Schema } from '../api/client.ts';

export type Evidence = Schema['Evidence'];

const directory = (thing: string) => ({
  published: `There is ${thing} for this address, and none for a made-up one.`,
  not_published: `There is no ${thing.replace(/^an? /, '')} for this address, which is common.`,
  published_for_everybody: `There is ${thing} for made-up addresses too, so it proves nothing.`,
  no_answer: 'There was no response.',
});

const otherHost = {
  knows_recipient: 'It accepts this address and rejects made-up ones.',
  full: 'It reports that this mailbox is full, so it exists.',
  rate_limited: 'It reports that this mailbox receives too much mail right now, so it exists.',
  missing: 'It reports that the mailbox does not exist.',
  missing_at_backup: 'It does not know this mailbox; a backup server may have an outdated list.',
  disabled: 'It reports that this mailbox is disabled.',
  accepts_everybody: 'It also accepts made-up addresses.',
  no_answer: 'It gave no clear response.',
};

const twoNames = 'It consists of two words, such as first and last name.';
const nameAndInitial = 'It consists of a name and an initial.';
const shapes = {
  'word.word': twoNames,
  word_word: twoNames,
  'word-word': twoNames,
  'initial.word': nameAndInitial,
  initial_word: nameAndInitial,
  'initial-word': nameAndInitial,
  'word.initial': nameAndInitial,
  word_initial: nameAndInitial,
  'word-initial': nameAndInitial,
};

interface SourceWords {
  readonly name: string;
  readonly findings: Readonly<Record<string, string>>;
}

/** The display texts for the sources of evidence and their findings. */
export const evidenceWords: Readonly<Record<string, SourceWords>> = {
  mail_provider: {
    name: 'Who runs its mail',
    findings: {
      gateway: 'A gateway takes its mail; the weight is how often addresses behind one exist.',
      mailbox_host: 'A mailbox provider takes its mail; the weight is how often addresses at one exist.',
      forwarder: 'A forwarder takes its mail; the weight is how often addresses behind one exist.',
      inbound_application: 'An application takes its mail; the weight is how often addresses at one exist.',
      own_host: 'It has its own mail server; the weight is how often addresses at one exist.',
    },
  },
  domain_kind: {
    name: 'Kind of domain',
    findings: {
      education: 'The domain belongs to education; the weight is how often addresses there exist.',
      government: 'The domain belongs to a government; the weight is how often addresses there exist.',
    },
  },
  local_part_shape: {
    name: 'Form of the address',
    findings: {
      role: 'It names a role, such as info or sales, which most companies have.',
      random: 'It looks like random letters rather than a name.',
      other: 'It looks neither like a name nor like a word.',
      word: 'It is one word, such as a name.',
      ...shapes,
      initials: 'It has up to three letters, such as initials.',
      name_and_number: 'It is a name with a number.',
      several_words: 'It consists of several words, such as names.',
    },
  },
  differential_reply: {
    name: 'How its mail server responds',
    findings: {
      code_differs: 'It responds differently to this address than to made-up ones.',
      status_differs: 'It responds to this address with a different status than to made-up ones.',
      text_differs: 'It responds to this address with a different text than to made-up ones.',
      alike: 'It responds to this address exactly as to made-up ones.',
      no_answer: 'It gave no clear response.',
    },
  },
  published_mx: { name: 'Another mail server of the domain', findings: otherHost },
  unpublished_tenant_host: { name: 'The mail server behind the gateway', findings: otherHost },
  openpgpkey: { name: 'Encryption key in DNS', findings: directory('a key') },
  smimea: { name: 'Certificate in DNS', findings: directory('a certificate') },
  web_key_directory: { name: 'Key directory of the domain', findings: directory('a key') },
  key_server: { name: 'Public key server', findings: directory('a key whose owner confirmed the address') },
  webfinger: { name: 'Web server of the domain', findings: directory('an account') },
  published_on_site: {
    name: 'Site of the domain',
    findings: {
      on_contact_page: 'The company’s contact page or imprint prints this address.',
      in_security_txt: 'The company’s security.txt prints this address.',
      in_page_data: 'The company’s site states this address in its data for search engines.',
      on_page: 'The company’s site prints this address.',
      on_team_page: 'The company’s page about its team prints this address; it may be outdated.',
      not_printed: 'The pages that were read do not print this address, which is common.',
      prints_anything: 'It prints made-up addresses too, so it proves nothing.',
      not_allowed: 'It asks programs not to read its pages.',
      no_answer: 'There was no response.',
    },
  },
  gravatar: { name: 'Gravatar', findings: directory('a picture') },
  outcome_history: {
    name: 'Outcomes of earlier mail',
    findings: {
      delivered: 'Mail to this address was delivered.',
      replied: 'The recipient replied from this address.',
      was_full: 'Mail bounced because the mailbox was full, so it exists.',
      bounced: 'Mail to this address bounced.',
    },
  },
  local_part_pattern: {
    name: 'Address pattern of the domain',
    findings: {
      match: 'It matches the pattern of known good addresses there.',
      mismatch: 'It does not match the pattern of known good addresses there.',
      no_pattern: 'Too few addresses there are known to find a pattern.',
    },
  },
  known_person: {
    name: 'People who work there',
    findings: {
      fits_pattern: 'A known person’s name makes this address, by the pattern of the domain.',
      namesakes_fit_pattern:
        'The names of several known people make this address, by the pattern of the domain.',
      fits_name: 'A known person’s name makes this address; the pattern of the domain does not tell.',
      namesakes_fit_name:
        'The names of several known people make this address; the pattern of the domain does not tell.',
      other_pattern: 'A known person’s name makes this address, but addresses there have another pattern.',
      has_left: 'It only fits people who no longer work there.',
      no_one_known: 'No one is known there whose name makes this address.',
      not_a_name: 'It does not look like a person’s name.',
      no_answer: 'There was no response.',
    },
  },
};

/**
 * Returns the display text of a piece of evidence; if it is newer than this page, the text is derived from the API's
 * identifiers.
 */
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

/** The maximum weight of one piece of evidence, in either direction. */
export const weightMax = 6;

/** Describes the strength of a piece of evidence. */
export function strengthOf(weight: number): string {
  if (weight === 0) return 'neutral';
  const side = weight > 0 ? 'for' : 'against';
  const size = Math.abs(weight);
  if (size >= 3) return `strong evidence ${side}`;
  return size >= 1.5 ? `evidence ${side}` : `weak evidence ${side}`;
}

/** Sorts evidence by weight, the strongest first and neutral evidence last. */
export function byWeight(evidence: readonly Evidence[]): Evidence[] {
  return evidence.toSorted((one, other) => Math.abs(other.weight) - Math.abs(one.weight));
}
