/** What a page says about itself to programs. */
export interface PageFacts {
  /** The parsed contents of its `application/ld+json` scripts. */
  readonly jsonLd: readonly unknown[];
  /** Its `meta` elements: the first content by `property` or `name`, in lower case. */
  readonly meta: ReadonlyMap<string, string>;
  /** What it says of indexing, in `meta name=robots` and the like, in lower case. */
  readonly robots: readonly string[];
}

/**
 * Whether page or header ask programs not to keep what they read: `noindex` or `none`, for all or for us. A header can
 * name a program in front of its words (`mailproof: noindex`).
 */
export function forbidsIndexing(directives: readonly string[], programName: string): boolean {
  return directives.some(directive => {
    const [, program, words = ''] = /^\s*(?:([\w-]+)\s*:(?!\/))?(.*)$/s.exec(directive.toLowerCase()) ?? [];
    const isForUs = program === undefined || program === programName.toLowerCase();
    return isForUs && words.split(',').some(word => ['noindex', 'none'].includes(word.trim()));
  });
}
