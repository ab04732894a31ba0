import type { EmailAddress } from '@mailproof/shared-types';

/** Raised with the rules by which sites are read, so that looks by older rules do not count. */
export const rulesVersion = 2;

/** Where a site prints an address, the best place first. */
export const printPlaces = [
  /** On a page for contact or on the imprint, which the law of many countries requires to be right. */
  'on_contact_page',
  /** As a contact in security.txt (RFC 9116). */
  'in_security_txt',
  /** In the machine-readable data of a page (JSON-LD). */
  'in_page_data',
  /** On the page of the team, which often keeps people who left. */
  'on_team_page',
  /** On another page, such as the home page. */
  'on_page',
] as const;

export type PrintPlace = (typeof printPlaces)[number];

export interface PrintedAddress {
  readonly email: EmailAddress;
  readonly place: PrintPlace;
}

export type SiteLook =
  | { readonly kind: 'read'; readonly printed: readonly PrintedAddress[] }
  /** The site prints addresses that do not exist, or so many that they prove nothing. */
  | { readonly kind: 'prints_anything' }
  /** Its robots.txt or its pages ask programs to stay away. */
  | { readonly kind: 'forbidden' }
  | { readonly kind: 'no_site' }
  | { readonly kind: 'failed' };
