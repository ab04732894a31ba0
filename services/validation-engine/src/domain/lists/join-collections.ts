import { typeBySuffix } from '../verdict/email-type.ts';

/** What two collections of throw-away domains, each made by programs, say together. */
export interface Collected {
  /** On either of them: enough for a remark. */
  readonly suspected: ReadonlySet<string>;
  /** On both, which no popular site was found to be: enough for the type. */
  readonly agreed: ReadonlySet<string>;
}

/**
 * Joins two collections. A free mail service is never agreed on: both collections copy from others that name some whose
 * mailboxes last for years. What the second one alone says of schools, authorities and free mail counts for nothing.
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
