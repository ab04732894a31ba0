import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as contracts from '@mailproof/shared-types';
import ts from 'typescript';
import { aspects } from './operation-aspects.ts';

/** An operation of a public interface that lacks tests, and which ones. */
export interface UncoveredOperation {
  readonly operation: string;
  readonly missing: readonly string[];
}

export interface OperationCoverage {
  readonly uncovered: readonly UncoveredOperation[];
  /** The number of examined operations; a result without any is meaningless. */
  readonly examined: number;
}

/** The file with the list. */
export const uncoveredFile = join(import.meta.dirname, 'uncovered-operations.json');

const testFolder = join(import.meta.dirname, 'operations');

/**
 * Compares the operations of both interfaces with the tests' declarations. Reads the declarations from the source, so
 * that no test has to run, and a skipped or commented-out test counts as missing.
 */
export function coverageOf(
  operations: readonly contracts.Operation[] = [
    ...contracts.restOperations,
    contracts.receiveOutcomes,
    ...contracts.appOperations,
  ],
  folder = testFolder,
): OperationCoverage {
  const declared = new Map<string, Set<string>>();
  for (const file of readdirSync(folder).filter(name => name.endsWith('.test.ts'))) {
    for (const { id, covered } of declarationsIn(readFileSync(join(folder, file), 'utf8'))) {
      declared.set(id, new Set([...(declared.get(id) ?? []), ...covered]));
    }
  }
  const uncovered = operations
    .map(({ id }) => ({
      operation: id,
      missing: aspects.filter(aspect => !declared.get(id)?.has(aspect)),
    }))
    .filter(({ missing }) => missing.length > 0);
  return { uncovered, examined: operations.length };
}

/** The list in its file format. */
export function textOf({ uncovered }: OperationCoverage): string {
  return `${JSON.stringify(uncovered, null, 2)}\n`;
}

interface Declaration {
  readonly id: string;
  readonly covered: readonly string[];
}

/** Finds `describeOperation(contract, { … })` among the statements of a file. */
export function declarationsIn(source: string): Declaration[] {
  const file = ts.createSourceFile('test.ts', source, ts.ScriptTarget.Latest, true);
  return file.statements.flatMap(statement => {
    const call = ts.isExpressionStatement(statement) ? statement.expression : undefined;
    if (!call || !ts.isCallExpression(call) || call.expression.getText() !== 'describeOperation') {
      return [];
    }
    const [contract, checks] = call.arguments;
    const operation = contract && (contracts as Record<string, unknown>)[contract.getText()];
    if (!operation || !checks || !ts.isObjectLiteralExpression(checks)) {
      throw new Error(
        `Name a contract of shared-types and write its checks out: ${call.getText().slice(0, 80)}`,
      );
    }
    return [
      { id: (operation as contracts.Operation).id, covered: checks.properties.filter(isCheck).map(nameOf) },
    ];
  });
}

function nameOf(property: ts.ObjectLiteralElementLike): string {
  return property.name?.getText() ?? '';
}

/** Accepts a function, or a written reason why there can be none. */
function isCheck(property: ts.ObjectLiteralElementLike): boolean {
  if (ts.isMethodDeclaration(property)) {
    return (property.body?.statements.length ?? 0) > 0;
  }
  if (!ts.isPropertyAssignment(property)) {
    return ts.isShorthandPropertyAssignment(property);
  }
  const value = property.initializer;
  if (!ts.isObjectLiteralExpression(value)) {
    return true;
  }
  return value.properties.some(
    reason =>
      ts.isPropertyAssignment(reason) &&
      reason.name.getText() === 'cannotHappen' &&
      /\w.{20,}/s.test(reason.initializer.getText()),
  );
}
