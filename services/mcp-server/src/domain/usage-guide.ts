import {
  assistantRefusals,
  isCharged,
  isDeliverable,
  limits,
  prices,
  type ToolName,
  toolFailures,
  type ValidationResult,
  validationResults,
} from '@mailproof/shared-types';

/** What each result means for sending mail; the type requires an entry for each. */
export const meanings: Readonly<Record<ValidationResult, string>> = {
  ok: 'The address is valid.',
  catch_all_validated:
    'The domain accepts mail for every name, and evidence confirms that this address exists.',
  catch_all: 'The domain accepts mail for every name, and this address could not be confirmed.',
  invalid: 'Mail to the address will not arrive.',
  unknown:
    'It could not be found out, for example because the mail server did not answer. This does not mean that the address is bad; asking again later may tell.',
};

const validate: ToolName = 'svc_validate_email';
const status: ToolName = 'svc_get_account_status';

/** The text of the usage guide, made from the contracts, so that it says what they say. */
export function usageGuide(): string {
  return [
    '# How to use the Mailproof tools',
    `\`${validate}\` finds out whether mail to one email address would arrive; no mail is sent. \`${status}\` tells how many credits the account has left and how fast it may ask.`,
    resultsPart(),
    creditsPart(),
    ratePart(),
    envelopePart(),
    failuresPart(),
    '',
  ].join('\n\n');
}

function resultsPart(): string {
  const rows = validationResults.map(
    result =>
      `| \`${result}\` | ${meanings[result]} | ${yesOrNo(isDeliverable(result))} | ${isCharged(result) ? prices.validation : 0} |`,
  );
  return `## Results\n\n\`data.result\` of \`${validate}\`:\n\n${table(['result', 'meaning', 'usable for sending', 'credits'], rows)}\n\n\`data.valid\` is true for the usable ones alone. A role address such as info@ or a disposable one can be \`ok\`: \`data.email_type\` tells the kind of domain.`;
}

function creditsPart(): string {
  return `## Credits\n\n- A validated address costs ${credits(prices.validation)}, also when it was validated before. \`unknown\` costs nothing, and neither does a call that fails, unless its answer was lost on the way: the balance tells.\n- \`${status}\` is free.\n- Call \`${validate}\` once for each address. For many addresses, tell the user first what they will cost, and look with \`${status}\` whether there are enough.\n- \`usage.creditsRemaining\` tells what is left, \`usage.creditsConsumed\` what this call used.`;
}

function ratePart(): string {
  return `## Rate limit\n\nAn account may make ${limits.requestsPerSecondDefault} requests in any ${limits.rateWindowMs / 1_000} second over the REST interface and these tools together, unless its plan allows more. \`usage.rateLimitLimit\` is that number, \`usage.rateLimitRemaining\` what is left of it, \`usage.rateLimitReset\` when the oldest request stops counting (Unix milliseconds), and \`usage.rateLimitResetAt\` the same after ISO 8601. A validation can take up to ${limits.validationDeadlineMsDefault / 1_000} seconds.`;
}

function envelopePart(): string {
  return '## What every answer looks like\n\n`ok` says whether the call succeeded, `status` is the HTTP status of the call to the REST interface, `data` is the answer, and `usage` is described above. In `usage`, null means that it is not known; it never means 0. When `ok` is false, `data` is `{"error": "…"}` with a sentence for you, and all of `usage` is null.';
}

function failuresPart(): string {
  const rows = Object.entries(toolFailures).map(([code, remedy]) => `| ${code} | ${remedy} |`);
  const other =
    '| any other | Below 500 the request was refused: trying again does not help, tell the user. From 500 on try again once, later. |';
  const refusals = Object.values(assistantRefusals).map(sentence => `- ${sentence}`);
  return `## Errors\n\n${table(['status', 'what to do'], [...rows, other])}\n\nWith status 401, \`data.error\` can be one of these, for the user:\n\n${refusals.join('\n')}\n\nA call that is refused before it becomes an answer like this (HTTP 401 or 403) is between your client and the server: the user has to connect again, or to allow more.`;
}

function table(heads: readonly string[], rows: readonly string[]): string {
  return [`| ${heads.join(' | ')} |`, `| ${heads.map(() => '---').join(' | ')} |`, ...rows].join('\n');
}

function yesOrNo(value: boolean): string {
  return value ? 'yes' : 'no';
}

export function credits(number: number): string {
  return number === 1 ? '1 credit' : `${number} credits`;
}
