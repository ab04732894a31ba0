const parking =
  /domain (?:name )?(?:is|may be|might be) (?:available )?for sale|(?:buy|purchase|acquire) this domain|domain (?:is|has been) parked|parked (?:domain|free|page)|domain parking|sedoparking|domain (?:steht zum verkauf|zu verkaufen|kaufen)|(?:domaine|dominio) (?:est |esta |e )?(?:a|en|in) (?:vendre|venta|vendita)/;

/** Whether the text of a page offers its domain for sale, so that no company speaks on it. */
export function isParkedText(text: string): boolean {
  const plain = text.normalize('NFKD').replace(/[\p{M}\p{Cf}]+/gu, '');
  return parking.test(plain.toLowerCase().replace(/\s+/g, ' '));
}
