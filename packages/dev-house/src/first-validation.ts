import type { DemoAccount } from './demo-account.ts';

/** A mailbox that exists in the mail lab. */
const labAddress = 'ada@ordinary.example';

/** A validation answers within 25 s by contract; the rest is for the way there and back. */
const requestTimeoutMs = 30_000;

/** Which address a start tries out, if any: in the real internet nobody is asked unbidden. */
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
