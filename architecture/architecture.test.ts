// The rules of the house, checked instead of remembered.
import { existsSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { importCircles } from './circles.ts'
import { crossesIntoStore, type DependencyRule, dependencyRules } from './dependency-rules.ts'
import { parseSource, projectFiles, root, type SourceFile, sourceFiles } from './source-files.ts'

const maxFileLines = 400
const maxFunctionLines = 70
const files = sourceFiles()
const isTest = (path: string): boolean => /\.test\.ts$/.test(path)
const code = files.filter(({ path }) => !isTest(path))

const breaches = (of: readonly SourceFile[]): string[] => dependencyRules.flatMap((rule) => breachesOf(rule, of))

const breachesOf = (rule: DependencyRule, of: readonly SourceFile[]): string[] =>
  of
    .filter(({ path }) => rule.from.test(path) && !rule.except?.test(path))
    .flatMap(({ path, imports }) =>
      imports
        .filter(({ target, typeOnly }) => rule.forbidden.test(target) && !(typeOnly && rule.typesAllowed))
        .map(({ target }) => `${path} imports ${target}: ${rule.why}`),
    )

/** Resources that answer and keep nothing of their own: a conversation is a thread. */
const keepsNothing =
  /\/resources\/(completions|conversations|embeddings|moderations|auth|build|distribution|exec|nodes|swarm|services|tasks|secrets|configs)$|\/resources\/containers\/|\/resources\/images\/commit$|\/resources\/organization\/|\/resources\/audio\//

describe('the architecture', () => {
  it('keeps every dependency rule', () => {
    expect(breaches(files)).toEqual([])
  })

  it("never reaches into another resource's store", () => {
    const crossings = files.flatMap(({ path, imports }) =>
      imports.filter(({ target }) => crossesIntoStore(path, target)).map(({ target }) => `${path} imports ${target}`),
    )
    expect(crossings).toEqual([])
  })

  it('notices an import that a rule forbids', () => {
    const bad = parseSource('services/platform/src/resources/x/routes.ts', "import { findX } from './store.ts'\n")
    expect(bad.imports).toEqual([{ target: 'services/platform/src/resources/x/store.ts', typeOnly: false }])
    expect(breaches([bad])).toHaveLength(1)
  })

  it('notices an import between any two services, by whatever name', () => {
    const names = ['platform', 'engine', 'hooks', 'cluster']
    for (const [from, to] of names.flatMap((a) => names.filter((b) => b !== a).map((b) => [a, b] as const))) {
      for (const name of [`@atoll/${to}/config`, `../../${to}/src/config.ts`]) {
        const bad = parseSource(`services/${from}/src/x.ts`, `export const x = () => import('${name}')\n`)
        expect(bad.imports).toEqual([{ target: `services/${to}/src/config.ts`, typeOnly: false }])
        expect(breaches([bad]), `${from} imports ${name}`).toHaveLength(1)
      }
    }
  })

  it('resolves every import of the house to a file that is there', () => {
    const lost = files.flatMap(({ path, imports }) =>
      imports
        .filter(({ target }) => /^(packages|services|cli|bench|training|@atoll)\//.test(target))
        .filter(({ target }) => !existsSync(join(root, target)))
        .map(({ target }) => `${path} imports ${target}`),
    )
    expect(lost).toEqual([])
  })

  it('has no files that import one another in a circle', () => {
    expect(importCircles(files)).toEqual([])
    const imports = (path: string, ...targets: string[]) => ({ path, imports: targets.map((target) => ({ target })) })
    expect(importCircles([imports('a', 'b', 'd'), imports('b', 'c'), imports('c', 'b'), imports('d')])).toEqual([
      ['b', 'c'],
    ])
  })

  it(`has no source file over ${maxFileLines} lines and no function over ${maxFunctionLines}`, () => {
    expect(code.filter(({ lines }) => lines > maxFileLines).map(({ path, lines }) => `${path}: ${lines}`)).toEqual([])
    const long = code.flatMap(({ path, functions }) =>
      functions.filter(({ lines }) => lines > maxFunctionLines).map(({ name, lines }) => `${path} ${name}: ${lines}`),
    )
    expect(long).toEqual([])
  })

  it('has complete resource folders: schema, routes, service, a test, and a store where something is kept', () => {
    const folders = files
      .filter(({ path }) => /\/resources\/.*\/routes\.ts$/.test(path))
      .map(({ path }) => dirname(path))
    expect(folders.length).toBeGreaterThan(0)
    const missing = folders.flatMap((folder) =>
      [
        'schema.ts',
        'routes.ts',
        'service.ts',
        `${basename(folder)}.test.ts`,
        ...(keepsNothing.test(folder) ? [] : ['store.ts']),
      ]
        .map((name) => join(folder, name))
        .filter((path) => !existsSync(join(root, path))),
    )
    expect(missing).toEqual([])
  })

  it('names files in kebab-case, and none after a drawer', () => {
    const odd = projectFiles().filter(
      (path) => /\.tsx?$/.test(path) && !/^[a-z0-9]+([-.][a-z0-9]+)*\.tsx?$/.test(basename(path)),
    )
    expect(odd).toEqual([])
    const drawers = files.filter(({ path }) => /\b(utils?|helpers?|common|manager|misc)\.tsx?$/.test(path))
    expect(drawers.map(({ path }) => path)).toEqual([])
  })

  it('has no default export, no barrel and no unfinished mark', () => {
    const marked = code.filter(({ text }) => /^export default|^export \* from|\b(TODO|FIXME|XXX)\b/m.test(text))
    const own = marked.map(({ path }) => path).filter((path) => !/^architecture\/|\.config\.ts$/.test(path))
    expect(own).toEqual([])
  })
})
