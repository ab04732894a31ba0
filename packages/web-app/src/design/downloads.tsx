import { Download as DownloadIcon, LoaderCircle, X } from 'lucide-react';
import type { MouseEvent, ReactNode } from 'react';
import { type Download, heldOctetsMax } from '../api/downloads.ts';
import { downloads, useDownload, useDownloads } from '../api/page-downloads.ts';
import buttonStyles from './button.module.css';
import { AnchorButton, IconButton } from './button.tsx';
import styles from './downloads.module.css';
import { formatOctets } from './format.ts';
import { Failure } from './states.tsx';

interface DownloadLinkProps {
  readonly href: string;
  readonly look?: 'primary' | 'secondary';
  readonly children: ReactNode;
}

/** A link to a file. Its progress, and why it failed, are shown in `Downloads` at the bottom of every screen. */
export function DownloadLink({ href, look = 'secondary', children }: DownloadLinkProps) {
  const download = useDownload(href);
  const isRunning = download?.state === 'running';
  const Icon = isRunning ? LoaderCircle : DownloadIcon;
  function start(event: MouseEvent) {
    // With a key, the browser opens the link in another tab or window, or saves it.
    if (event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
    event.preventDefault();
    void downloads.start(href);
  }
  return (
    <AnchorButton look={look} href={href} download onClick={start} aria-busy={isRunning || undefined}>
      <Icon size={16} className={isRunning ? buttonStyles.spinner : undefined} aria-hidden />
      {children}
    </AnchorButton>
  );
}

/** The downloads that are running, failed or left to the browser; the application has exactly one list. */
export function Downloads() {
  const list = useDownloads().filter(({ state }) => state !== 'saved');
  if (list.length === 0) return null;
  return (
    <section className={styles.downloads} aria-label="Downloads">
      {list.map(each => (
        <DownloadCard key={each.href} download={each} />
      ))}
    </section>
  );
}

function DownloadCard({ download }: { readonly download: Download }) {
  const { href, problem } = download;
  return (
    <div className={styles.download}>
      {problem ? (
        <DownloadFailure download={download} />
      ) : download.state === 'handed' ? (
        <span role="status">{handedWords(download)}</span>
      ) : (
        <>
          <span role="status">{runningWords(download)}</span>
          {/* Screen readers would read each change. */}
          <span className={styles.octets} aria-hidden>
            {formatOctets(download.octets)}
          </span>
        </>
      )}
      <IconButton
        name={
          problem ? 'Dismiss failed download' : download.state === 'handed' ? 'Dismiss' : 'Cancel download'
        }
        onClick={() => downloads.forget(href)}
      >
        <X size={16} aria-hidden />
      </IconButton>
    </div>
  );
}

/** What a running download does, for the eye and for screen readers. */
export function runningWords({ fileName = 'the file', repeats }: Download): string {
  return repeats === 0 ? `Downloading ${fileName}` : `The connection broke. Downloading ${fileName} again`;
}

/** What to do about a file that is too large for the page. */
export function handedWords({ fileName = 'the file' }: Download): string {
  return `This page has no room for ${fileName} (${formatOctets(heldOctetsMax)} for all downloads), so your browser downloads it directly. Its own list of downloads shows the progress, and whether all of the file arrived.`;
}

/** Why a download failed, with a button that retries it. */
export function DownloadFailure({ download }: { readonly download: Download }) {
  const { href, fileName, problem } = download;
  return (
    <div className={styles.failure}>
      {fileName !== undefined && <strong>{fileName}</strong>}
      <Failure error={problem} onRetry={() => void downloads.start(href)} />
    </div>
  );
}
