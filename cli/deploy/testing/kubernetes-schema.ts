// Whether objects are what Kubernetes takes: their types are made from its OpenAPI document, and the compiler finds what
// is missing, of another type, or unknown.
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@atoll/testkit/temp-dir'
import { root } from '../../places.ts'

const modules = join(root, 'node_modules')

interface Typed {
  apiVersion: string
  kind: string
}

/** What is wrong with each list of them, a line each. All at once: the compiler takes longest to begin. */
export async function schemaProblems(lists: readonly (readonly Typed[])[]): Promise<string[][]> {
  const folder = await tempDir()
  const files = lists.map((_, at) => `list${at}.ts`)
  for (const [at, list] of lists.entries()) writeFileSync(join(folder, `list${at}.ts`), list.map(asConstant).join('\n'))
  const compilerOptions = {
    ...{ strict: true, noEmit: true, module: 'esnext', moduleResolution: 'bundler', skipLibCheck: true },
    ...{ lib: ['es2024'], types: [], paths: { 'kubernetes-types/*': [join(modules, 'kubernetes-types', '*')] } },
  }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
  const compiler = join(modules, '.bin', 'tsc')
  const { stdout, status } = spawnSync(compiler, ['--pretty', 'false', '--singleThreaded', '-p', folder], {
    encoding: 'utf8',
    cwd: folder,
  })
  const lines = stdout.split('\n')
  const problems = files.map((file) => lines.filter((line) => line.startsWith(`${file}(`)))
  if (status !== 0 && problems.flat().length === 0) throw new Error(`the compiler ended with ${status}: ${stdout}`)
  return problems
}

function asConstant(object: Typed, at: number): string {
  const { apiVersion, kind } = object
  const version = apiVersion.includes('/') ? apiVersion.replace('.k8s.io/', '/') : `core/${apiVersion}`
  return `export const object${at}: import('kubernetes-types/${version}').${kind} = ${JSON.stringify(object, null, 1)}`
}
