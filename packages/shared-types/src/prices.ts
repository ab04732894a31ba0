/** Prices in credits, once. */
export const prices = {
  /** One validated address; an `unknown` verdict costs nothing. */
  validation: 1,
} as const;
