import { DropdownMenu as Parts } from 'radix-ui';
import type { ReactNode } from 'react';
import styles from './menu.module.css';

interface MenuProps {
  /** The button that opens the menu. */
  readonly trigger: ReactNode;
  readonly children: ReactNode;
}

/** A menu of actions, opened by a button. */
export function Menu({ trigger, children }: MenuProps) {
  return (
    <Parts.Root>
      <Parts.Trigger asChild>{trigger}</Parts.Trigger>
      <Parts.Portal>
        <Parts.Content
          className={styles.menu}
          sideOffset={6}
          align="end"
          collisionPadding={8}
          onCloseAutoFocus={leaveFocusElsewhere}
        >
          {children}
        </Parts.Content>
      </Parts.Portal>
    </Parts.Root>
  );
}

/**
 * An action may have opened a dialog, which has the focus by now. Radix would move it to the menu's button, the dialog
 * would take it back and select the text of its field, and the next key would replace what the user has typed.
 */
function leaveFocusElsewhere(event: Event) {
  if (document.activeElement !== document.body) event.preventDefault();
}

interface MenuItemProps {
  readonly onSelect?: () => void;
  readonly disabled?: boolean;
  /** Whether to render the child, a link, in place of the item's own element. */
  readonly asChild?: boolean;
  readonly children: ReactNode;
}

/** An item of a menu. */
export function MenuItem(props: MenuItemProps) {
  return <Parts.Item {...props} className={styles.item} />;
}
