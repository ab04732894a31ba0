import { useRouterState } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';

/**
 * Moves the focus to the heading of the screen that was gone to, so that screen readers say where one is and the keyboard
 * goes on from there. The first screen of a visit leaves the focus where the browser has it.
 */
export function useScreenFocus() {
  const main = useRef<HTMLElement>(null);
  const isFirst = useRef(true);
  const path = useRouterState({ select: state => state.resolvedLocation?.pathname });
  useEffect(() => {
    if (path === undefined) return;
    if (isFirst.current) {
      isFirst.current = false;
      return;
    }
    main.current?.querySelector<HTMLElement>('h1')?.focus();
  }, [path]);
  return main;
}
