import type { DemoAccount } from './demo-account.ts';

/** A validation, for the user to paste. */
export function validationLine(email: string, account: PastedAccount): string {
  return curlLine('validate-single-email', { email }, account);
}

/** A request for what is known of a profile, for the user to paste. */
export function profileLine(profileUrl: string, account: PastedAccount): string {
  return curlLine('profile-enrichment', { profile_url: profileUrl }, account);
}

type PastedAccount = Pick<DemoAccount, 'apiBaseUrl' | 'apiKey'>;

function curlLine(operation: string, body: object, { apiBaseUrl, apiKey }: PastedAccount): string {
  return [
    `curl -sS ${apiBaseUrl}/${operation}`,
    `-H 'X-Api-Key: ${apiKey}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${JSON.stringify(body).replaceAll("'", "'\\''")}'`,
  ].join(' ');
}
