import { typeBySuffix } from '../verdict/describe.ts';

/** The combined content of two automatically collected lists of throw-away domains. */
export interface Collected {
  /** On at least one of them: enough for a remark. */
  readonly suspected: ReadonlySet<string>;
  /** On both, which was not the case for any popular site: enough for the type. */
  readonly agreed: ReadonlySet<string>;
}

/**
 * Joins two collections. A free mail service never counts as agreed: both collections copy from others that name some
 * whose mailboxes last for years. Schools, authorities and free mail services that only the second collection names are
 * ignored.
 */
export function joinCollections(
  first: ReadonlySet<string>,
  second: ReadonlySet<string>,
  personal: ReadonlySet<string>,
): Collected {
  const suspected = new Set(first);
  const agreed = new Set<string>();
  for (const domain of second) {
    if (personal.has(domain)) {
      continue;
    }
    if (first.has(domain)) {
      agreed.add(domain);
    } else if (typeBySuffix(domain) === undefined) {
      suspected.add(domain);
    }
  }
  return { suspected, agreed };
}
