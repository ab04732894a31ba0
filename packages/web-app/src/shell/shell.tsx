import { Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router';
import { Menu as MenuIcon } from 'lucide-react';
import { useState } from 'react';
import { $api, type Schema } from '../api/client.ts';
import { useSession } from '../api/session.ts';
import { Button, IconButton } from '../design/button.tsx';
import { Drawer } from '../design/dialog.tsx';
import { formatNumber } from '../design/format.ts';
import { Notice } from '../design/states.tsx';
import { Mark } from './mark.tsx';
import { Navigation } from './navigation.tsx';
import { SessionMenu } from './session-menu.tsx';
import styles from './shell.module.css';
import { useScreenFocus } from './use-screen-focus.ts';

/** While work holds credits, they are asked for again so often, wherever that work is looked at. */
const balanceRefreshMs = 10_000;

function whileHeld({ state: { data } }: { readonly state: { data?: Schema['AccountBalance'] | undefined } }) {
  return data !== undefined && data.held > 0 ? balanceRefreshMs : false;
}

/** What stands around every screen of somebody who has signed in. */
export function Shell() {
  const main = useScreenFocus();
  const [isMenuOpen, setMenuOpen] = useState(false);
  return (
    <div className={styles.shell}>
      <a className={styles.skip} href="#main">
        Skip to the content
      </a>
      <header className={styles.top}>
        <Brand />
        <IconButton name="Menu" onClick={() => setMenuOpen(true)}>
          <MenuIcon size={20} aria-hidden />
        </IconButton>
        <Drawer title="Mailproof" open={isMenuOpen} onOpenChange={setMenuOpen}>
          <Navigation onGo={() => setMenuOpen(false)} />
          <Foot onGo={() => setMenuOpen(false)} />
        </Drawer>
      </header>
      <header className={styles.side}>
        <Brand />
        <Navigation />
        <Foot />
      </header>
      <main id="main" ref={main} className={styles.main} tabIndex={-1}>
        <Switched />
        <Outlet />
      </main>
    </div>
  );
}

/** Says why the tab shows something else than it did. */
function Switched() {
  const { state } = useLocation();
  const { account, email } = useSession();
  const navigate = useNavigate();
  if (!state.switched) return null;
  return (
    <div className={styles.switched}>
      <Notice tone="caution" title="You signed in as another user in another tab" alert>
        <span>
          This tab now shows the account “{account.name}”, to which you are signed in as {email}. Anything
          that you did not send from this tab before is gone.
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

function Foot({ onGo }: { readonly onGo?: () => void }) {
  const { email } = useSession();
  const { data: balance } = $api.useQuery('get', '/balance', {}, { refetchInterval: whileHeld });
  return (
    <>
      <Link to="/usage" search={{ period: undefined }} className={styles.balance} onClick={onGo}>
        <strong>{balance ? formatNumber(balance.available) : '–'}</strong>
        <span>
          credits available
          {balance && balance.held > 0 && `, ${formatNumber(balance.held)} held`}
        </span>
      </Link>
      <div className={styles.foot}>
        <span className={styles.who} title={email}>
          {email}
        </span>
        <SessionMenu />
      </div>
    </>
  );
}
