// Which stages a build needs, and what they are made from.

import { invalidParameter } from '../errors.ts'
import type { Platform } from '../images/images.ts'
import { parsePlatform } from '../images/platform.ts'
import type { NamedContext } from './contexts.ts'
import type { Dockerfile, Instruction, Stage } from './dockerfile/dockerfile.ts'
import { expandWord, type Values } from './dockerfile/expand.ts'
import { DockerfileProblem, type Place, Wrong } from './dockerfile/problem.ts'
import type { BuildOptions } from './options.ts'

export type StageBase = { stage: number } | { image: string } | { context: FolderContext } | 'scratch'
type FolderContext = Extract<NamedContext, { folder(): Promise<string> }>
type Named = ReadonlyMap<string, NamedContext>

export interface PlannedStage {
  index: number
  name: string
  stage: Stage
  base: StageBase
  platform: Platform | undefined
}

export interface BuildPlan {
  stages: PlannedStage[]
  target: number
  /** Stages to build, in the order of the file. */
  needed: number[]
  /** Arguments before the first FROM, with their values. */
  globalArgs: ReadonlyMap<string, string | undefined>
}

export function planBuild(
  dockerfile: Dockerfile,
  options: BuildOptions,
  host: Platform,
  named: Named = new Map(),
): BuildPlan {
  const form = { escapedBy: dockerfile.directives.escapedBy }
  const platformArgs = platformValues(options.platform ?? host, host)
  const globalArgs = new Map<string, string | undefined>()
  const values: Values = (name) => globalArgs.get(name) ?? platformArgs.get(name)
  for (const { args, place } of dockerfile.globalArgs) {
    for (const { key, value } of args) {
      const given = options.buildArgs[key]
      const usual = value === undefined ? undefined : placed(place, () => expandWord(value, values, form))
      globalArgs.set(key, given ?? usual)
    }
  }
  const stages: PlannedStage[] = []
  for (const [index, stage] of dockerfile.stages.entries()) {
    const expand = (text: string) => placed(stage.place, () => expandWord(text, values, form))
    const base = expand(stage.base)
    if (base === '') throw new DockerfileProblem(stage.place, `base name (${stage.base}) should not be blank`)
    const platform = expand(stage.platform)
    stages.push({
      ...{ index, stage, name: stage.name, base: baseOf(base, stages, named) },
      platform: platform === '' ? options.platform : placed(stage.place, () => parsePlatform(platform)),
    })
  }
  const target = targetOf(stages, options.target)
  return {
    stages,
    target,
    needed: neededFor(stages, target, named),
    globalArgs: withPlatform(globalArgs, platformArgs),
  }
}

const withPlatform = (args: ReadonlyMap<string, string | undefined>, platform: ReadonlyMap<string, string>) =>
  new Map([...platform, ...[...args].filter(([, value]) => value !== undefined)])

/** What every Dockerfile may ask for with ARG. */
function platformValues(target: Platform, host: Platform): Map<string, string> {
  const of = (prefix: string, { os, architecture, variant = '' }: Platform): [string, string][] => [
    [`${prefix}PLATFORM`, [os, architecture, variant].filter(Boolean).join('/')],
    [`${prefix}OS`, os],
    [`${prefix}ARCH`, architecture],
    [`${prefix}VARIANT`, variant],
  ]
  return new Map([...of('TARGET', target), ...of('BUILD', host)])
}

function baseOf(base: string, before: readonly PlannedStage[], contexts: Named): StageBase {
  const given = contexts.get(base.toLowerCase())
  if (given !== undefined) return 'image' in given ? given : { context: given }
  const named = before.findLast(({ name }) => name !== '' && name === base.toLowerCase())
  if (named !== undefined) return { stage: named.index }
  return base.toLowerCase() === 'scratch' ? 'scratch' : { image: base }
}

function targetOf(stages: readonly PlannedStage[], target: string): number {
  if (target === '') return stages.length - 1
  const named = stages.findLast(({ name }) => name === target.toLowerCase())
  const numbered = /^\d{1,6}$/.test(target) ? stages[Number(target)] : undefined
  const found = named ?? numbered
  if (found === undefined) throw invalidParameter(`target stage "${target}" could not be found`)
  return found.index
}

/** What `--from` names: a stage before this one, by name or number; undefined: an image. */
export function stageNamed(stages: readonly PlannedStage[], before: number, from: string): number | undefined {
  const earlier = stages.slice(0, before)
  const named = earlier.findLast(({ name }) => name !== '' && name === from.toLowerCase())
  if (named !== undefined) return named.index
  return /^\d{1,6}$/.test(from) ? earlier[Number(from)]?.index : undefined
}

function neededFor(stages: readonly PlannedStage[], target: number, contexts: Named): number[] {
  const needed = new Set<number>()
  const waiting = [target]
  for (let index = waiting.pop(); index !== undefined; index = waiting.pop()) {
    const planned = stages[index]
    if (planned === undefined || needed.has(index)) continue
    needed.add(index)
    if (typeof planned.base === 'object' && 'stage' in planned.base) waiting.push(planned.base.stage)
    for (const instruction of planned.stage.instructions) {
      for (const from of sourcesOf(instruction)) {
        const stage = contexts.has(from.toLowerCase()) ? undefined : stageNamed(stages, index, from)
        if (stage !== undefined) waiting.push(stage)
      }
    }
  }
  return [...needed].sort((one, other) => one - other)
}

function sourcesOf(instruction: Instruction): string[] {
  if (instruction.kind === 'COPY') return [instruction.from]
  if (instruction.kind === 'RUN') return instruction.mounts.map(({ options }) => options.get('from') ?? '')
  return []
}

/** What is wrong with a value is told with the line it stands in. */
export function placed<T>(place: Place, work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (error instanceof Wrong) throw new DockerfileProblem(place, error.message)
    throw error
  }
}
