import {
  assistantRefusals,
  isCharged,
  isDeliverable,
  limits,
  prices,
  sandboxDomain,
  type ToolName,
  toolFailures,
  type ValidationResult,
  validationResults,
} from '@mailproof/shared-types';

/** What each result means for sending mail; the type requires an entry for each. */
export const meanings: Readonly<Record<ValidationResult, string>> = {
  ok: 'The address is valid.',
  catch_all_validated: 'The domain accepts mail for every name, and evidence confirms this address.',
  catch_all: 'The domain accepts mail for every name, and this address could not be confirmed.',
  invalid: 'Mail to the address will not arrive.',
  unknown:
    'The check was inconclusive, for example because the mail server did not respond. The address is not necessarily bad; a later check may give a result.',
};

const validate: ToolName = 'svc_validate_email';
const status: ToolName = 'svc_get_account_status';
const prepare: ToolName = 'svc_prepare_list_validation';
const start: ToolName = 'svc_start_list_validation';
const follow: ToolName = 'svc_get_list_validation';
const results: ToolName = 'svc_get_list_results';
const enrich: ToolName = 'svc_enrich_profile';
const search: ToolName = 'svc_search_people';
const searchCompanies: ToolName = 'svc_search_companies';
const more: ToolName = 'svc_get_more_people';
const moreCompanies: ToolName = 'svc_get_more_companies';
const similar: ToolName = 'svc_find_similar_companies';

/** The text of the usage guide, generated from the contracts so that it matches them. */
export function usageGuide(): string {
  return [
    '# How to use the Mailproof tools',
    `\`${validate}\` checks whether mail to one email address would arrive; no mail is sent. \`${status}\` returns the account’s remaining credits and rate limit.`,
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
  return `## Results\n\n\`data.result\` of \`${validate}\`:\n\n${table(['result', 'meaning', 'safe to send to', 'credits'], rows)}\n\n\`data.valid\` is true only for these. A role address such as info@ or a disposable one can be \`ok\`: \`data.email_type\` shows the type of domain.`;
}

function creditsPart(): string {
  return `## Credits\n\n- A validated address costs ${credits(prices.validation)}, even if it was validated before. \`unknown\` and failed calls are free, unless the response was lost in transit: check the balance.\n- \`${status}\` is free.\n- Call \`${validate}\` once for each address, or \`${prepare}\` for more than a few. For many addresses, tell the user the cost first, and check with \`${status}\` that there are enough credits.\n- \`usage.creditsRemaining\` is the remaining balance, \`usage.creditsConsumed\` the cost of this call.\n- Email addresses, company domains and profile URLs at \`${sandboxDomain}\` are for tests: their answers are invented, and free.\n\n${pricesPart()}`;
}

function pricesPart(): string {
  const rows = [
    [prepare, 'nothing; it returns the price of the list'],
    [
      start,
      `${credits(prices.validation)} for each distinct address, at most \`max_credits\`; \`unknown\` is free`,
    ],
    [`${follow}\`, \`${results}`, 'nothing'],
    [enrich, `${credits(prices.profileEnrichment)} if a profile is found`],
    [
      `${search}\`, \`${searchCompanies}`,
      `a free preview of the billing cycle; then ${credits(prices.peoplePreview)}, if \`max_credits\` allows it. The same filters and name again cost nothing more`,
    ],
    [`${more}\`, \`${moreCompanies}\`, \`${similar}`, 'nothing'],
  ].map(([tool, cost]) => `| \`${tool}\` | ${cost} |`);
  return `${table(['other tools', 'costs'], rows)}\n\nIf a response was lost, repeat the call: \`${start}\`, \`${search}\` and \`${searchCompanies}\` cost nothing more with the same arguments, and \`${enrich}\` with the same \`idempotency_key\`.`;
}

function ratePart(): string {
  return `## Rate limit\n\nAn account can make ${limits.requestsPerSecondDefault} requests in any ${limits.rateWindowMs / 1_000} second, over the REST API and these tools combined, unless its plan allows more. \`usage.rateLimitLimit\` is that limit, \`usage.rateLimitRemaining\` the number of requests left, \`usage.rateLimitReset\` when the oldest request stops counting (Unix milliseconds), and \`usage.rateLimitResetAt\` the same time in ISO 8601. A validation can take up to ${limits.validationDeadlineMsDefault / 1_000} seconds.`;
}

function envelopePart(): string {
  return '## Response format\n\n`ok` says whether the call succeeded, `status` is the HTTP status of the REST call, `data` is the result, and `usage` is described above. In `usage`, null means unknown, never 0. When `ok` is false, `data` is `{"error": "…"}` with a message for you, and all fields of `usage` are null.';
}

function failuresPart(): string {
  const rows = Object.entries(toolFailures).map(([code, remedy]) => `| ${code} | ${remedy} |`);
  const other =
    '| any other | Below 500: the request was rejected; do not retry, tell the user. From 500: try again once, later. |';
  const refusals = Object.values(assistantRefusals).map(sentence => `- ${sentence}`);
  return `## Errors\n\n${table(['status', 'what to do'], [...rows, other])}\n\nWith status 401, \`data.error\` can be one of these messages for the user:\n\n${refusals.join('\n')}\n\nA call that is rejected with HTTP 401 or 403 instead of such a response is handled by your client: the user must reconnect or grant more permissions.`;
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
