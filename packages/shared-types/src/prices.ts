/** The price list, in credits. */
export const prices = {
  /** One validated address; an `unknown` verdict costs nothing. */
  validation: 1,
  /** One profile that was found; a profile that was not found costs nothing. */
  profileEnrichment: 1,
  /** One person saved from a people search; people who are saved already cost nothing. */
  savedPerson: 1,
  /** One preview of a people search beyond those that the billing cycle allows free of charge. */
  peoplePreview: 10,
  /** One company discovered by a lookalike run. */
  lookalikeCompany: 5,
} as const;
