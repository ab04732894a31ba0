import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/**
 * Checks Markdown, comments and strings against `scripts/prose.json`: phrases that have a plainer form, and British
 * spellings. A quotation that needs a listed word is an entry of `quotations`: a file or folder, and texts of its
 * lines. `releasedMigrations` contains the number of the last released migration of each service: migrations up to it
 * no longer change.
 */
const { phrases, british, notBritish, quotations, releasedMigrations } = JSON.parse(
  readFileSync('scripts/prose.json', 'utf8'),
);

/** Paths that are not checked: generated files, expected command output, and replies and texts by others. */
const leftOut =
  /(^|\/)(generated|golden|fixtures?|samples)\/|CATALOG|PROVIDERS|contracts\.txt|(^|\/)(LICENSE|NOTICE)|lock\.yaml|^scripts\/.*prose/;

const plainer = new Map(Object.entries({ ...phrases, ...british }));
const quoted = Object.entries(quotations);
const isAmerican = new Set(notBritish);
const between = '\\s+(?:(?:\\*|//|#|--|>)\\s+)?';
const listed = [...plainer.keys()]
  .sort((a, b) => b.length - a.length)
  .map(text => text.replaceAll(' ', between));
const pattern = new RegExp(`\\b(?:${listed.join('|')}|[a-z]{2,}is(?:ations?|e|es|ed|ing))\\b(?!@)`, 'gi');

const files = execFileSync('git', ['ls-files'], { maxBuffer: 50_000_000 })
  .toString()
  .split('\n')
  .filter(path => /\.(md|txt|tsx?|mjs|css|sql|prisma|lua|sh|ya?ml|tpl)$|dashboards\/.*\.json$/.test(path))
  .filter(path => existsSync(path) && !leftOut.test(path) && !isReleased(path));

let wordsExamined = 0;
const findings = [];
for (const path of files) {
  const source = readFileSync(path, 'utf8');
  for (const text of partsOf(path, source)) {
    wordsExamined += text.match(/[\p{L}’']+/gu)?.length ?? 0;
    findings.push(...findingsIn(path, text, source));
  }
}

for (const { path, line, word } of findings)
  console.error(`${path}:${line}: "${word}": write ${plainer.get(word) ?? 'it with a z'}`);
console.log(`prose: ${wordsExamined} words examined in ${files.length} files, ${findings.length} findings`);
process.exitCode = wordsExamined === 0 || findings.length > 0 ? 1 : 0;

/** Returns the human-readable texts of a file, with everything else blanked so that offsets do not change. */
function partsOf(path, source) {
  if (/\.(md|txt)$/.test(path)) return [proseOf(source)];
  if (/\.(tsx?|mjs)$/.test(path)) return partsOfProgram(path, source);
  const comment = { sql: /--.*/g, css: /\/\*[\s\S]*?\*\//g, prisma: /\/\/.*/g, lua: /--.*/g };
  // Of configuration also the texts that people read: alerts, dashboards, errors of the chart, names of its tests.
  const form =
    comment[path.split('.').at(-1)] ??
    /(?<=^|\s)#.*|\{\{-?\s*\/\*[\s\S]*?\*\/|"[^"\n]* [^"\n]*"|\b(?:it|suite|summary|description): .*/gm;
  return [only(source, rangesOf(source, form))];
}

/** Markdown without code, URLs, HTML comments, and text that a command writes between two HTML comments. */
function proseOf(source) {
  return source.replace(
    /```[\s\S]*?```|<!-- ([\w-]+) -->[\s\S]*?<!-- \/\1 -->|<!--[\s\S]*?-->|`[^`\n]*`|\]\([^)\s]*\)|<?https?:[^\s)>]*/g,
    blank,
  );
}

/**
 * The comments of every program, the names of tests, and the strings of programs that people use; a string with a space
 * counts as text.
 */
function partsOfProgram(path, source) {
  const file = ts.createSourceFile(path, source, ts.ScriptTarget.Latest);
  const strings = [];
  const names = [];
  const visit = node => {
    if (ts.isCallExpression(node) && /^(it|test|describe)\b/.test(node.expression.getText(file)))
      names.push(...node.arguments.slice(0, 1).filter(ts.isStringLiteral));
    if (ts.isLiteralExpression(node) || ts.isTemplateLiteralToken(node) || ts.isJsxText(node))
      strings.push([node.getStart(file), node.end]);
    else ts.forEachChild(node, visit);
  };
  visit(file);
  let code = source;
  for (const [from, to] of strings)
    code = code.slice(0, from) + blank(source.slice(from, to)) + code.slice(to);
  const comments = only(code, rangesOf(code, /\/\*[\s\S]*?\*\/|\/\/.*/g));
  const isShown =
    /\/src\//.test(path) && !/\.test\.tsx?$|\/testing\/|\/fixtures\/|mail-lab|crm-lab/.test(path);
  const texts = strings.filter(([from, to]) => /\S\s+\S/.test(source.slice(from, to)));
  const named = names.map(name => [name.getStart(file), name.end]);
  return [proseOf(comments), only(source, isShown ? texts : named)];
}

function findingsIn(path, text, source) {
  return [...text.matchAll(pattern)].flatMap(({ 0: match, index }) => {
    const word = match.toLowerCase().replace(new RegExp(between, 'g'), ' ');
    if (!plainer.has(word) && isAmerican.has(word)) return [];
    const start = source.lastIndexOf('\n', index) + 1;
    const whole = source.slice(start, (source.indexOf('\n', index) + 1 || source.length + 1) - 1);
    if (
      quoted.some(
        ([prefix, texts]) => path.startsWith(prefix) && texts.some(quotation => whole.includes(quotation)),
      )
    )
      return [];
    return [{ path, word, line: source.slice(0, start).split('\n').length }];
  });
}

function isReleased(path) {
  return Object.entries(releasedMigrations).some(
    ([folder, last]) =>
      path.startsWith(folder) && Number(path.slice(folder.length, folder.length + 4)) <= last,
  );
}

function rangesOf(text, form) {
  return [...text.matchAll(form)].map(({ 0: match, index }) => [index, index + match.length]);
}

function only(text, ranges) {
  let [result, at] = ['', 0];
  for (const [from, to] of ranges) {
    result += blank(text.slice(at, from)) + text.slice(from, to);
    at = to;
  }
  return result + blank(text.slice(at));
}

function blank(text) {
  return text.replace(/[^\n]/g, ' ');
}
