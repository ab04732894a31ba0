import type { SourceId } from '../observation.ts';
import type { Weights } from '../weights.ts';
import type { Counted } from './labeled.ts';

/** The prior, and the weights of the findings that say of which kind an address is. */
export interface FittedKinds {
  readonly prior: number;
  readonly llr: ReadonlyMap<SourceId, Readonly<Record<string, number>>>;
}

/** The starting prior counts as much as this many addresses. */
const priorAddresses = 50;
/** How far kinds may differ, as a standard deviation in log-odds: less is taken for chance, more for an artifact. */
const [spreadMin, spreadMax] = [0.1, 1] as const;
/** A kind with hardly any address says nothing about how far kinds differ. */
const informationMin = 1;
/** The most that a round changes in log-odds: Newton’s method would otherwise overshoot far from its goal. */
const stepMax = 1;
const rounds = 20;
/** The bounds of the prior, which is never certain; a file of weights has three decimals of it. */
const [priorMin, priorMax] = [0.001, 0.999] as const;

/**
 * Fits the prior hierarchically, by empirical Bayes: the weight of each kind of address moves from its starting value as
 * far as its own addresses and the spread among the kinds of its level justify (Morris 1983). The levels are fitted in
 * turn, each given the others: kinds of mail hosts, the providers within them, kinds of domains, shapes of local parts.
 */
export function fitKinds(addresses: readonly Counted[], start: Weights): FittedKinds {
  const cap = start.groupCaps.kind;
  const levels = levelsOf(start);
  const starting = (key: string) => startingOf(start, key);
  const terms = new Map<string, number>();
  const termOf = (key: string) => terms.get(key) ?? starting(key);
  const rows = rowsOf(addresses, start);
  let base = logit(start.prior);
  const chanceOf = (keys: readonly string[]) => {
    const kind = keys.reduce((sum, key) => sum + termOf(key), 0);
    return 1 / (1 + Math.exp(-base - bounded(cap, kind)));
  };
  for (let round = 0; round < rounds; round += 1) {
    base += stepOf(rows, chanceOf, start.prior, base);
    for (const isOfLevel of levels) {
      const kinds = new Map<string, { gradient: number; information: number }>();
      for (const { y, weight, keys } of rows) {
        const key = keys.find(isOfLevel);
        if (key !== undefined) {
          const chance = chanceOf(keys);
          const kind = kinds.get(key) ?? { gradient: 0, information: 0 };
          kind.gradient += weight * (y - chance);
          kind.information += weight * chance * (1 - chance);
          kinds.set(key, kind);
        }
      }
      const seen = [...kinds].map(([key, { gradient, information }]) => {
        const step = bounded(stepMax, gradient / Math.max(information, informationMin));
        return { key, information, away: termOf(key) - starting(key) + step };
      });
      const spread = spreadOf(seen);
      for (const { key, information, away } of seen) {
        const kept = spread ** 2 / (spread ** 2 + 1 / Math.max(information, 1e-9));
        terms.set(key, bounded(cap, starting(key) + away * kept));
      }
    }
  }
  const prior = 1 / (1 + Math.exp(-base));
  return { prior: Math.max(priorMin, Math.min(priorMax, prior)), llr: tablesOf(start, terms) };
}

/** Addresses of the same kinds, by whether they exist. */
interface Row {
  readonly y: number;
  readonly keys: readonly string[];
  weight: number;
}

function rowsOf(addresses: readonly Counted[], { sources }: Weights): Row[] {
  const rows = new Map<string, Row>();
  for (const { address, weight } of addresses) {
    const keys = address.observations.flatMap(({ source, finding }) =>
      sources[source].group === 'kind' ? [`${source} ${finding}`] : [],
    );
    const name = `${address.exists} ${keys.join(' ')}`;
    const row = rows.get(name);
    if (row === undefined) {
      rows.set(name, { y: Number(address.exists), keys: [...new Set(keys)], weight });
    } else {
      row.weight += weight;
    }
  }
  return [...rows.values()];
}

/** A step of Newton’s method; the starting prior counts like addresses of no kind. */
function stepOf(
  rows: readonly Row[],
  chanceOf: (keys: readonly string[]) => number,
  prior: number,
  base: number,
): number {
  const own = 1 / (1 + Math.exp(-base));
  let [gradient, information] = [priorAddresses * (prior - own), priorAddresses * own * (1 - own)];
  for (const { y, weight, keys } of rows) {
    const chance = chanceOf(keys);
    gradient += weight * (y - chance);
    information += weight * chance * (1 - chance);
  }
  return bounded(stepMax, gradient / information);
}

function bounded(most: number, value: number): number {
  return Math.max(-most, Math.min(most, value));
}

/** How far the kinds of a level differ from their starting values beyond chance (the method of moments). */
function spreadOf(seen: readonly { readonly information: number; readonly away: number }[]): number {
  const counted = seen.filter(({ information }) => information >= informationMin);
  const all = counted.reduce((sum, { information }) => sum + information, 0);
  const excess = counted.reduce((sum, { information, away }) => sum + information * away ** 2 - 1, 0);
  const spread = all === 0 ? 0 : Math.sqrt(Math.max(0, excess / all));
  return Math.max(spreadMin, Math.min(spreadMax, spread));
}

/** The kinds of providers come before the providers, which are judged relative to their kind. */
function levelsOf({ sources }: Weights): readonly ((key: string) => boolean)[] {
  const kinds = new Set(['gateway', 'mailbox_host', 'forwarder', 'inbound_application', 'own_host']);
  return (Object.keys(sources) as SourceId[])
    .filter(source => sources[source].group === 'kind')
    .flatMap(source => {
      const isOfSource = (key: string) => key.startsWith(`${source} `);
      const isKind = (key: string) => kinds.has(key.slice(source.length + 1));
      return source === 'mail_provider'
        ? [(key: string) => isOfSource(key) && isKind(key), (key: string) => isOfSource(key) && !isKind(key)]
        : [isOfSource];
    });
}

function startingOf({ sources }: Weights, key: string): number {
  const [source = '', finding = ''] = key.split(' ');
  return (sources[source as SourceId].llr as Readonly<Record<string, number>>)[finding] ?? 0;
}

function tablesOf(
  { sources }: Weights,
  terms: ReadonlyMap<string, number>,
): ReadonlyMap<SourceId, Readonly<Record<string, number>>> {
  const tables = new Map<SourceId, Record<string, number>>();
  for (const [key, value] of terms) {
    const [source, finding = ''] = key.split(' ') as [SourceId, string];
    const table = tables.get(source) ?? { ...sources[source].llr };
    tables.set(source, { ...table, [finding]: value });
  }
  return tables;
}

function logit(share: number): number {
  return Math.log(share / (1 - share));
}
