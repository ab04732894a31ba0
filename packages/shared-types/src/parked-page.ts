const parking =
  /domain (?:name )?(?:is|may be|might be) (?:available )?for sale|(?:buy|purchase|acquire) this domain|domain (?:is|has been) parked|parked (?:domain|free|page)|domain parking|sedoparking|domain (?:steht zum verkauf|zu verkaufen|kaufen)|(?:domaine|dominio) (?:est |esta |e )?(?:a|en|in) (?:vendre|venta|vendita)/;

/** What web servers and hosts show where no site is, or none any more. */
const noSite =
  /apache2? (?:\w+ )?default page|welcome to nginx!|default web ?site page|this account has been suspended|if you are the owner of this (?:web ?)?site, please contact/;

/** Whether the text of a page offers its domain for sale or comes from a web host, so that no company speaks on it. */
export function isParkedText(text: string): boolean {
  const plain = text.normalize('NFKD').replace(/[\p{M}\p{Cf}]+/gu, '');
  const shown = plain.toLowerCase().replace(/\s+/g, ' ');
  return parking.test(shown) || noSite.test(shown);
}
