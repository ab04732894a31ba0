import { ChevronLeft, ChevronRight } from 'lucide-react';
import { useState } from 'react';
import { Button } from './button.tsx';
import { Row } from './layout.tsx';
import styles from './pager.module.css';

/** The position in a list that is read page by page with a cursor. */
export interface Pages {
  /** The cursor of the visible page; undefined for the first page. */
  readonly cursor: string | undefined;
  /** The number of the page, from 1. */
  readonly number: number;
  readonly previous: () => void;
  readonly next: (cursor: string) => void;
}

/** Moves between pages. It restarts when the component gets another `key`; give it one for each filter. */
export function usePages(): Pages {
  const [trail, setTrail] = useState<readonly string[]>([]);
  return {
    cursor: trail.at(-1),
    number: trail.length + 1,
    previous: () => setTrail(trail.slice(0, -1)),
    // A second press before the page has loaded asks for the same page.
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

/** A button that appends the next page; hidden on the last page. */
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
  /** A description of the page, such as "Rows 1 to 50 of 300". */
  readonly children?: string;
}

/** Buttons for the previous and next page; hidden if there is only one page. */
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
