import type { ListKind } from './list-kinds.ts';
import type { ReadList } from './read-list.ts';

export interface ListChange {
  readonly added: number;
  readonly removed: number;
}

export type ListJudgment =
  | { readonly accepted: true; readonly change: ListChange }
  /** The reason, in a sentence. */
  | { readonly accepted: false; readonly fault: string };

/**
 * The share of faulty lines that a list may have. Maintainers make mistakes, while a page that is not a list consists
 * almost only of faults.
 */
const faultShareMax = 0.01;
/**
 * The share of names that a new list must keep. A list that lost more was truncated, or its maintainer changed its
 * meaning.
 */
const keptShareMin = 0.5;

/** Domains of hundreds of millions of people. A list that calls them disposable is a mistake or malicious. */
const neverListed = [
  'gmail.com',
  'googlemail.com',
  'outlook.com',
  'hotmail.com',
  'live.com',
  'yahoo.com',
  'icloud.com',
  'me.com',
  'aol.com',
  'gmx.de',
  'gmx.net',
  'web.de',
  't-online.de',
  'orange.fr',
  'libero.it',
  'mail.ru',
  'yandex.ru',
  'qq.com',
  '163.com',
  'naver.com',
  'protonmail.com',
  'proton.me',
] as const;

/** Decides whether a list may replace the current one. */
export function judgeList(
  kind: ListKind,
  current: ReadonlySet<string>,
  { names, faults }: ReadList,
  mayShrink: boolean,
): ListJudgment {
  if (names.size === 0) {
    return refused('The list is empty.');
  }
  if (faults.length > faultShareMax * (names.size + faults.length)) {
    const [first] = faults;
    return refused(
      `${faults.length} lines are not valid ${kind.names}; the first is line ${first?.line}: ${first?.text}`,
    );
  }
  const wronged = kind.speaksAgainst ? neverListed.find(domain => names.has(domain)) : undefined;
  if (wronged !== undefined) {
    return refused(`The list contains ${wronged}, which is not a disposable domain.`);
  }
  if (names.size < keptShareMin * current.size && !mayShrink) {
    return refused(
      `The list has ${names.size} ${kind.names}, less than half of the ${current.size} in use. To accept it, use --force.`,
    );
  }
  return {
    accepted: true,
    change: { added: countMissing(names, current), removed: countMissing(current, names) },
  };
}

function refused(fault: string): ListJudgment {
  return { accepted: false, fault };
}

function countMissing(names: ReadonlySet<string>, from: ReadonlySet<string>): number {
  return [...names].filter(name => !from.has(name)).length;
}
