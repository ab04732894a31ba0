import type { EmailAddress } from '@mailproof/shared-types';
import spellChecker from '@zootools/email-spell-checker';

/** A likely correction of a mistyped domain, such as gmial.com; nothing where none comes to mind. */
export function suggestAddress({ domain, localPart }: EmailAddress): string | undefined {
  if (domain.kind === 'literal') {
    return undefined;
  }
  // The domain alone is judged, so the local part must not confuse the library.
  const suggestion = spellChecker.run({ email: `somebody@${domain.ascii}` });
  return suggestion && suggestion.domain !== domain.ascii
    ? `${localPart.wireForm}@${suggestion.domain}`
    : undefined;
}
