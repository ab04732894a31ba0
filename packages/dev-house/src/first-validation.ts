import type { DemoAccount } from './demo-account.ts';

/** A mailbox that exists in the mail lab. */
const labAddress = 'ada@ordinary.example';

/** A validation answers within 25 s by contract; the rest allows for transport. */
const requestTimeoutMs = 30_000;

/** Returns the address that a start validates, if any. A start never probes the real internet unless asked. */
export function firstAddress(
  hasLab: boolean,
  environment: NodeJS.ProcessEnv = process.env,
): string | undefined {
  return environment['MAILPROOF_FIRST_ADDRESS'] || (hasLab ? labAddress : undefined);
}

/** Validates an address through the public API, as a customer would. */
export async function validateFirstAddress(
  email: string,
  gatewayUrl: string,
  { apiKey }: Pick<DemoAccount, 'apiKey'>,
): Promise<unknown> {
  const response = await fetch(`${gatewayUrl}/api/v1/validate-single-email`, {
    method: 'POST',
    headers: { 'x-api-key': apiKey, 'content-type': 'application/json' },
    body: JSON.stringify({ email }),
    signal: AbortSignal.timeout(requestTimeoutMs),
  });
  const body = await response.text();
  if (!response.ok) throw new Error(`Validating ${email} failed with status ${response.status}: ${body}`);
  return JSON.parse(body) as unknown;
}

/** Returns a validation command for the user to paste. */
export function validationLine(email: string, account: PastedAccount): string {
  return curlLine('validate-single-email', { email }, account);
}

/** Returns a profile request for the user to paste. */
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
