import { escapeHtml } from '../domain/escape-html.ts';

/** Wraps the content of a plain page: readable at any width, light and dark, without scripts or outside files. */
export function layout(title: string, content: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)} · Mailproof</title>
<style>
:root { color-scheme: light dark; }
body { font: 1rem/1.6 system-ui, sans-serif; max-width: 46rem; margin: 2rem auto; padding: 0 1rem; }
code { font: 0.95em ui-monospace, monospace; }
th, td { text-align: left; padding: 0.3rem 1rem 0.3rem 0; vertical-align: top; }
</style>
</head>
<body>
<nav aria-label="Documentation"><a href="/docs">API reference</a> · <a href="/docs/app">Application API reference</a> · <a href="/docs/errors">Error codes</a></nav>
<main>
${content}
</main>
</body>
</html>
`;
}
