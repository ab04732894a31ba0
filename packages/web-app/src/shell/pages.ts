import { limits } from '@mailproof/shared-types';
import type { NavigateOptions } from '@tanstack/react-router';
import {
  Bookmark,
  Building2,
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
  { to: '/companies', label: 'Find companies', icon: Building2, key: 'f' },
  { to: '/lookalikes', label: 'Lookalikes', icon: Copy, key: 'l' },
  { to: '/saved', label: 'Saved', icon: Bookmark, key: 's', words: 'people' },
  { to: '/exports', label: 'Exports', icon: FileUp, key: 'e' },
  { to: '/integrations', label: 'Integrations', icon: Plug, key: 'i' },
  { to: '/usage', label: 'Usage', icon: ChartColumn, key: 'u' },
  { to: '/account', label: 'Account', icon: CircleUserRound, key: 'a' },
] as const;

/** What the command palette opens. */
export interface PaletteEntry {
  readonly label: string;
  readonly open: NavigateOptions;
  /** More words that find it. */
  readonly words?: string;
  /** The second key of the shortcut, if there is one. */
  readonly key?: string;
}

const allAreas: readonly PaletteEntry[] = areas.map(area => {
  const { to, label, key } = area;
  return { label, key, open: { to }, ...('words' in area && { words: area.words }) };
});

/** Common actions, and the other pages. */
const actionsAndPages: readonly PaletteEntry[] = [
  {
    open: { to: '/validations/new' },
    label: 'Upload or paste a list',
    words: 'new validation file csv excel',
  },
  { open: { to: '/people/new' }, label: 'New people search', words: 'leads filters name' },
  { open: { to: '/companies/new' }, label: 'New company search', words: 'leads filters industry technology' },
  {
    open: { to: '/lookalikes', search: { begin: true } },
    label: 'New lookalike search',
    words: 'companies similar seeds',
  },
  { open: { to: '/account/members' }, label: 'Members', words: 'invite team user' },
  { open: { to: '/account/api-key' }, label: 'API keys', words: 'create new test sandbox program' },
  { open: { to: '/saved/companies' }, label: 'Saved companies', words: 'lookalikes' },
  { open: { to: '/saved/lists' }, label: 'Saved lists', words: 'people companies' },
  { open: { to: '/saved/imports' }, label: 'Import people', words: 'upload own file csv leads' },
  { open: { to: '/integrations/webhooks' }, label: 'Webhooks', words: 'events endpoints' },
  {
    open: { to: '/integrations/delivery-reports' },
    label: 'Delivery reports',
    words: 'outcomes bounces mail provider',
  },
  { open: { to: '/integrations/profile-provider' }, label: 'Profile provider', words: 'enrichment' },
  { open: { to: '/usage/statement' }, label: 'Statement of credits', words: 'usage balance' },
  { open: { to: '/usage/receipts' }, label: 'Receipts', words: 'usage credits' },
  { open: { to: '/account/notices' }, label: 'Notices', words: 'mail notifications' },
  { open: { to: '/account/security' }, label: 'Security', words: 'password sessions sign-ins' },
  { open: { to: '/account/details' }, label: 'Account details', words: 'name email delete export' },
];

/** Returns the pages and actions that have all words of a text, in any order and by their beginnings. */
export function findPages(text: string): readonly PaletteEntry[] {
  const asked = wordsOf(text);
  return [...allAreas, ...actionsAndPages].filter(({ label, words = '' }) => {
    const held = wordsOf(`${label} ${words}`);
    return asked.every(word => held.some(each => each.startsWith(word)));
  });
}

/** The longest text that a search takes. */
export const searchTextMax = limits.filterValueCharactersMax;

/** Returns the searches for a text, none for an empty one. */
export function searchesFor(entered: string): readonly PaletteEntry[] {
  const text = entered.trim();
  if (text === '') return [];
  return [
    { label: `Search saved people for “${text}”`, open: { to: '/saved', search: { text } } },
    {
      label: `Find people named “${text}”`,
      open: { to: '/people/new', search: { filters: { person_names: [text] } } },
    },
    {
      label: `Search saved companies for “${text}”`,
      open: { to: '/saved/companies', search: { text } },
    },
    { label: `Search saved lists for “${text}”`, open: { to: '/saved/lists', search: { text } } },
  ];
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(word => word !== '');
}
