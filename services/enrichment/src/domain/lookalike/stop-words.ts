/** Words of English that say nothing about what a company does. What else is said by everyone, the corpus tells. */
export const stopWords: ReadonlySet<string> = new Set(
  `a about above after again all also although am among an and any are as at be because been before being below
  between both but by can could did do does doing down during each etc few for from further had has have having he
  her here hers him his how i if in into is it its itself just like me more most my no nor not of off on once only or
  other others our out over own per same she should so some such than that the their theirs them then there these
  they this those through to too under until up upon very via was we well were what when where which while who whom
  why will with within without would you your`.split(/\s+/),
);
