import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Button } from './button.tsx';
import { Row } from './layout.tsx';
import styles from './pager.module.css';

/** Where one is in a list that is read a page at a time behind a cursor. */
export interface Pages {
  /** Of the page that is seen; undefined for the first. */
  readonly cursor: string | undefined;
  /** The number of the page, from 1. */
  readonly number: number;
  readonly previous: () => void;
  readonly next: (cursor: string) => void;
}

/** Turns pages. It begins anew wherever the component has another `key`, as it should for another filter. */
export function usePages(): Pages {
  const [trail, setTrail] = useState<readonly string[]>([]);
  return {
    cursor: trail.at(-1),
    number: trail.length + 1,
    previous: () => setTrail(trail.slice(0, -1)),
    // Pressed again before the page is there, it is the same page.
    next: cursor => cursor !== trail.at(-1) && setTrail([...trail, cursor]),
  };
}

interface ShowMoreProps {
  readonly list: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => unknown;
  };
  readonly children?: string;
}

/** The way to what comes behind, which is put below what is seen; nothing where that is all. */
export function ShowMore({ list, children = 'Show more' }: ShowMoreProps) {
  if (!list.hasNextPage) return null;
  return (
    <Row>
      <Button busy={list.isFetchingNextPage} onClick={() => list.fetchNextPage()}>
        {children}
      </Button>
    </Row>
  );
}

interface PagerProps {
  readonly pages: Pages;
  readonly nextCursor: string | undefined;
  /** What is on the page, such as "Rows 1 to 50 of 300". */
  readonly children?: string;
}

/** The way to the pages before and behind; nothing where one page is all. */
export function Pager({ pages, nextCursor, children }: PagerProps) {
  if (pages.number === 1 && nextCursor === undefined) return null;
  return (
    <nav className={styles.pager} aria-label="Pages">
      <Button disabled={pages.number === 1} onClick={pages.previous}>
        <ChevronLeft size={16} aria-hidden />
        Previous
      </Button>
      <span role="status">{children ?? `Page ${pages.number}`}</span>
      <Button
        disabled={nextCursor === undefined}
        onClick={() => nextCursor !== undefined && pages.next(nextCursor)}
      >
        Next
        <ChevronRight size={16} aria-hidden />
      </Button>
    </nav>
  );
}
