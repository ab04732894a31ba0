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
        <Parts.Content className={styles.menu} sideOffset={6} align="end" collisionPadding={8}>
          {children}
        </Parts.Content>
      </Parts.Portal>
    </Parts.Root>
  );
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
