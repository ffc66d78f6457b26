// What a build needs of its context, as far as the Dockerfile tells before anything is done.
import type { Instruction } from '../../build/dockerfile/dockerfile.ts'
import type { BuildPlan } from '../../build/plan.ts'

/** Undefined: everything. Empty: nothing. */
export function contextPaths({ needed, stages }: BuildPlan): string[] | undefined {
  const written = needed.flatMap((index) => stages[index]?.stage.instructions.flatMap(pathsOf) ?? [])
  const paths = written.map((path) => path.replace(/^(\.?\/)+/, '').replace(/\/+$/, ''))
  const isOpen = (path: string) => path === '' || path === '.' || path.includes('$') || path.includes('**')
  if (paths.some(isOpen) || written.some((path) => path.split('/').includes('..') || path.includes('\\'))) {
    return undefined
  }
  return [...new Set(paths)]
}

function pathsOf(instruction: Instruction): string[] {
  if (instruction.kind === 'RUN') {
    return instruction.mounts
      .filter(({ type, options }) => type === 'bind' && (options.get('from') ?? '') === '')
      .map(({ options }) => options.get('source') ?? '.')
  }
  if ((instruction.kind !== 'COPY' && instruction.kind !== 'ADD') || instruction.from !== '') return []
  const paths = instruction.sources.flatMap((source) => ('path' in source ? [source.path] : []))
  return paths.filter((path) => instruction.kind === 'COPY' || !/^([a-z]+:\/\/|git@)/i.test(path))
}
