// Every source file of the house, parsed: what it imports and how long its functions are.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor } from 'oxc-parser'

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/\/$/, '')

export interface SourceFile {
  /** From the root of the repository. */
  path: string
  text: string
  lines: number
  imports: { target: string; typeOnly: boolean }[]
  functions: { name: string; lines: number }[]
}

/** What git knows or would add: nothing built, nothing ignored. */
export const projectFiles = (): string[] =>
  execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\n')
    .filter((path) => path !== '')

export const sourceFiles = (): SourceFile[] =>
  projectFiles()
    .filter((path) => /\.tsx?$/.test(path))
    .flatMap((path) => {
      try {
        return [parseSource(path, readFileSync(join(root, path), 'utf8'))]
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [] // deleted, not yet committed
        throw error
      }
    })

export function parseSource(path: string, text: string): SourceFile {
  const { module, program } = parseSync(path, text)
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length
  const functions: SourceFile['functions'] = []
  const measure = (node: { start: number; end: number; id?: { name: string } | null }): void => {
    functions.push({
      name: node.id?.name ?? `line ${lineAt(node.start)}`,
      lines: lineAt(node.end) - lineAt(node.start) + 1,
    })
  }
  new Visitor({
    FunctionDeclaration: measure,
    FunctionExpression: measure,
    ArrowFunctionExpression: measure,
  }).visit(program)
  const imports = [
    ...module.staticImports.map((entry) => ({
      target: resolveImport(path, entry.moduleRequest.value),
      typeOnly: entry.entries.length > 0 && entry.entries.every((name) => name.isType),
    })),
    ...module.staticExports.flatMap((statement) =>
      statement.entries.flatMap(({ moduleRequest, isType }) =>
        moduleRequest ? [{ target: resolveImport(path, moduleRequest.value), typeOnly: isType }] : [],
      ),
    ),
    ...module.dynamicImports.flatMap((entry) => {
      const literal = /^['"](.+)['"]$/.exec(text.slice(entry.moduleRequest.start, entry.moduleRequest.end))
      return literal?.[1] ? [{ target: resolveImport(path, literal[1]), typeOnly: false }] : []
    }),
  ]
  return { path, text, lines: text.split('\n').length - 1, imports, functions }
}

/** Where the modules of each workspace lie, as its package.json says: `@atoll/hooks` → `services/hooks/src`. */
const workspaces: ReadonlyMap<string, string> = new Map(
  projectFiles()
    .filter((path) => /^(packages|services)\/[^/]+\/package\.json$|^(cli|bench|console)\/package\.json$/.test(path))
    .map((path) => {
      const { name, exports = {} } = JSON.parse(readFileSync(join(root, path), 'utf8')) as WorkspacePackage
      return [name, join(dirname(path), dirname(exports['./*'] ?? './*.ts'))]
    }),
)

interface WorkspacePackage {
  name: string
  exports?: Record<string, string>
}

/** A path in the repository, or the name of a package. */
function resolveImport(from: string, specifier: string): string {
  if (specifier.startsWith('.')) return relative(root, resolve(root, dirname(from), specifier))
  const workspace = /^(@atoll\/[^/]+)\/(.+)$/.exec(specifier)
  if (!workspace?.[1]) return specifier
  return `${workspaces.get(workspace[1]) ?? workspace[1]}/${workspace[2]}.ts`
}
