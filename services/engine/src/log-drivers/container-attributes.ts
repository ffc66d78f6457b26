// Labels and variables of a container that its log options name, and the tag that they ask for.
import type { ContainerRecord } from '../resources/containers/record.ts'
import type { LogOptions } from './log-options.ts'

const optionsOf = (container: ContainerRecord): LogOptions => container.hostConfig.LogConfig?.Config ?? {}

export function chosenAttributes(container: ContainerRecord): Record<string, string> {
  const options = optionsOf(container)
  const variables = Object.fromEntries((container.config.Env ?? []).map(splitVariable))
  return {
    ...chosen(container.config.Labels ?? {}, options.labels, options['labels-regex']),
    ...chosen(variables, options.env, options['env-regex']),
  }
}

/** As the option `tag` says; otherwise the short id. */
export function logTag(container: ContainerRecord): string {
  return fillTag(optionsOf(container).tag || '{{.ID}}', container)
}

export const hasTag = (container: ContainerRecord): boolean => Boolean(optionsOf(container).tag)

function splitVariable(text: string): [string, string] {
  const mark = text.indexOf('=')
  return mark < 0 ? [text, ''] : [text.slice(0, mark), text.slice(mark + 1)]
}

function chosen(
  all: Record<string, string>,
  names: string | undefined,
  pattern: string | undefined,
): Record<string, string> {
  const named = new Set((names ?? '').split(',').map((name) => name.trim()))
  const expression = compile(pattern)
  return Object.fromEntries(
    Object.entries(all).filter(([name]) => name !== '' && (named.has(name) || expression?.test(name))),
  )
}

/** One that is none was refused when the container was made, unless that is long ago. */
function compile(pattern: string | undefined): RegExp | undefined {
  if (pattern === undefined || pattern === '') return undefined
  try {
    return new RegExp(pattern)
  } catch {
    return undefined
  }
}

const shortIdLength = 12

function fillTag(template: string, { id, name, imageId, imageName, config }: ContainerRecord): string {
  const imageFullId = imageId.replace(/^sha256:/, '')
  const values: Record<string, string> = {
    ID: id.slice(0, shortIdLength),
    FullID: id,
    Name: name,
    ImageID: imageFullId.slice(0, shortIdLength),
    ImageFullID: imageId,
    ImageName: config.Image ?? imageName,
    DaemonName: 'docker',
  }
  return template.replace(/\{\{\s*\.(\w+)\s*\}\}/g, (whole, field: string) => values[field] ?? whole)
}
