export {
  keysOfCandidate,
  keysOfName,
  type NameCandidate,
  patternsMaking,
  readCandidate,
} from './match-name.ts';
export { type NamePattern, namePatternShares, namePatterns } from './name-patterns.ts';
export { looksRandom } from './name-shape.ts';
export { spellName, splitName, type WrittenName } from './spell-name.ts';
