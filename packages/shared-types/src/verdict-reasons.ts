/** The reasons of verdicts. Each reason belongs to one result, unless two are listed. */
export const verdictReasons = {
  mailbox_exists: 'The mail server accepts this recipient and rejects made-up ones.',
  catch_all: 'The mail server also accepts made-up recipients, so its acceptance proves nothing.',
  evidence_confirms: 'The domain accepts every recipient, and evidence about this address confirms it.',
  mailbox_missing: 'The mail server says that this mailbox does not exist.',
  mailbox_disabled: 'The mail server says that this mailbox is disabled.',
  domain_missing: 'The domain does not exist.',
  no_mail_host: 'The domain does not receive mail: it has no mail host, or a null MX record.',
  mailbox_full: 'The mailbox exists but is full, so mail may not arrive now.',
  mailbox_rate_limited: 'The mailbox exists but is receiving too much mail right now.',
  greylisted: 'The mail server asks to retry later, as it does with unknown senders.',
  blocked: 'The mail server rejects our IP address, so it reveals nothing about the mailbox.',
  policy:
    'The mail server rejected the request because of a policy, which reveals nothing about the mailbox.',
  temporary_failure: 'The mail server reports a temporary error.',
  protocol_error: 'The mail server’s response cannot be read.',
  probe_inconclusive:
    'The recipient was accepted, but the check for a catch-all domain could not be completed.',
  host_busy: 'The rate limit for this mail server is reached; try again shortly.',
  connection_failed: 'None of the domain’s mail servers could be reached.',
  session_timeout: 'The mail server did not respond in time.',
  forbidden_address: 'The domain’s mail servers have IP addresses that must not be contacted.',
  dns_timeout: 'The domain’s name servers did not respond in time.',
  dns_failure: 'The domain’s name servers responded with a failure.',
  smtputf8_unsupported:
    'The address requires internationalized email (RFC 6531), which the mail server does not support.',
  unsupported_address: 'Addresses of this form are not probed.',
  do_not_probe: 'The owner of the domain or its mail server asked not to be probed.',
  harvest_suspected:
    'The account has validated so many nonexistent addresses at this domain that no more are probed today.',
  own_network_failed: 'Our proxy or IP address failed, so no mail server could be queried.',
} as const satisfies Readonly<Record<string, string>>;

export type VerdictReason = keyof typeof verdictReasons;
