import { useLayoutEffect, useRef } from 'react';

/**
 * Where the focus goes when a dialog opens and closes: into its first field, where it asks for something, and back to what
 * it was opened by, or to the heading of the screen where that has gone. Radix gives it back to a `Dialog.Trigger` alone.
 */
export function useDialogFocus(open: boolean) {
  const content = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLElement>(null);
  // Before the focus moves: the dialog is mounted after this effect.
  useLayoutEffect(() => {
    if (open) opener.current = openerOf(document.activeElement);
  }, [open]);
  return {
    ref: content,
    onOpenAutoFocus(event: Event) {
      const field = content.current?.querySelector<HTMLElement>(fields);
      if (!field) return;
      event.preventDefault();
      field.focus();
      if (field instanceof HTMLInputElement) field.select();
    },
    onCloseAutoFocus(event: Event) {
      event.preventDefault();
      // What was done may have led elsewhere.
      if (document.activeElement !== document.body) return;
      const back = opener.current?.isConnected
        ? opener.current
        : document.querySelector<HTMLElement>('main h1');
      back?.focus();
    },
  };
}

const fields = ':is(input:not([type="hidden"], [hidden]), select, textarea):not(:disabled)';

/** An item of a menu goes with the menu: then it is the button of the menu that has opened the dialog. */
function openerOf(focused: Element | null): HTMLElement | null {
  const button = focused?.closest('[role="menu"]')?.getAttribute('aria-labelledby');
  const opener = button ? document.getElementById(button) : focused;
  return opener instanceof HTMLElement ? opener : null;
}
