/**
 * Reads the shell commands of a page of the documentation: the blocks below a heading, up to the next one.
 *
 * @param heading the whole line, such as `## With Compose`
 * @throws Error if the page has no such heading or no commands below it
 */
export function pageCommands(page: string, heading: string): readonly string[] {
  const lines = page.split('\n');
  const start = lines.indexOf(heading);
  if (start === -1) throw new Error(`The page has no heading "${heading}".`);
  const blocks: string[] = [];
  let block: string[] | undefined;
  let indent = 0;
  for (const line of lines.slice(start + 1)) {
    if (block && line.trim() === '```') {
      blocks.push(block.join('\n'));
      block = undefined;
    } else if (block) block.push(line.slice(indent));
    else if (/^#+ /.test(line)) break;
    else if (line.trim() === '```sh') {
      block = [];
      // A block of a list is indented as a whole.
      indent = line.indexOf('`');
    }
  }
  if (blocks.length === 0) throw new Error(`The page has no commands below "${heading}".`);
  return blocks;
}
