// What helm makes of the chart: by helm itself, or by a program of ours from Debian's packages of Go.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseAllDocuments } from 'yaml'
import { root } from '../../places.ts'
import { findProgram } from '../../programs/search.ts'

const renderer = fileURLToPath(new URL('./render-chart.go', import.meta.url))
const sources = '/usr/share/gocode'
const needed = {
  'golang-github-masterminds-sprig-dev': 'github.com/Masterminds/sprig',
  'golang-k8s-sigs-yaml-dev': 'sigs.k8s.io/yaml',
}

/** For the name of what is skipped; empty when the chart can be rendered. */
export function lackingHelm(): string {
  if (findProgram('helm') !== undefined) return ''
  const lacks = Object.entries(needed).filter(([, path]) => !existsSync(`${sources}/src/${path}`))
  const names = lacks.map(([name]) => name)
  if (findProgram('go') === undefined) names.unshift('golang-go')
  return names.length === 0 ? '' : `helm, or ${names.join(', ')}`
}

interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: { name: string }
}

/** Every object of a release of that name. */
export function renderedChart(chart: string, release: string, values: object): KubernetesObject[] {
  const text = findProgram('helm') === undefined ? byGo : byHelm
  const documents = parseAllDocuments(text(chart, release, JSON.stringify(values)))
  for (const { errors } of documents) if (errors.length > 0) throw errors[0]
  return documents.map((document) => document.toJS() as KubernetesObject).filter((object) => object !== null)
}

const byHelm = (chart: string, release: string, values: string): string =>
  output(findProgram('helm') ?? '', ['template', release, chart, '--values', '-'], values)

let program: string | undefined

function byGo(chart: string, release: string, values: string): string {
  program ??= compiled()
  return output(program, [chart, release], values)
}

/** Go links it anew only where it has changed. */
function compiled(): string {
  const file = join(root, 'node_modules', '.cache', 'atoll-render-chart')
  output('go', ['build', '-o', file, renderer], '', { GO111MODULE: 'off', GOPATH: sources, GOFLAGS: '' })
  return file
}

function output(program: string, args: string[], input: string, env: Record<string, string> = {}): string {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    input,
    env: { ...process.env, ...env },
  })
  if (status === 0) return stdout
  throw new Error(`${program} ended with ${status}: ${stderr || error}`)
}
