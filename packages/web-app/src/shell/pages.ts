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

/** The areas of the application, in the order in which users typically need them. `G`, then `key` goes to one. */
export const areas = [
  { to: '/', label: 'Home', icon: House, key: 'h' },
  { to: '/check', label: 'Check one address', icon: MailSearch, key: 'c' },
  { to: '/validations', label: 'Validate lists', icon: ListChecks, key: 'v' },
  { to: '/people', label: 'Find people', icon: Users, key: 'p' },
  { to: '/lookalikes', label: 'Lookalikes', icon: Copy, key: 'l' },
  { to: '/saved', label: 'Saved people', icon: Bookmark, key: 's' },
  { to: '/exports', label: 'Exports', icon: FileUp, key: 'e' },
  { to: '/integrations', label: 'Integrations', icon: Plug, key: 'i' },
  { to: '/usage', label: 'Usage', icon: ChartColumn, key: 'u' },
  { to: '/account', label: 'Account', icon: CircleUserRound, key: 'a' },
] as const;

/** The other pages of the command palette, with more words that find them. */
const otherPages = [
  { to: '/validations/new', label: 'Upload or paste a list', words: 'new validation file csv excel' },
  { to: '/people/new', label: 'New people search', words: 'leads filters name' },
  { to: '/saved/lists', label: 'Saved lists', words: 'people companies' },
  { to: '/saved/imports', label: 'Import people', words: 'upload own file csv leads' },
  { to: '/integrations/webhooks', label: 'Webhooks', words: 'events endpoints' },
  {
    to: '/integrations/delivery-reports',
    label: 'Delivery reports',
    words: 'outcomes bounces mail provider',
  },
  { to: '/integrations/profile-provider', label: 'Profile provider', words: 'enrichment' },
  { to: '/usage/statement', label: 'Statement of credits', words: 'usage balance' },
  { to: '/usage/receipts', label: 'Receipts', words: 'usage credits' },
  { to: '/account/api-key', label: 'API keys', words: 'test sandbox program' },
  { to: '/account/members', label: 'Members', words: 'invite team' },
  { to: '/account/notices', label: 'Notices', words: 'mail notifications' },
  { to: '/account/security', label: 'Security', words: 'password sessions sign-ins' },
  { to: '/account/details', label: 'Account details', words: 'name email delete export' },
] as const;

interface FoundPage {
  readonly to: (typeof areas | typeof otherPages)[number]['to'];
  readonly label: string;
  /** The second key of the shortcut, if there is one. */
  readonly key?: string;
}

/** Returns the pages that have all words of a text, in any order and by their beginnings. */
export function findPages(text: string): readonly FoundPage[] {
  const asked = wordsOf(text);
  return [...areas, ...otherPages].filter(page => {
    const held = wordsOf('words' in page ? `${page.label} ${page.words}` : page.label);
    return asked.every(word => held.some(each => each.startsWith(word)));
  });
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '');
}
