import { typeBySuffix } from '../verdict/describe.ts';

/** The combined content of two automatically collected lists of throw-away domains, in ascending order. */
export interface Collected {
  /** On at least one of them: enough for a remark. */
  readonly suspected: readonly string[];
  /** On both, which was not the case for any popular site: enough for the type. */
  readonly agreed: readonly string[];
}

/**
 * Joins two collections. A free mail service never counts as agreed: both collections copy from others that name some
 * whose mailboxes last for years. Schools, authorities and free mail services that only the second collection names are
 * ignored.
 *
 * @param first - a collection in ascending order, without repetitions; so is the second
 */
export function joinCollections(
  first: readonly string[],
  second: readonly string[],
  personal: ReadonlySet<string>,
): Collected {
  const suspected: string[] = [];
  const agreed: string[] = [];
  let at = 0;
  for (const domain of second) {
    for (let name = first[at]; name !== undefined && name < domain; name = first[at]) {
      suspected.push(name);
      at += 1;
    }
    if (personal.has(domain)) continue;
    if (first[at] === domain) agreed.push(domain);
    else if (typeBySuffix(domain) === undefined) suspected.push(domain);
  }
  for (; at < first.length; at += 1) suspected.push(first[at] ?? '');
  return { suspected, agreed };
}
