import { Link } from '@tanstack/react-router';
import {
  Bookmark,
  ChartColumn,
  CircleUserRound,
  Copy,
  FileUp,
  House,
  ListChecks,
  MailSearch,
  Plug,
  Users,
} from 'lucide-react';
import styles from './shell.module.css';

/** Where one can go, in the order in which people come to it. */
const places = [
  { to: '/', label: 'Home', icon: House },
  { to: '/check', label: 'Check one address', icon: MailSearch },
  { to: '/validations', label: 'Validate lists', icon: ListChecks },
  { to: '/people', label: 'Find people', icon: Users },
  { to: '/lookalikes', label: 'Lookalikes', icon: Copy },
  { to: '/saved', label: 'Saved people', icon: Bookmark },
  { to: '/exports', label: 'Exports', icon: FileUp },
  { to: '/integrations', label: 'Integrations', icon: Plug },
  { to: '/usage', label: 'Usage', icon: ChartColumn },
  { to: '/account', label: 'Account', icon: CircleUserRound },
] as const;

/** The areas of the application. */
export function Navigation({ onGo }: { readonly onGo?: () => void }) {
  return (
    <nav className={styles.nav} aria-label="Areas">
      {places.map(({ to, label, icon: Icon }) => (
        <Link key={to} to={to} activeOptions={{ exact: to === '/', includeSearch: false }} onClick={onGo}>
          <Icon size={18} aria-hidden />
          {label}
        </Link>
      ))}
    </nav>
  );
}
