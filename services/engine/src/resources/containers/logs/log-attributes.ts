// What `details` puts before a line: labels and variables of the container that its log options name.
import type { ContainerRecord } from '../record.ts'

/** Sorted by name, as `a=b,c=d` with what is special in it encoded; empty when the options name nothing. */
export function logAttributes(container: ContainerRecord): string {
  const options = container.hostConfig.LogConfig?.Config ?? {}
  const variables = Object.fromEntries((container.config.Env ?? []).map(splitVariable))
  const attributes = {
    ...chosen(container.config.Labels ?? {}, options.labels, options['labels-regex']),
    ...chosen(variables, options.env, options['env-regex']),
    ...(options.tag ? { tag: fillTag(options.tag, container) } : {}),
  }
  return Object.entries(attributes)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${encode(name)}=${encode(value)}`)
    .join(',')
}

const encode = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+')

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

/** A pattern that is none was refused when the container was made. */
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
