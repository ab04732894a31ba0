import { DropdownMenu as Parts } from 'radix-ui';
import type { ReactNode } from 'react';
import styles from './menu.module.css';

interface MenuProps {
  /** The button that opens it. */
  readonly trigger: ReactNode;
  readonly children: ReactNode;
}

/** Things that can be done, behind a button. */
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
  /** Whether the child is a link, which takes the item's place. */
  readonly asChild?: boolean;
  readonly children: ReactNode;
}

/** One of them. */
export function MenuItem(props: MenuItemProps) {
  return <Parts.Item {...props} className={styles.item} />;
}
