interface Tagged {
  readonly name: string;
  readonly tags: readonly string[];
}

/** The tags of all lists, each once, in their order. */
export function tagsOf(lists: readonly Tagged[]): string[] {
  return [...new Set(lists.flatMap(({ tags }) => tags))].sort((one, other) => one.localeCompare(other, 'en'));
}

interface Sought {
  readonly text?: string | undefined;
  readonly tag?: string | undefined;
}

/** Lists with part of their name and a tag. */
export function foundLists<List extends Tagged>(lists: readonly List[], { text, tag }: Sought): List[] {
  const part = text?.toLocaleLowerCase('en') ?? '';
  return lists.filter(
    list =>
      list.name.toLocaleLowerCase('en').includes(part) && (tag === undefined || list.tags.includes(tag)),
  );
}
