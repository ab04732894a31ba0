/** Says whether an address may be contacted, and in which spelling exactly. */
export type AddressGuard = (address: string) => GuardedAddress;

export type GuardedAddress =
  | {
      readonly allowed: true;
      /** Connect to this very string: it is what was checked, so nothing can be resolved anew in between. */
      readonly address: string;
    }
  | { readonly allowed: false };
