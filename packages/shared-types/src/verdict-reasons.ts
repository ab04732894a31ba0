/** Why a verdict is what it is. Each reason belongs to one result, except where two are listed. */
export const verdictReasons = {
  mailbox_exists: 'The mail server accepts this recipient and refuses made-up ones.',
  catch_all: 'The mail server accepts made-up recipients too, so its acceptance says nothing.',
  evidence_confirms: 'The domain accepts everything, and evidence about this very address confirms it.',
  mailbox_missing: 'The mail server says that this mailbox does not exist.',
  mailbox_disabled: 'The mail server says that this mailbox is disabled.',
  domain_missing: 'The domain does not exist.',
  no_mail_host: 'The domain says that it receives no mail: it has no mail host, or a null MX record.',
  mailbox_full: 'The mailbox exists but is full, so mail may not arrive now.',
  mailbox_rate_limited: 'The mailbox exists but receives too much mail right now.',
  greylisted: 'The mail server asks to come back later, as it does with unknown senders.',
  blocked: 'The mail server refuses our own address, so it tells nothing about the mailbox.',
  policy: 'The mail server refuses for a reason of policy that says nothing about the mailbox.',
  temporary_failure: 'The mail server reports a passing fault.',
  protocol_error: 'The mail server answers in a way that cannot be read.',
  probe_inconclusive:
    'The recipient was accepted, but the check for a catch-all domain could not be completed.',
  host_busy: 'We already ask this mail server as much as is polite; ask again in a moment.',
  connection_failed: 'No mail server of the domain could be reached.',
  session_timeout: 'The mail server did not answer in time.',
  forbidden_address: 'The mail servers of the domain are at addresses that must not be contacted.',
  dns_timeout: 'The name servers of the domain did not answer in time.',
  dns_failure: 'The name servers of the domain answered with a failure.',
  smtputf8_unsupported:
    'The address needs international mail (RFC 6531), which the mail server does not offer.',
  unsupported_address: 'Addresses of this form are not probed.',
  do_not_probe: 'The owner of the domain or of its mail server asked not to be probed.',
  harvest_suspected:
    'The account asked about so many addresses of this domain that do not exist that further ones are not probed today.',
  own_network_failed: 'Our own proxy or network address failed, so no mail server could be asked.',
} as const satisfies Readonly<Record<string, string>>;

export type VerdictReason = keyof typeof verdictReasons;
