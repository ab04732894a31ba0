import type { SourceFindings, SourceId, WeighedObservation } from '../catch-all/observation.ts';

type Sentences = { readonly [Id in SourceId]?: { readonly [Finding in SourceFindings[Id]]?: string } };

const mailHost = (which: string) => ({
  knows_recipient: `${which} accepts this address and refuses made-up ones.`,
  full: `${which} says that this mailbox is full.`,
  rate_limited: `${which} says that this mailbox receives too much mail.`,
  missing: `${which} does not know this address.`,
  disabled: `${which} says that this mailbox is disabled.`,
});
const replyDiffers = 'The mail host replies differently to this address than to made-up ones.';
const delivered = 'Earlier mail to this address was delivered.';
const bounced = 'Earlier mail to this address bounced.';
const oneFits = 'A person known to work at this company has a name that makes this address.';
const severalFit = 'Several people known to work at this company have names that make this address.';

/**
 * What each finding says about an address. Neither people nor accounts are named: agreement of other accounts has the
 * sentence of an account's own outcomes (ADR 0017). What says nothing about the address has none.
 */
const sentences: Sentences = {
  local_part_shape: {
    random: 'The part before the @ looks like random letters, so the address is less likely to exist.',
    other: 'The part before the @ is neither a name nor a word, so the address is less likely to exist.',
  },
  differential_reply: {
    code_differs: replyDiffers,
    status_differs: replyDiffers,
    text_differs: replyDiffers,
  },
  published_mx: {
    ...mailHost('Another mail host of the domain'),
    missing_at_backup:
      'Another mail host of the domain, perhaps with an old list, does not know this address.',
  },
  unpublished_tenant_host: mailHost('The mail host behind the gateway'),
  openpgpkey: { published: 'The domain publishes a key for this address in DNS.' },
  smimea: { published: 'The domain publishes a certificate for this address in DNS.' },
  web_key_directory: { published: 'The domain’s key directory has a key for this address.' },
  webfinger: { published: 'The domain’s web server has an account of this name.' },
  key_server: { published: 'A public key server has a key whose owner confirmed this address.' },
  gravatar: { published: 'Gravatar has a picture for this address.' },
  published_on_site: {
    on_contact_page: 'The company’s contact page prints this address.',
    in_security_txt: 'The company’s security.txt prints this address.',
    in_page_data: 'The company’s site states this address in its data for search engines.',
    on_page: 'The company’s site prints this address.',
    on_team_page: 'The company’s page about its team prints this address.',
  },
  outcome_history: {
    delivered,
    agreed_delivered: delivered,
    replied: 'Earlier mail to this address was answered.',
    was_full: 'Earlier mail to this address bounced because the mailbox was full.',
    bounced,
    agreed_bounced: bounced,
  },
  local_part_pattern: {
    match: 'Other addresses that are known to exist there have the same pattern.',
    mismatch: 'The addresses that are known to exist there have another pattern.',
  },
  known_person: {
    fits_pattern: oneFits,
    fits_name: oneFits,
    namesakes_fit_pattern: severalFit,
    namesakes_fit_name: severalFit,
    other_pattern:
      'A person known to work at this company has a name that makes this address, but addresses there have another pattern.',
    has_left:
      'Only people who no longer work at this company are known to have a name that makes this address.',
  },
};

/** Explains the evidence about an address of a catch-all domain, a sentence for each finding that says something. */
export function explainEvidence(
  observations: readonly Pick<WeighedObservation, 'source' | 'finding' | 'llr'>[],
): string[] {
  return [
    ...new Set(
      observations.flatMap(({ source, finding, llr }) =>
        // A form of the address is common to many, and worth a sentence only if it is the reason for doubt.
        source === 'local_part_shape' && llr >= 0
          ? []
          : ((sentences[source] as Readonly<Record<string, string>> | undefined)?.[finding] ?? []),
      ),
    ),
  ];
}
