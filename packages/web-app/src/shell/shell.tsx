import { Link, Outlet, useLocation, useNavigate, useRouterState } from '@tanstack/react-router';
import {
  Coins,
  Keyboard,
  LogOut,
  Menu as MenuIcon,
  Monitor,
  Moon,
  Search,
  Settings2,
  Sun,
} from 'lucide-react';
import { type DragEvent, useCallback, useEffect, useRef, useState } from 'react';
import { useDropzone } from 'react-dropzone';
import { $api, api, type Schema } from '../api/client.ts';
import { asProblem } from '../api/problem.ts';
import { Button, IconButton } from '../design/button.tsx';
import { Drawer } from '../design/dialog.tsx';
import { formatNumber } from '../design/format.ts';
import { Mark } from '../design/layout.tsx';
import { Menu, MenuItem } from '../design/menu.tsx';
import { Notice } from '../design/states.tsx';
import { announce } from '../design/toasts.tsx';
import { CommandPalette } from './command-palette.tsx';
import { dropHint, handOver } from './dropped-files.ts';
import { NoticeBell, useNewNotices } from './notice-bell.tsx';
import { areas } from './pages.ts';
import { endedHere, useSession } from './session.ts';
import styles from './shell.module.css';
import { commandKey, ShortcutsDialog, useShortcuts } from './shortcuts.tsx';
import { chooseTheme, chosenTheme, type Theme, themes } from './theme.ts';

/** How often the balance is polled while work holds credits, on every screen. */
const balanceRefreshMs = 10_000;

function whileHeld({ state: { data } }: { readonly state: { data?: Schema['AccountBalance'] | undefined } }) {
  return data !== undefined && data.held > 0 ? balanceRefreshMs : false;
}

/** A dialog that is available on every screen. */
type Layer = 'palette' | 'shortcuts';

/** The frame around every screen of a signed-in user. */
export function Shell() {
  const main = useScreenFocus();
  useNewNotices();
  const [isMenuOpen, setMenuOpen] = useState(false);
  const [layer, setLayer] = useState<Layer>();
  const openPalette = useCallback(() => setLayer('palette'), []);
  const openShortcuts = useCallback(() => setLayer('shortcuts'), []);
  useShortcuts({ openPalette, openShortcuts });
  function openFromMenu(next: Layer) {
    setMenuOpen(false);
    setLayer(next);
  }
  const onLayer = (open: boolean) => !open && setLayer(undefined);
  const { getRootProps, isDragActive } = useDropAnywhere();
  return (
    <div
      {...getRootProps({ onDragEnter: leaveText, onDragOver: leaveText, onDrop: leaveText })}
      className={styles.shell}
    >
      <a className={styles.skip} href="#main">
        Skip to content
      </a>
      <header className={styles.top}>
        <Brand />
        <span className={styles.tools}>
          <Balance isShort />
          <NoticeBell />
          <IconButton name="Menu" onClick={() => setMenuOpen(true)}>
            <MenuIcon size={20} aria-hidden />
          </IconButton>
        </span>
        <Drawer title="Mailproof" open={isMenuOpen} onOpenChange={setMenuOpen}>
          <Navigation onGo={() => setMenuOpen(false)} />
          <Foot onGo={() => setMenuOpen(false)} onOpen={openFromMenu} />
        </Drawer>
      </header>
      <header className={styles.side}>
        <div className={styles.head}>
          <Brand />
          <NoticeBell />
        </div>
        <Navigation />
        <Foot onOpen={openFromMenu} />
      </header>
      <main id="main" ref={main} className={styles.main} tabIndex={-1}>
        <Switched />
        <Outlet />
      </main>
      <CommandPalette open={layer === 'palette'} onOpenChange={onLayer} />
      <ShortcutsDialog open={layer === 'shortcuts'} onOpenChange={onLayer} />
      {isDragActive && (
        <div className={styles.dropping} aria-hidden>
          <strong>{dropHint() ?? listHint}</strong>
        </div>
      )}
    </div>
  );
}

const listHint = 'Drop files to validate them as lists';

/**
 * Takes files that are dropped on any screen, which would otherwise replace the page. The screen decides what they are
 * for; by default each is a list to validate.
 */
function useDropAnywhere() {
  const navigate = useNavigate();
  return useDropzone({
    noClick: true,
    noKeyboard: true,
    // Cells that are copied in a spreadsheet are on the clipboard as text and as a picture.
    noPaste: true,
    onDrop(files: readonly File[]) {
      if (files.length > 0 && !handOver(files)) void navigate({ to: '/validations/new' });
    },
  });
}

/** Leaves dragged text and links to the browser, so that they can be dropped into a field. */
function leaveText(event: DragEvent): void {
  if (!event.dataTransfer.types.includes('Files')) event.stopPropagation();
}

/** Explains why the tab no longer shows the previous screen. */
function Switched() {
  const { state } = useLocation();
  const { account, email } = useSession();
  const navigate = useNavigate();
  if (!state.switched) return null;
  return (
    <div className={styles.switched}>
      <Notice tone="caution" title="You signed in as another user in another tab" alert>
        <span>
          This tab now shows the account “{account.name}”; you are signed in as {email}. Unsent changes in
          this tab were discarded.
        </span>
        <Button onClick={() => void navigate({ to: '.', search: true, state: {}, replace: true })}>OK</Button>
      </Notice>
    </div>
  );
}

function Brand() {
  return (
    <Link to="/" className={styles.brand}>
      <Mark />
      Mailproof
    </Link>
  );
}

interface FootProps {
  readonly onGo?: () => void;
  readonly onOpen: (layer: Layer) => void;
}

/** The available credits; the short form is only a number with an icon. */
function Balance({ isShort, onGo }: { readonly isShort?: true; readonly onGo?: (() => void) | undefined }) {
  const { data: balance } = $api.useQuery('get', '/balance', {}, { refetchInterval: whileHeld });
  const available = balance ? formatNumber(balance.available) : '–';
  const meaning = `credits available${balance && balance.held > 0 ? `, ${formatNumber(balance.held)} held` : ''}`;
  const usage = { to: '/usage', search: { period: undefined }, onClick: onGo } as const;
  return isShort ? (
    <Link {...usage} className={styles.short} aria-label={`${available} ${meaning}`}>
      <Coins size={18} aria-hidden />
      {available}
    </Link>
  ) : (
    <Link {...usage} className={styles.balance}>
      <strong>{available}</strong>
      <span>{meaning}</span>
    </Link>
  );
}

function Foot({ onGo, onOpen }: FootProps) {
  const { email } = useSession();
  return (
    <>
      <Balance onGo={onGo} />
      <div className={styles.foot}>
        <span className={styles.who} title={email}>
          {email}
        </span>
        <SessionMenu onOpen={onOpen} />
      </div>
    </>
  );
}

/** The main navigation. */
function Navigation({ onGo }: { readonly onGo?: () => void }) {
  return (
    <nav className={styles.nav} aria-label="Main navigation">
      {areas.map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }} onClick={onGo}>
          <Icon size={18} aria-hidden />
          {label}
        </Link>
      ))}
    </nav>
  );
}

const looks: Record<Theme, { readonly label: string; readonly icon: typeof Sun }> = {
  system: { label: 'System theme', icon: Monitor },
  light: { label: 'Light theme', icon: Sun },
  dark: { label: 'Dark theme', icon: Moon },
};

/** The command palette, the theme and the sign-out. */
function SessionMenu({ onOpen }: Pick<FootProps, 'onOpen'>) {
  const [theme, setTheme] = useState(chosenTheme);
  function choose(next: Theme) {
    chooseTheme(next);
    setTheme(next);
  }
  async function signOut() {
    try {
      await api.DELETE('/session');
    } catch (error) {
      announce(`You are still signed in. ${asProblem(error).message}`);
      return;
    }
    endedHere();
  }
  return (
    <Menu
      trigger={
        <IconButton name="Settings">
          <Settings2 size={18} aria-hidden />
        </IconButton>
      }
    >
      <MenuItem onSelect={() => onOpen('palette')}>
        <Search size={16} aria-hidden />
        Go to… ({commandKey} K)
      </MenuItem>
      <MenuItem onSelect={() => onOpen('shortcuts')}>
        <Keyboard size={16} aria-hidden />
        Keyboard shortcuts (?)
      </MenuItem>
      {themes.map(each => {
        const { label, icon: Icon } = looks[each];
        return (
          <MenuItem key={each} onSelect={() => choose(each)}>
            <Icon size={16} aria-hidden />
            {label}
            {each === theme && ' ✓'}
          </MenuItem>
        );
      })}
      <MenuItem onSelect={signOut}>
        <LogOut size={16} aria-hidden />
        Sign out
      </MenuItem>
    </Menu>
  );
}

/**
 * After a navigation, moves the focus to the heading of the new screen, so that screen readers read it and Tab
 * continues from there. The first screen of a visit leaves the focus where the browser puts it.
 */
function useScreenFocus() {
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
