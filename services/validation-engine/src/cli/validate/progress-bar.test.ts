import { expect, test } from '@jest/globals';
import { createFakeScreen } from '../testing/fake-terminal.ts';
import { createProgressBar, progressText } from './progress-bar.ts';

test('shows count, rate and time left', () => {
  expect(progressText({ done: 1_500, total: 6_000, elapsedMs: 60_000 })).toBe(
    '[######------------------] 1,500/6,000  25.0/s  3:00 left',
  );
  expect(progressText({ done: 10, total: 100_000, elapsedMs: 1_000 })).toContain('2:46:39 left');
});

test('shows neither bar nor remaining time before the rows are counted', () => {
  expect(progressText({ done: 1_500, total: undefined, elapsedMs: 60_000 })).toBe('1,500 done  25.0/s');
});

test('begins with nothing done', () => {
  expect(progressText({ done: 0, total: 3, elapsedMs: 0 })).toBe('[------------------------] 0/3  0.0/s');
});

test('fits into the terminal and is gone in the end', () => {
  const screen = Object.assign(createFakeScreen(), { isTTY: true, columns: 20 });
  const bar = createProgressBar(screen, () => ({ done: 1, total: 2, elapsedMs: 1 }));
  bar.draw();
  bar.stop();
  expect(screen.text()).toBe('\r\u001b[2K[############------\r\u001b[2K');
});

test('writes nothing without a terminal', () => {
  const screen = createFakeScreen();
  const bar = createProgressBar(screen, () => ({ done: 1, total: 2, elapsedMs: 1 }));
  bar.draw();
  bar.clear();
  bar.stop();
  expect(screen.text()).toBe('');
});
