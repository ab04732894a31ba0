import { readFileSync } from 'node:fs';
import { profileProviderSettings } from '@mailproof/shared-types';
import type { OperatorProviders } from '../domain/profile-provider/operator-providers.ts';
import {
  type ClassifyHost,
  partSecrets,
  settingsFaults,
} from '../domain/profile-provider/provider-settings.ts';

/**
 * Reads the providers of the operator from a file. Throws an error that names the faults, without any value of the file,
 * so that a service with settings that cannot work does not start.
 */
export function readOperatorProviders(path: string, classifyHost: ClassifyHost): OperatorProviders {
  let content: unknown;
  try {
    content = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'is not JSON' : 'cannot be read';
    throw new Error(`PROFILE_PROVIDERS_FILE ${reason}: ${path}`);
  }
  const parsed = profileProviderSettings.safeParse(content);
  if (!parsed.success) {
    const faults = parsed.error.issues.map(({ path: at, message }) => `/${at.join('/')}: ${message}`);
    throw new Error(`PROFILE_PROVIDERS_FILE is not valid: ${faults.join('; ')}`);
  }
  const { settings, secrets, faults } = partSecrets(parsed.data, undefined);
  const all = [...settingsFaults(parsed.data, classifyHost), ...faults];
  if (all.length > 0) {
    const listed = all.map(({ pointer, detail }) => `${pointer}: ${detail}`);
    throw new Error(`PROFILE_PROVIDERS_FILE is not valid: ${listed.join('; ')}`);
  }
  return { settings, secrets };
}
