/** The price list, in credits. */
export const prices = {
  /** One validated address; an `unknown` verdict costs nothing. */
  validation: 1,
  /** One profile found; a profile that is not found costs nothing. */
  profileEnrichment: 1,
  /** One person saved from a people search; people who are already saved cost nothing. */
  savedPerson: 1,
  /** One company saved from a company search: as much as from a lookalike run, so that no search undercuts another. */
  savedCompany: 5,
  /** One preview of a people or company search beyond the free previews of the billing cycle. */
  peoplePreview: 10,
  /** One company discovered by a lookalike run. */
  lookalikeCompany: 5,
} as const;

export type PriceName = keyof typeof prices;
